import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { processStart } from '../../process/index.js'
import { type CallerIdentity, type Credential, OWNER } from '../caller.js'
import type { ServerSettings } from '../settings.js'
import { Devices } from './devices.js'
import type { LocalPeer } from './local-peers.js'
import { Passphrase } from './passphrase.js'
import { isProofOf, PROOF_MS, type ProvenRequest, parseProof } from './proof.js'
import { isSameSecret } from './same-secret.js'
import type { SharedLogins } from './shared-logins.js'
import { Shares } from './shares.js'
import { Token, type TokenShare } from './token.js'

const CONFIRMED_FOR_MS = 5 * 60_000

/** Authentication over TCP: the token, devices with their proofs, and logins. */
export class Auth {
  readonly devices: Devices
  readonly shares: Shares
  readonly codes: LoginCodes
  readonly token: Token
  readonly attempts: Attempts
  readonly #passphrase: Passphrase | null
  readonly #shared: SharedLogins | null
  readonly #clock: Clock
  readonly #nonces = new Nonces()
  readonly #startedAt: number
  /** When a script or a terminal confirmed, which have no device to store that, and what. */
  readonly #confirmed = new Map<string, { at: number; act: string | null }>()

  private constructor(
    clock: Clock,
    parts: Pick<Auth, 'devices' | 'shares' | 'token' | 'attempts'> & {
      passphrase: Passphrase | null
      shared: SharedLogins | null
    },
  ) {
    this.#clock = clock
    this.#startedAt = clock.now()
    this.devices = parts.devices
    this.shares = parts.shares
    this.token = parts.token
    this.attempts = parts.attempts
    this.#passphrase = parts.passphrase
    this.#shared = parts.shared
    this.codes = new LoginCodes(clock, parts.shared)
  }

  static async open(
    settings: Pick<ServerSettings, 'stateDirectory' | 'passphraseFile' | 'loginsPer15Min'>,
    clock: Clock,
    onError: (error: unknown) => void,
    share: TokenShare | null = null,
  ): Promise<Auth> {
    const { stateDirectory, passphraseFile } = settings
    const shared = share?.logins ?? null
    const passphrase = passphraseFile === null ? null : await Passphrase.open(passphraseFile)
    // Servers without a passphrase of their own accept the one of the others.
    if (passphrase) await shared?.change<string>('passphrase', () => passphrase.hash)
    return new Auth(clock, {
      devices: await Devices.open(stateDirectory, clock, onError, shared),
      shares: await Shares.open(stateDirectory, clock, onError, shared),
      token: await Token.open(stateDirectory, share),
      attempts: new Attempts(clock, settings.loginsPer15Min, shared),
      passphrase,
      shared,
    })
  }

  /** Another server may have changed who is logged in. */
  async reload(): Promise<void> {
    await this.devices.reload()
    await this.shares.reload()
    await this.token.reload()
  }

  /** @throws SignalboxError `E_LOGIN` */
  async bearer(text: string): Promise<Credential> {
    if (!this.token.isCurrent(text)) await this.token.reload()
    if (this.token.isCurrent(text)) return { kind: 'token', person: OWNER }
    throw new SignalboxError('E_LOGIN', 'invalid token', { next: `the current token is in ${TOKEN_LOCATION}` })
  }

  /** Refuses, before the body is read, a proof that is malformed or of an unknown device. */
  async expects(text: string): Promise<void> {
    await this.#deviceOf(text)
  }

  /**
   * Checks a proof and marks it as used.
   * @throws SignalboxError `E_LOGIN` for an unknown or expired device, `E_PROOF` for an invalid
   * proof.
   */
  async proof(text: string, request: ProvenRequest): Promise<Credential & { kind: 'device' }> {
    const { proof, found } = await this.#deviceOf(text)
    const now = this.#clock.now()
    if (!isProofOf(found.key, request, proof)) throw badProof('the proof does not match the request')
    if (Math.abs(now - proof.ms) > PROOF_MS)
      throw badProof('the proof is too old, or the clocks of browser and server differ')
    // A program that listened on this port before may have kept proofs that the page sent to it.
    if (proof.ms < this.#startedAt) throw badProof('the proof is older than the start of this server')
    const isFirst = this.#shared
      ? await this.#shared.useOnce('proof', `${proof.device}.${proof.nonce}`, now + 3 * PROOF_MS)
      : this.#nonces.use(proof.device, proof.nonce, now)
    if (!isFirst) throw badProof('the proof was already used')
    this.devices.used(found.device)
    return { kind: 'device', device: found.device, person: found.device.person }
  }

  /** @throws SignalboxError `E_LOGIN`, `E_RATE` */
  async login(with_: { code: string } | { passphrase: string }, name: string) {
    await this.attempts.check()
    const person = await this.#redeem(with_)
    if (!person) {
      await this.attempts.failed()
      throw new SignalboxError('E_LOGIN', 'code' in with_ ? 'invalid or expired login link' : 'wrong passphrase', {
        next: 'a login link works once, for five minutes: signalbox serve --link prints a new one',
      })
    }
    return this.devices.add(person, name)
  }

  /** Confirms a login a second time (step-up). @throws SignalboxError `E_LOGIN`, `E_RATE` */
  async stepUp(
    who: Credential,
    with_: { code: string } | { passphrase: string },
    peer: LocalPeer | null = null,
  ): Promise<number> {
    await this.attempts.check()
    if (!(await this.#redeem(with_))) {
      await this.attempts.failed()
      throw new SignalboxError('E_LOGIN', 'wrong passphrase or code', {
        next: 'use the passphrase, or the code of a new link: signalbox serve --link',
      })
    }
    const now = this.#clock.now()
    if (who.kind === 'device') await this.devices.confirmed(who.device, now)
    else this.#confirmed.set(confirmerOf(who, peer), { at: now, act: null })
    return now + CONFIRMED_FOR_MS
  }

  /**
   * Confirms one act of one process, by a code that a person read in a terminal; `act` is null for
   * a wrong code. @throws SignalboxError `E_LOGIN`, `E_RATE`
   */
  async confirmAct(who: Credential, peer: LocalPeer, act: string | null): Promise<number> {
    await this.attempts.check()
    if (act === null) {
      await this.attempts.failed()
      throw new SignalboxError('E_LOGIN', 'wrong or expired code', { next: 'try again: a new code is shown' })
    }
    const now = this.#clock.now()
    this.#confirmed.set(confirmerOf(who, peer), { at: now, act })
    return now + CONFIRMED_FOR_MS
  }

  /**
   * When the person last confirmed the login, or this act; undefined if that has expired. Left out,
   * a confirmation of any act counts.
   */
  confirmedAt(who: Credential, peer: LocalPeer | null = null, act?: string): number | undefined {
    const confirmed =
      who.kind === 'device'
        ? { at: who.device.confirmedAt, act: null }
        : (this.#confirmed.get(confirmerOf(who, peer)) ?? { at: undefined, act: null })
    if (act !== undefined && confirmed.act !== null && confirmed.act !== act) return undefined
    const { at } = confirmed
    return at !== undefined && this.#clock.now() - at <= CONFIRMED_FOR_MS ? at : undefined
  }

  /**
   * For operations that need a proof of the last five minutes that the person is there: a
   * confirmation, or the login of the device itself. The owner's socket needs none.
   * @throws SignalboxError `E_STEP_UP`
   */
  requireConfirmed(who: Credential, peer: LocalPeer | null): void {
    if (who.kind === 'socket' || this.confirmedAt(who, peer) !== undefined) return
    const age = who.kind === 'device' ? this.#clock.now() - who.device.createdAt : -1
    if (age >= 0 && age <= CONFIRMED_FOR_MS) return
    throw new SignalboxError('E_STEP_UP', 'this operation needs a second confirmation', {
      next: 'confirm with your passphrase, or with a new link: signalbox serve --link',
    })
  }

  /** Ends every login. */
  async revokeAll(): Promise<void> {
    await this.codes.clear()
    this.#confirmed.clear()
    await this.token.rotateAll()
    await this.devices.revokeAll()
    await this.shares.revokeAll()
  }

  async #deviceOf(text: string) {
    const proof = parseProof(text)
    if (!proof) throw badProof('the proof is malformed')
    if (this.#shared && !this.devices.find(proof.device)) await this.devices.reload()
    const found = this.devices.find(proof.device)
    if (!found)
      throw new SignalboxError('E_LOGIN', 'the login of this browser has expired or was revoked', {
        next: 'log in again: signalbox serve --link',
      })
    return { proof, found }
  }

  async #redeem(with_: { code: string } | { passphrase: string }): Promise<CallerIdentity | null> {
    if ('code' in with_) return this.codes.redeem(with_.code)
    const passphrase = await this.#currentPassphrase()
    return passphrase && (await passphrase.isRight(with_.passphrase)) ? OWNER : null
  }

  /** Whether this server, or another one of the store, has a passphrase. */
  async hasPassphrase(): Promise<boolean> {
    return (await this.#currentPassphrase()) !== null
  }

  async #currentPassphrase(): Promise<Passphrase | null> {
    if (this.#passphrase) return this.#passphrase
    const hash = await this.#shared?.read<string>('passphrase')
    return hash ? Passphrase.fromHash(hash) : null
  }
}

/** A script confirms with its credential, a process of unproven origin for itself alone. */
function confirmerOf({ kind }: Credential, peer: LocalPeer | null): string {
  return peer?.origin.kind === 'unproven' ? `${kind} ${peer.pid} ${processStart(peer.pid) ?? ''}` : kind
}

const TOKEN_LOCATION = 'the file "token" of the state directory (signalbox paths)'

function badProof(message: string): SignalboxError {
  return new SignalboxError('E_PROOF', message, { next: 'make a new proof for each request (docs/guides/server.md)' })
}

const FAILED_LOGINS_MS = 15 * 60_000

/**
 * Failed logins of 15 minutes, on all servers. Too many block all: attackers have many addresses.
 */
export class Attempts {
  readonly #clock: Clock
  readonly #limit: number
  readonly #shared: SharedLogins | null
  #failures: number[] = []

  constructor(clock: Clock, limit: number, shared: SharedLogins | null = null) {
    this.#clock = clock
    this.#limit = limit
    this.#shared = shared
  }

  /** @throws SignalboxError `E_RATE` */
  async check(): Promise<void> {
    const since = (await this.#now()) - FAILED_LOGINS_MS
    const failures = (await this.#all()).filter(at => at > since)
    this.#failures = failures
    if (failures.length < this.#limit) return
    const waitMs = failures[0]! - since
    throw new SignalboxError('E_RATE', `${this.#limit} logins have failed within 15 minutes`, {
      next: 'wait, then use a new link: signalbox serve --link',
      details: { retryAfterMs: Math.ceil(waitMs) },
    })
  }

  async failed(): Promise<void> {
    const now = await this.#now()
    if (!this.#shared) this.#failures.push(now)
    else
      await this.#shared.change<number[]>('failures', before => [
        ...(before ?? []).filter(at => at > now - FAILED_LOGINS_MS),
        now,
      ])
  }

  async #all(): Promise<readonly number[]> {
    return this.#shared ? ((await this.#shared.read<number[]>('failures')) ?? []) : this.#failures
  }

  async #now(): Promise<number> {
    return this.#shared ? this.#shared.now() : this.#clock.monotonic()
  }
}

const CODE_VALID_MS = 5 * 60_000
const CODES_MAX = 100

/**
 * Codes of login links: each works once, on any server, for five minutes, until a restart of the
 * only one.
 */
export class LoginCodes {
  readonly #clock: Clock
  readonly #shared: SharedLogins | null
  #codes: { code: string; person: CallerIdentity; until: number }[] = []

  constructor(clock: Clock, shared: SharedLogins | null = null) {
    this.#clock = clock
    this.#shared = shared
  }

  async make(person: CallerIdentity): Promise<string> {
    const code = randomBytes(24).toString('base64url')
    if (this.#shared) await this.#shared.offer('login', code, person, (await this.#shared.now()) + CODE_VALID_MS)
    else
      this.#codes = [...this.#live(), { code, person, until: this.#clock.monotonic() + CODE_VALID_MS }].slice(
        -CODES_MAX,
      )
    return code
  }

  /** The person whose code it is; null for an invalid, expired or used code. */
  async redeem(code: string): Promise<CallerIdentity | null> {
    if (this.#shared) return this.#shared.redeem<CallerIdentity>('login', code)
    const found = this.#live().find(candidate => isSameSecret(candidate.code, code))
    this.#codes = this.#live().filter(candidate => candidate !== found)
    return found?.person ?? null
  }

  async clear(): Promise<void> {
    this.#codes = []
    await this.#shared?.withdraw('login')
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

  /** Returns false if it was already used. */
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
