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

/** The servers that a worker last connected to. */
export interface KnownServers {
  /** At first the one that it joined. */
  servers: readonly ServerAddress[]
  /** When it counts as lost; null before the first connection. */
  lostAfterMs: number | null
}

export function knownServers({ directories }: Home, { server, pin }: JoinedWorker): KnownServers {
  const first: ServerAddress = { id: null, address: server, pin }
  const file = join(directories.state, 'worker-servers.json')
  if (!existsSync(file)) return { servers: [first], lostAfterMs: null }
  const saved = JSON.parse(readFileSync(file, 'utf8')) as Partial<KnownServers> & { from: string }
  const { from, servers = [], lostAfterMs = null } = saved
  // Saved servers belong to the cluster that it joined last; another address is another cluster.
  if (from !== server) return { servers: [first], lostAfterMs: null }
  return { servers: servers.length > 0 ? servers : [first], lostAfterMs }
}

export function saveServers(home: Home, { server }: JoinedWorker, known: KnownServers): void {
  const file = join(home.directories.state, 'worker-servers.json')
  writeFileSync(file, `${JSON.stringify({ from: server, ...known })}\n`, { mode: 0o600 })
}

function fileIn(state: string): string {
  return join(state, 'worker.json')
}
