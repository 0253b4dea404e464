import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Credential, OWNER, type Person } from '../caller.js'
import type { ServerSettings } from '../settings.js'
import { Devices } from './devices.js'
import { Passphrase } from './passphrase.js'
import { isProofOf, PROOF_MS, type ProvenRequest, parseProof } from './proof.js'
import { isSameSecret } from './same-secret.js'
import { Token } from './token.js'

const CONFIRMED_FOR_MS = 5 * 60_000

/** Authentication over TCP: the token, devices with their proofs, and logins. */
export class Auth {
  readonly devices: Devices
  readonly codes: LoginCodes
  readonly token: Token
  readonly attempts: Attempts
  readonly passphrase: Passphrase | null
  readonly #clock: Clock
  readonly #nonces = new Nonces()
  readonly #startedAt: number
  /** When a script confirmed with the token, which has no device to store that. */
  #tokenConfirmedAt: number | undefined

  private constructor(clock: Clock, parts: Pick<Auth, 'devices' | 'token' | 'attempts' | 'passphrase'>) {
    this.#clock = clock
    this.#startedAt = clock.now()
    this.devices = parts.devices
    this.token = parts.token
    this.attempts = parts.attempts
    this.passphrase = parts.passphrase
    this.codes = new LoginCodes(clock)
  }

  static async open(
    settings: Pick<ServerSettings, 'stateDirectory' | 'passphraseFile' | 'loginsPer15Min'>,
    clock: Clock,
    onError: (error: unknown) => void,
  ): Promise<Auth> {
    const { stateDirectory, passphraseFile } = settings
    return new Auth(clock, {
      devices: await Devices.open(stateDirectory, clock, onError),
      token: await Token.open(stateDirectory),
      attempts: new Attempts(clock, settings.loginsPer15Min),
      passphrase: passphraseFile === null ? null : await Passphrase.open(passphraseFile),
    })
  }

  /** @throws SignalboxError `E_LOGIN` */
  bearer(text: string): Credential {
    if (this.token.isCurrent(text)) return { kind: 'token', person: OWNER }
    throw new SignalboxError('E_LOGIN', 'invalid token', { next: `the current token is in ${TOKEN_PLACE}` })
  }

  /** Refuses, before the body is read, a proof that is malformed or of an unknown device. */
  expects(text: string): void {
    this.#deviceOf(text)
  }

  /**
   * Checks a proof and marks it as used.
   * @throws SignalboxError `E_LOGIN` for an unknown or expired device, `E_PROOF` for an invalid
   * proof.
   */
  proof(text: string, request: ProvenRequest): Credential & { kind: 'device' } {
    const { proof, found } = this.#deviceOf(text)
    const now = this.#clock.now()
    if (!isProofOf(found.key, request, proof)) throw badProof('the proof does not match the request')
    if (Math.abs(now - proof.ms) > PROOF_MS)
      throw badProof('the proof is too old, or the clocks of browser and server differ')
    // A program that listened on this port before may have kept proofs that the page sent to it.
    if (proof.ms < this.#startedAt) throw badProof('the proof is older than the start of this server')
    if (!this.#nonces.use(proof.device, proof.nonce, now)) throw badProof('the proof was already used')
    this.devices.used(found.device)
    return { kind: 'device', device: found.device, person: found.device.person }
  }

  /** @throws SignalboxError `E_LOGIN`, `E_RATE` */
  async login(with_: { code: string } | { passphrase: string }, name: string) {
    this.attempts.check()
    const person = await this.#redeem(with_)
    if (!person) {
      this.attempts.failed()
      throw new SignalboxError('E_LOGIN', 'invalid or expired login code, or wrong passphrase', {
        next: 'a login link works once, for five minutes: signalbox serve --link prints a new one',
      })
    }
    return this.devices.add(person, name)
  }

  /** Confirms a login a second time (step-up). @throws SignalboxError `E_LOGIN`, `E_RATE` */
  async stepUp(who: Credential, with_: { code: string } | { passphrase: string }): Promise<number> {
    this.attempts.check()
    if (!(await this.#redeem(with_))) {
      this.attempts.failed()
      throw new SignalboxError('E_LOGIN', 'wrong passphrase or code', {
        next: 'use the passphrase, or the code of a new link: signalbox serve --link',
      })
    }
    const now = this.#clock.now()
    if (who.kind === 'device') who.device.confirmedAt = now
    else this.#tokenConfirmedAt = now
    return now + CONFIRMED_FOR_MS
  }

  /** When the person last confirmed the login; undefined if that has expired. */
  confirmedAt(who: Credential): number | undefined {
    const at = who.kind === 'device' ? who.device.confirmedAt : this.#tokenConfirmedAt
    return at !== undefined && this.#clock.now() - at <= CONFIRMED_FOR_MS ? at : undefined
  }

  /** Ends every login. */
  async revokeAll(): Promise<void> {
    this.codes.clear()
    this.#tokenConfirmedAt = undefined
    await this.token.rotate()
    await this.devices.revokeAll()
  }

  #deviceOf(text: string) {
    const proof = parseProof(text)
    if (!proof) throw badProof('the proof is malformed')
    const found = this.devices.find(proof.device)
    if (!found)
      throw new SignalboxError('E_LOGIN', 'the login of this browser has expired or was revoked', {
        next: 'log in again: signalbox serve --link',
      })
    return { proof, found }
  }

  async #redeem(with_: { code: string } | { passphrase: string }): Promise<Person | null> {
    if ('code' in with_) return this.codes.redeem(with_.code)
    return this.passphrase && (await this.passphrase.isRight(with_.passphrase)) ? OWNER : null
  }
}

const TOKEN_PLACE = 'the file "token" of the state directory (signalbox paths)'

function badProof(message: string): SignalboxError {
  return new SignalboxError('E_PROOF', message, { next: 'make a new proof for each request (docs/guides/server.md)' })
}

const CLOSED_MS = 15 * 60_000

/** Failed logins of 15 minutes. Too many block all: attackers have many addresses. */
export class Attempts {
  readonly #clock: Clock
  readonly #limit: number
  #failures: number[] = []

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** @throws SignalboxError `E_RATE` */
  check(): void {
    const since = this.#clock.monotonic() - CLOSED_MS
    this.#failures = this.#failures.filter(at => at > since)
    if (this.#failures.length < this.#limit) return
    const waitMs = this.#failures[0]! - since
    throw new SignalboxError('E_RATE', `${this.#limit} logins have failed within 15 minutes`, {
      next: 'wait, then use a new link: signalbox serve --link',
      details: { retryAfterMs: Math.ceil(waitMs) },
    })
  }

  failed(): void {
    this.#failures.push(this.#clock.monotonic())
  }
}

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

/** Used nonces, kept as long as their proofs would still be accepted. */
export class Nonces {
  /** Nonce → when it may be forgotten. In order of use, which is about the order of these times. */
  readonly #used = new Map<string, number>()

  /** False: it was already used. */
  use(device: string, nonce: string, now: number): boolean {
    this.#forget(now)
    const key = `${device}.${nonce}`
    if (this.#used.has(key)) return false
    // A proof may be dated in the future by as much as it may be late.
    this.#used.set(key, now + 2 * PROOF_MS)
    return true
  }

  get size(): number {
    return this.#used.size
  }

  #forget(now: number): void {
    for (const [key, until] of this.#used) {
      if (until > now) return
      this.#used.delete(key)
    }
  }
}
