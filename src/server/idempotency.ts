import { createHash } from 'node:crypto'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore } from '../store/index.js'

const KEPT_MS = 24 * 3_600_000
const ANSWER_MAX = 64 * 1024
/*
 * Names are spread over a fixed number of places in the store, each for a few: what is kept is bounded without a list of it and without
 * anything that must be swept. A place that is full forgets its oldest.
 */
const PLACES = 2_048
const PER_PLACE = 4

interface Answer {
  status: number
  type: string
  text: string
}

interface Kept {
  name: string
  body: string
  until: number
  /** Null: it was begun, and whether it was done is not known here. */
  answer: Answer | null
}

/**
 * Answers of writes that named themselves, kept in the store: a second one of the same name and content gets the first one's answer, also
 * from a server that was started again in between. A write is noted before it is begun, so that one during which the server died is never
 * done a second time unasked.
 */
export class Idempotency {
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #underWay = new Map<string, { body: string; answer: Promise<Answer | null> }>()
  /** Places are read and written whole, one change after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * @throws SignalboxError `E_IDEMPOTENCY` for another content under the same name, or for one whose outcome nobody knows.
   */
  async once(given: string, bytes: Uint8Array, perform: () => Promise<Response>): Promise<Response> {
    const name = createHash('sha256').update(given).digest('base64url')
    const body = createHash('sha256').update(bytes).digest('base64url')
    const running = this.#underWay.get(name)
    if (running) {
      refuseOther(running.body, body)
      const answer = await running.answer
      if (answer) return responseOf(answer)
      return this.once(given, bytes, perform)
    }
    let tell: (answer: Answer | null) => void = () => undefined
    const told = new Promise<Answer | null>(resolve => {
      tell = resolve
    })
    this.#underWay.set(name, { body, answer: told })
    let answer: Answer | null = null
    try {
      const before = await this.#find(name)
      if (before) {
        refuseOther(before.body, body)
        answer = before.answer ?? refuseUnknown()
        return responseOf(answer)
      }
      const kept = { name, body, until: this.#clock.now() + KEPT_MS, answer: null }
      await this.#put(name, kept)
      const response = await perform().catch(async error => {
        await this.#put(name, null)
        throw error
      })
      // What fails did nothing, so it may be tried again under its name.
      answer = await answerOf(response)
      await this.#put(name, answer && { ...kept, answer })
      return response
    } finally {
      this.#underWay.delete(name)
      tell(answer)
    }
  }

  async #find(name: string): Promise<Kept | null> {
    const now = this.#clock.now()
    return (await this.#read(name)).find(kept => kept.name === name && kept.until > now) ?? null
  }

  async #read(name: string): Promise<Kept[]> {
    const snapshot = await this.#store.loadSnapshot(placeOf(name))
    return Array.isArray(snapshot?.state) ? (snapshot.state as Kept[]) : []
  }

  #put(name: string, kept: Kept | null): Promise<void> {
    const change = async () => {
      const now = this.#clock.now()
      const others = (await this.#read(name)).filter(other => other.name !== name && other.until > now)
      const state = kept ? [...others, kept].slice(-PER_PLACE) : others
      if (state.length > 0) await this.#store.saveSnapshot(placeOf(name), { version: 1, state })
      else await this.#store.deleteSnapshot(placeOf(name))
    }
    const done = this.#turn.then(change)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

function placeOf(name: string): string {
  return `idempotency/${Buffer.from(name, 'base64url').readUInt32BE(0) % PLACES}`
}

function refuseOther(before: string, now: string): void {
  if (before === now) return
  throw new SignalboxError('E_IDEMPOTENCY', 'another request was sent under this Idempotency-Key', {
    next: 'use a new key for a new request',
  })
}

function refuseUnknown(): never {
  throw new SignalboxError(
    'E_IDEMPOTENCY',
    'the server ended while it did what this Idempotency-Key names; whether it was done is not known',
    { next: 'look whether it was done; to do it again, use a new key' },
  )
}

function responseOf({ status, type, text }: Answer): Response {
  return new Response(text, { status, headers: { 'content-type': type } })
}

async function answerOf(response: Response): Promise<Answer | null> {
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || !type.includes('json')) return null
  const text = await response.clone().text()
  return text.length > ANSWER_MAX ? null : { status: response.status, type, text }
}
