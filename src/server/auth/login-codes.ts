import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import type { Person } from '../caller.js'
import { isSameSecret } from './same-secret.js'

const GOOD_FOR_MS = 5 * 60_000
const MOST = 100

/** Codes of login links: each works once, for five minutes, until a restart. */
export class LoginCodes {
  readonly #clock: Clock
  #codes: { code: string; person: Person; until: number }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  make(person: Person): string {
    const code = randomBytes(24).toString('base64url')
    this.#codes = [...this.#live(), { code, person, until: this.#clock.monotonic() + GOOD_FOR_MS }].slice(-MOST)
    return code
  }

  /** The person whose code it is; null for an invalid, expired or used code. */
  redeem(code: string): Person | null {
    const found = this.#live().find(candidate => isSameSecret(candidate.code, code))
    this.#codes = this.#live().filter(candidate => candidate !== found)
    return found?.person ?? null
  }

  clear(): void {
    this.#codes = []
  }

  #live() {
    const now = this.#clock.monotonic()
    return this.#codes.filter(({ until }) => until > now)
  }
}
