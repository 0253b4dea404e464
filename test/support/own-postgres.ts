import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { freePort } from '../../src/process/index.js'
import { openClient } from '../../src/store/postgres/connections.js'
import { parseStoreUrl } from '../../src/store/postgres/store-url.js'
import { POSTGRES_BINARIES } from './requirements.js'
import { waitFor } from './wait-for.js'

/** The user that the database runs as if the tests run as root: it has no files of its own. */
const NOBODY = 65_534

type Settings = Record<string, string | number>

/** A database server of its own, which a test may stop, copy, and start with other settings. */
export class OwnPostgres {
  readonly password = 'secret of a test'
  readonly port = freePort()
  readonly #programs: string
  readonly #directory = mkdtempSync(join(tmpdir(), 'signalbox-own-postgres-'))
  readonly #user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  readonly #standbys: OwnPostgres[] = []
  #server: ChildProcess | null = null

  /** @param programs the directory of its programs; by default, those of the npm package */
  constructor(programs?: string) {
    if (programs === undefined) linkLibraries()
    this.#programs = programs ?? join(POSTGRES_BINARIES, 'bin')
    chmodSync(this.#directory, 0o711)
  }

  async start(further: Settings = {}): Promise<void> {
    if (!existsSync(this.#data)) this.#create()
    const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${this.port}`]
    const settings = [...own, ...Object.entries(further).map(([name, value]) => `${name}=${value}`)]
    const args = ['-D', this.#data, ...settings.flatMap(setting => ['-c', setting])]
    this.#server = spawn(this.program('postgres'), args, { cwd: this.#directory, ...this.#user, stdio: 'ignore' })
    await waitFor('the database', () =>
      this.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    )
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  file(name: string): string {
    return join(this.#directory, name)
  }

  /** Writes a file that the server can read and nobody else, and returns its path. */
  secret(name: string, content: string): string {
    const path = this.file(name)
    writeFileSync(path, content, { mode: 0o600 })
    this.#give(path)
    return path
  }

  /** Runs statements as the owner of the database. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    const client = await openClient({ target: parseStoreUrl(this.url('postgres')), password: this.password })
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }

  /** Another server that follows this one, which is stopped for the copy and started again. */
  async standby(settings: Settings = {}): Promise<OwnPostgres> {
    await this.stop()
    const standby = new OwnPostgres(this.#programs)
    this.#standbys.push(standby)
    cpSync(this.#data, standby.#data, { recursive: true })
    writeFileSync(join(standby.#data, 'standby.signal'), '')
    chmodSync(standby.#data, 0o700)
    standby.#give(standby.#data)
    await this.start(settings)
    return standby
  }

  /** What a standby connects with. */
  follows(primary: OwnPostgres, name: string): Settings {
    const place = `host=127.0.0.1 port=${primary.port} user=postgres password='${primary.password}'`
    return { primary_conninfo: `${place} application_name=${name}` }
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (!server || server.exitCode !== null) return
    const exit = new Promise(resolve => server.once('exit', resolve))
    server.kill('SIGINT')
    await exit
  }

  /** Stops it and its standbys, and removes their files. */
  async close(): Promise<void> {
    for (const standby of this.#standbys) await standby.close()
    await this.stop()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  protected program(name: string): string {
    return join(this.#programs, name)
  }

  get #data(): string {
    return this.file('data')
  }

  #create(): void {
    mkdirSync(this.#data, { mode: 0o700 })
    this.#give(this.#data)
    const passwordFile = this.secret('password', this.password)
    const how = ['-U', 'postgres', '-A', 'scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
    const place = { cwd: this.#directory, ...this.#user }
    const args = ['-D', this.#data, ...how, `--pwfile=${passwordFile}`]
    execFileSync(this.program('initdb'), args, { ...place, stdio: 'pipe' })
  }

  /** Makes the user that the server runs as the owner of a file, or of all files in a directory. */
  #give(path: string): void {
    const { uid, gid } = this.#user
    if (uid === undefined || gid === undefined) return
    chownSync(path, uid, gid)
    for (const entry of readdirEntries(path)) this.#give(join(path, entry))
  }
}

/** npm creates these links by a script of the package, and no scripts run when we install. */
export function linkLibraries(): void {
  const root = dirname(POSTGRES_BINARIES)
  const links = JSON.parse(readFileSync(join(POSTGRES_BINARIES, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links)
    if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target))
}

function readdirEntries(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
