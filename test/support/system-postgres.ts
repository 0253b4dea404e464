import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../src/process/index.js'
import { SYSTEM_POSTGRES } from './requirements.js'
import { waitFor } from './wait-for.js'

/** The user that the database runs as if the tests run as root: it has no files of its own. */
const NOBODY = 65_534

/** A database of the PostgreSQL that the machine has, with its programs for backups. */
export class SystemPostgres {
  readonly password = 'secret of a test'
  readonly #directory = mkdtempSync(join(tmpdir(), 'signalbox-system-postgres-'))
  readonly #port = freePort()
  #server: ChildProcess | null = null

  async start(further: Record<string, string | number> = {}): Promise<void> {
    const isRoot = process.getuid?.() === 0
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
    chmodSync(this.#directory, 0o711)
    const [data, passwordFile] = [join(this.#directory, 'data'), join(this.#directory, 'password')]
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(passwordFile, this.password)
    if (isRoot) for (const path of [data, passwordFile]) chownSync(path, NOBODY, NOBODY)
    const how = ['-U', 'postgres', '-A', 'scram-sha-256', '--encoding=UTF8', '--locale=C', '--no-sync']
    const place = { cwd: this.#directory, ...user }
    execFileSync(this.#program('initdb'), ['-D', data, ...how, `--pwfile=${passwordFile}`], { ...place, stdio: 'pipe' })
    const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${this.#port}`]
    const settings = [...own, ...Object.entries(further).map(([name, value]) => `${name}=${value}`)]
    const args = ['-D', data, ...settings.flatMap(setting => ['-c', setting])]
    this.#server = spawn(this.#program('postgres'), args, { ...place, stdio: 'ignore' })
    await waitFor('the database', async () => {
      try {
        this.run('psql', ['-c', 'SELECT 1', 'postgres'])
        return true
      } catch {
        return false
      }
    })
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`
  }

  file(name: string): string {
    return join(this.#directory, name)
  }

  /** One of its programs, as an administrator would call it. */
  run(program: string, args: readonly string[]): string {
    const place = ['-h', '127.0.0.1', '-p', String(this.#port), '-U', 'postgres']
    const env = { ...process.env, PGPASSWORD: this.password }
    return execFileSync(this.#program(program), [...place, ...args], { env, encoding: 'utf8', stdio: 'pipe' })
  }

  async stop(): Promise<void> {
    const server = this.#server
    if (server && server.exitCode === null) {
      const exit = new Promise(resolve => server.once('exit', resolve))
      server.kill('SIGINT')
      await exit
    }
    rmSync(this.#directory, { recursive: true, force: true })
  }

  #program(name: string): string {
    return join(SYSTEM_POSTGRES!, name)
  }
}
