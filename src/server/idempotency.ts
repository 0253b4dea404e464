import { createHash } from 'node:crypto'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { EventStore } from '../store/index.js'

const KEPT_MS = 24 * 3_600_000
const ANSWER_MAX = 64 * 1024
/*
 * Keys are hashed to a fixed number of slots in the store with a few entries each, so the size is
 * bounded without an index and without cleaning up. A full slot drops its oldest entry.
 */
const SLOTS = 2_048
const PER_SLOT = 4

interface Answer {
  status: number
  type: string
  text: string
}

interface Kept {
  name: string
  body: string
  until: number
  /** Null if the request was started and its outcome is unknown. */
  answer: Answer | null
}

/**
 * Stores the answers to requests with an Idempotency-Key: a second request with the same key and
 * content gets the first one's answer, also after a restart of the server. The key is stored before
 * the request is performed, so a request during which the server died is never performed a second
 * time.
 */
export class Idempotency {
  readonly #store: EventStore
  readonly #clock: Clock
  readonly #underWay = new Map<string, { body: string; answer: Promise<Answer | null> }>()
  /** Slots are read and written whole, one change after the other. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * @throws SignalboxError `E_IDEMPOTENCY` if the key was used with another content, or the outcome
   * of the first request is unknown.
   */
  async performOnce(given: string, bytes: Uint8Array, perform: () => Promise<Response>): Promise<Response> {
    const name = createHash('sha256').update(given).digest('base64url')
    const body = createHash('sha256').update(bytes).digest('base64url')
    const running = this.#underWay.get(name)
    if (running) {
      refuseOther(running.body, body)
      const answer = await running.answer
      if (answer) return responseOf(answer)
      return this.performOnce(given, bytes, perform)
    }
    let settle: (answer: Answer | null) => void = () => undefined
    const settled = new Promise<Answer | null>(resolve => {
      settle = resolve
    })
    this.#underWay.set(name, { body, answer: settled })
    let answer: Answer | null = null
    try {
      const before = await this.#find(name)
      if (before) {
        refuseOther(before.body, body)
        answer = before.answer ?? refuseUnknown()
        return responseOf(answer)
      }
      const kept = { name, body, until: this.#clock.now() + KEPT_MS, answer: null }
      // Another server may have started the same request meanwhile.
      if (!(await this.#put(name, kept, { isFirst: true }))) refuseUnknown()
      const response = await perform().catch(async error => {
        await this.#put(name, null)
        throw error
      })
      // A failed request changed nothing, so it may be repeated with the same key.
      answer = await answerOf(response)
      await this.#put(name, answer && { ...kept, answer })
      return response
    } finally {
      this.#underWay.delete(name)
      settle(answer)
    }
  }

  async #find(name: string): Promise<Kept | null> {
    const now = this.#clock.now()
    return (await this.#read(name)).find(kept => kept.name === name && kept.until > now) ?? null
  }

  async #read(name: string): Promise<Kept[]> {
    return entriesOf((await this.#store.loadSnapshot(slotOf(name)))?.state)
  }

  /** Returns false if `isFirst` is set and the name exists already. */
  #put(name: string, kept: Kept | null, { isFirst = false } = {}): Promise<boolean> {
    const change = async (): Promise<boolean> => {
      for (;;) {
        const now = this.#clock.now()
        const slot = await this.#store.loadSnapshot(slotOf(name))
        const entries = entriesOf(slot?.state).filter(({ until }) => until > now)
        if (isFirst && entries.some(other => other.name === name)) return false
        const others = entries.filter(other => other.name !== name)
        const state = kept ? [...others, kept].slice(-PER_SLOT) : others
        const version = (slot?.version ?? 0) + 1
        if (await this.#store.replaceSnapshot(slotOf(name), slot?.version ?? null, { version, state })) return true
      }
    }
    const done = this.#turn.then(change)
    this.#turn = done.catch(() => undefined)
    return done
  }
}

function entriesOf(state: unknown): Kept[] {
  return Array.isArray(state) ? (state as Kept[]) : []
}

function slotOf(name: string): string {
  return `idempotency/${Buffer.from(name, 'base64url').readUInt32BE(0) % SLOTS}`
}

function refuseOther(before: string, now: string): void {
  if (before === now) return
  throw new SignalboxError('E_IDEMPOTENCY', 'this Idempotency-Key was already used for another request', {
    next: 'use a new key for a new request',
  })
}

function refuseUnknown(): never {
  throw new SignalboxError(
    'E_IDEMPOTENCY',
    'the server stopped during the request with this Idempotency-Key; its outcome is unknown',
    { next: 'check whether it took effect; to repeat it, use a new key' },
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
