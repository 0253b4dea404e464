import { execFileSync } from 'node:child_process'
import { OwnPostgres } from './own-postgres.js'
import { SYSTEM_POSTGRES } from './requirements.js'

/** A database of the PostgreSQL that the machine has, with its programs for backups. */
export class SystemPostgres extends OwnPostgres {
  constructor() {
    super(SYSTEM_POSTGRES!)
  }

  /** One of its programs, as an administrator would call it. */
  run(program: string, args: readonly string[]): string {
    const place = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres']
    const env = { ...process.env, PGPASSWORD: this.password }
    return execFileSync(this.program(program), [...place, ...args], { env, encoding: 'utf8', stdio: 'pipe' })
  }
}
