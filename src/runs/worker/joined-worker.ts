import { createPrivateKey, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import type { Home } from '../../host/home/index.js'
import type { ServerAddress } from '../../workers/index.js'

/** Where this home directory has joined as a worker. */
export interface JoinedWorker {
  worker: string
  name: string
  server: string
  pin: string | null
}

/** @throws SignalboxError `E_CONFIG` if it has not joined. */
export function readJoined({ directories }: Home): JoinedWorker & { key: KeyObject } {
  const file = fileIn(directories.state)
  if (!existsSync(file))
    throw new SignalboxError('E_CONFIG', 'this home directory has not joined as a worker', {
      next: 'on the server: signalbox workers invite; here: signalbox worker join <link>',
    })
  const { key, ...joined } = JSON.parse(readFileSync(file, 'utf8')) as JoinedWorker & { key: string }
  return { ...joined, key: createPrivateKey(key) }
}

export function writeJoined({ directories }: Home, joined: JoinedWorker, privatePem: string): void {
  writeFileSync(fileIn(directories.state), `${JSON.stringify({ ...joined, key: privatePem })}\n`, { mode: 0o600 })
}

/** The servers that this worker last received; at first the one that it joined. */
export function knownServers({ directories }: Home, { server, pin }: JoinedWorker): readonly ServerAddress[] {
  const first: ServerAddress = { id: null, address: server, pin }
  const file = join(directories.state, 'worker-servers.json')
  if (!existsSync(file)) return [first]
  const { from, servers } = JSON.parse(readFileSync(file, 'utf8')) as { from: string; servers: ServerAddress[] }
  // Of the cluster that it joined last.
  return from === server && servers.length > 0 ? servers : [first]
}

export function saveServers(home: Home, { server }: JoinedWorker, servers: readonly ServerAddress[]): void {
  const file = join(home.directories.state, 'worker-servers.json')
  writeFileSync(file, `${JSON.stringify({ from: server, servers })}\n`, { mode: 0o600 })
}

function fileIn(state: string): string {
  return join(state, 'worker.json')
}
