import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { SignalboxError } from '../../errors/index.js'
import { readPrivateFile } from './private-file.js'

const derive = promisify(scrypt) as (
  password: string,
  salt: Buffer,
  length: number,
  options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>

/** One check takes about 60 ms and 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const HASH_BYTES = 32
const HASH = /^scrypt:([A-Za-z0-9_-]{22}):([A-Za-z0-9_-]{43})$/
const LENGTH_MIN = 12

/** `scrypt:<salt>:<hash>`, which the passphrase file may contain instead of the passphrase. */
export async function hashPassphrase(text: string): Promise<string> {
  const salt = randomBytes(16)
  return `scrypt:${salt.toString('base64url')}:${(await derive(text, salt, HASH_BYTES, COST)).toString('base64url')}`
}

/** The passphrase for logins from other machines and for step-up confirmations. */
export class Passphrase {
  readonly #salt: Buffer
  readonly #hash: Buffer

  private constructor(salt: Buffer, hash: Buffer) {
    this.#salt = salt
    this.#hash = hash
  }

  /** @throws SignalboxError `E_CONFIG` if the file is missing or the passphrase is too short. */
  static async open(path: string): Promise<Passphrase> {
    const text = (await readPrivateFile(path))?.trim()
    if (text === undefined)
      throw new SignalboxError('E_CONFIG', `the passphrase file ${path} does not exist`, {
        next: 'create it with mode 0600, or clear server.passphrase_file',
      })
    if (text.length < LENGTH_MIN)
      throw new SignalboxError(
        'E_CONFIG',
        `the passphrase in ${path} is ${text.length} characters long; the minimum is ${LENGTH_MIN}`,
        {
          next: 'choose a longer passphrase',
        },
      )
    const [, salt, hash] = HASH.exec(text) ?? HASH.exec(await hashPassphrase(text))!
    return new Passphrase(Buffer.from(salt!, 'base64url'), Buffer.from(hash!, 'base64url'))
  }

  /** As the passphrase file may contain it. */
  get hash(): string {
    return `scrypt:${this.#salt.toString('base64url')}:${this.#hash.toString('base64url')}`
  }

  /** Null for what is not a hash. */
  static fromHash(text: string): Passphrase | null {
    const [, salt, hash] = HASH.exec(text) ?? []
    return salt && hash ? new Passphrase(Buffer.from(salt, 'base64url'), Buffer.from(hash, 'base64url')) : null
  }

  async isRight(text: string): Promise<boolean> {
    return timingSafeEqual(await derive(text, this.#salt, HASH_BYTES, COST), this.#hash)
  }
}
