import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { type ButtonToken, telegramTokensProjection } from '../../host/index.js'
import type { EventStore, StreamAppend } from '../../store/index.js'

/** Marks our buttons; 128 random bits follow. 25 bytes of the 64 that a button may carry. */
const PREFIX = 's1.'
const RANDOM_BYTES = 16
const LIFE_MS = 14 * 86_400_000

interface TokenSpec {
  chat: number
  subject: string
  /** What a press does: stored with the token, never sent. */
  act: Record<string, unknown>
  /** The accounts that may press. */
  people: readonly number[]
}

/** Button tokens: random, and good for one press by an account that may. */
export class ButtonTokens {
  readonly #store: EventStore
  readonly #clock: Clock

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** A new token, and what must be written with the message that carries it. */
  make({ chat, subject, act, people }: TokenSpec): { data: string; append: StreamAppend } {
    const data = `${PREFIX}${randomBytes(RANDOM_BYTES).toString('base64url')}`
    const made = newEvent('telegram.token-made', {
      chat,
      subject,
      act,
      people: [...people],
      expires: this.#clock.now() + LIFE_MS,
    })
    return { data, append: { stream: streamOf(data), expected: 0, events: [made] } }
  }

  /** Null for a token that this store did not make. */
  async find(data: string): Promise<ButtonToken | null> {
    if (!/^s1\.[\w-]{22}$/.test(data)) return null
    return (await this.#store.document<ButtonToken>(telegramTokensProjection.name, keyOf(data)))?.state ?? null
  }

  /**
   * What must be written together with the effect of the press, so that both happen or neither.
   * @throws SignalboxError `E_TOKEN_USED` when another press was faster
   */
  async use(data: string, press: { by: number; update: number; result: string }): Promise<StreamAppend> {
    const token = await this.find(data)
    if (!token || token.used)
      throw new SignalboxError('E_TOKEN_USED', 'this button has been used', { next: 'see the newest message' })
    return { stream: streamOf(data), expected: 1, events: [newEvent('telegram.token-used', press)] }
  }

  isExpired({ expires }: ButtonToken): boolean {
    return this.#clock.now() >= expires
  }
}

function keyOf(data: string): string {
  return createHash('sha256').update(data).digest('hex')
}

function streamOf(data: string): string {
  return `telegram/token/${keyOf(data)}`
}
