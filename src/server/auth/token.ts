import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readPrivateFile, writePrivateFile } from './private-file.js'
import { isSameSecret } from './same-secret.js'
import { hashOf, type SharedLogins } from './shared-logins.js'

export interface TokenShare {
  logins: SharedLogins
  /** Names this server. */
  server: string
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The token for scripts: 256 random bits in `<state>/token`; readers act as the owner. */
export class Token {
  readonly #path: string
  readonly #shared: TokenShare | null
  #value: string
  /** The hashes of the tokens of all servers. */
  #all: Readonly<Record<string, string>> = {}

  private constructor(path: string, value: string, shared: TokenShare | null) {
    this.#path = path
    this.#value = value
    this.#shared = shared
  }

  /** The tokens of all servers of a shared store work on each of them. */
  static async open(stateDirectory: string, shared: TokenShare | null = null): Promise<Token> {
    const path = join(stateDirectory, 'token')
    const found = (await readPrivateFile(path))?.trim()
    const token = new Token(path, found && TOKEN.test(found) ? found : '', shared)
    if (token.#value === '') await token.rotate()
    else await token.#publish()
    return token
  }

  /**
   * Reads what other servers have changed. One that revoked all tokens wants a new one here, too.
   */
  async reload(): Promise<void> {
    if (!this.#shared) return
    this.#all = (await this.#shared.logins.read<Record<string, string>>('tokens')) ?? {}
    if (this.#all[this.#shared.server] !== hashOf(this.#value)) await this.rotate()
  }

  get path(): string {
    return this.#path
  }

  /** Invalidates the previous token. */
  async rotate(): Promise<void> {
    const value = randomBytes(32).toString('base64url')
    await writePrivateFile(this.#path, `${value}\n`)
    this.#value = value
    await this.#publish()
  }

  /** Replaces the tokens of all servers of the store; the other servers create new ones. */
  async rotateAll(): Promise<void> {
    if (this.#shared) await this.#shared.logins.change<Record<string, string>>('tokens', () => ({}))
    await this.rotate()
  }

  isCurrent(text: string): boolean {
    if (this.#value !== '' && isSameSecret(text, this.#value)) return true
    const hash = hashOf(text)
    return Object.values(this.#all).some(other => isSameSecret(other, hash))
  }

  async #publish(): Promise<void> {
    const shared = this.#shared
    if (!shared) return
    const own = { [shared.server]: hashOf(this.#value) }
    this.#all = await shared.logins.change<Record<string, string>>('tokens', before => ({ ...before, ...own }))
  }
}
