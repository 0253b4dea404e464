import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { type Clock, newId } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { readPrivateFile, writePrivateFile } from './private-file.js'
import { isSameSecret } from './same-secret.js'
import { hashOf, type SharedLogins } from './shared-logins.js'

const SHARES_MAX = 200

const kept = z.object({
  id: z.string(),
  /** The hash of the code; the code itself is only in the link. */
  hash: z.string(),
  session: z.string(),
  by: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
})
const file = z.object({ shares: z.array(kept) })

/** A link with which anyone may read one session, until it expires or is revoked. */
export type Share = Readonly<z.output<typeof kept>>

/**
 * `<state>/shares.json`: the links that show one session. Servers of a shared store keep them
 * there.
 */
export class Shares {
  readonly #path: string
  readonly #shared: SharedLogins | null
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #shares: readonly Share[] = []
  #saving: Promise<void> = Promise.resolve()

  private constructor(path: string, clock: Clock, onError: (error: unknown) => void, shared: SharedLogins | null) {
    this.#path = path
    this.#clock = clock
    this.#onError = onError
    this.#shared = shared
  }

  static async open(
    stateDirectory: string,
    clock: Clock,
    onError: (error: unknown) => void,
    shared: SharedLogins | null,
  ): Promise<Shares> {
    const shares = new Shares(join(stateDirectory, 'shares.json'), clock, onError, shared)
    await (shared ? shares.reload() : shares.#load())
    return shares
  }

  /** Reads what other servers of the store have changed. */
  async reload(): Promise<void> {
    const found = await this.#shared?.read<Share[]>('shares')
    if (found !== undefined) this.#shares = found ?? []
  }

  /** A new link's share and code. The code is returned only here. */
  async add(session: string, by: string, forMs: number): Promise<{ share: Share; code: string }> {
    const code = randomBytes(24).toString('base64url')
    const createdAt = this.#clock.now()
    const share = { id: newId('shr'), hash: hashOf(code), session, by, createdAt, expiresAt: createdAt + forMs }
    await this.#change(shares => [...shares, share].slice(-SHARES_MAX))
    return { share, code }
  }

  /** The newest first. */
  list(): Share[] {
    const now = this.#clock.now()
    return this.#shares.filter(({ expiresAt }) => expiresAt > now).reverse()
  }

  /** @throws SignalboxError `E_LOGIN` for a code that is unknown, expired or revoked. */
  async find(code: string): Promise<Share> {
    if (this.#shared) await this.reload()
    const hash = hashOf(code)
    const found = this.list().find(share => isSameSecret(share.hash, hash))
    if (found) return found
    throw new SignalboxError('E_LOGIN', 'this link is invalid, has expired or was revoked', {
      next: 'ask the person who sent it for a new one',
    })
  }

  /** The share that ended; null: unknown. */
  async revoke(id: string): Promise<Share | null> {
    const found = this.list().find(share => share.id === id) ?? null
    if (found) await this.#change(shares => shares.filter(share => share.id !== id))
    return found
  }

  async revokeAll(): Promise<void> {
    if (this.#shares.length > 0 || this.#shared) await this.#change(() => [])
  }

  async #change(next: (shares: readonly Share[]) => readonly Share[]): Promise<void> {
    const now = this.#clock.now()
    const live = (shares: readonly Share[]) => next(shares.filter(({ expiresAt }) => expiresAt > now))
    if (this.#shared) {
      this.#shares = await this.#shared.change<readonly Share[]>('shares', before => live(before ?? []))
      return
    }
    this.#shares = live(this.#shares)
    const text = `${JSON.stringify({ shares: this.#shares })}\n`
    const saved = this.#saving.then(() => writePrivateFile(this.#path, text))
    this.#saving = saved.catch(this.#onError)
    await saved
  }

  async #load(): Promise<void> {
    const text = await readPrivateFile(this.#path)
    if (text === null) return
    try {
      this.#shares = file.parse(JSON.parse(text)).shares
    } catch (error) {
      // With a file that cannot be read no link works; the owner makes new ones.
      this.#onError(error)
    }
  }
}
