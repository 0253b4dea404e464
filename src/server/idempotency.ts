import { createHash } from 'node:crypto'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'

const KEPT_MS = 24 * 3_600_000
const MOST = 2_000
const ANSWER_MAX = 256 * 1024

interface Kept {
  body: string
  answer: Promise<{ status: number; type: string; text: string } | null>
  until: number
}

/** Answers of writes that named themselves: a second one of the same name and content gets the first one's answer. */
export class Idempotency {
  readonly #clock: Clock
  readonly #kept = new Map<string, Kept>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @throws SignalboxError `E_IDEMPOTENCY` for another content under the same name. */
  async once(name: string, body: Uint8Array, perform: () => Promise<Response>): Promise<Response> {
    const now = this.#clock.monotonic()
    for (const [key, { until }] of this.#kept) {
      if (until > now && this.#kept.size <= MOST) break
      this.#kept.delete(key)
    }
    const hash = createHash('sha256').update(body).digest('hex')
    const before = this.#kept.get(name)
    if (before && before.body !== hash)
      throw new SignalboxError('E_IDEMPOTENCY', 'another request was sent under this Idempotency-Key', {
        next: 'use a new key for a new request',
      })
    const kept = await before?.answer
    if (kept) return new Response(kept.text, { status: kept.status, headers: { 'content-type': kept.type } })
    const response = perform()
    // What fails did nothing, so it may be tried again under its name.
    const answer = response.then(keep).catch(() => null)
    this.#kept.set(name, { body: hash, answer, until: now + KEPT_MS })
    if ((await answer) === null) this.#kept.delete(name)
    return response
  }
}

async function keep(response: Response): Promise<{ status: number; type: string; text: string } | null> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !type.includes('json')) return null
  const text = await response.clone().text()
  return text.length > ANSWER_MAX ? null : { status: response.status, type, text }
}
