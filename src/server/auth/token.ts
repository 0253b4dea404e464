import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readPrivateFile, writePrivateFile } from './private-file.js'
import { isSameSecret } from './same-secret.js'

const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The token for scripts: 256 random bits in `<state>/token`; readers act as the owner. */
export class Token {
  readonly #path: string
  #value: string

  private constructor(path: string, value: string) {
    this.#path = path
    this.#value = value
  }

  static async open(stateDirectory: string): Promise<Token> {
    const path = join(stateDirectory, 'token')
    const found = (await readPrivateFile(path))?.trim()
    if (found && TOKEN.test(found)) return new Token(path, found)
    const token = new Token(path, '')
    await token.rotate()
    return token
  }

  get path(): string {
    return this.#path
  }

  /** Invalidates the previous token. */
  async rotate(): Promise<void> {
    const value = randomBytes(32).toString('base64url')
    await writePrivateFile(this.#path, `${value}\n`)
    this.#value = value
  }

  isCurrent(text: string): boolean {
    return this.#value !== '' && isSameSecret(text, this.#value)
  }
}
