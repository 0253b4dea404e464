import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { encryptPush, endpointId, newVapidKeys, type PushKeys, type VapidKeys, vapidHeader } from './encrypt.js'

/** What a browser shows; the service worker of the dashboard reads it. */
export interface PushPayload {
  title: string
  body: string
  /** Equal tags replace each other. */
  tag: string
  /** A path of the dashboard. */
  url: string
  approval?: string
  /** The buttons that the notification may have. */
  answers?: ('allow' | 'deny')[]
}

export interface PushSubscriptionRecord {
  id: string
  person: string
  /** The browser's own name for itself. */
  device: string
  endpoint: string
  keys: PushKeys
  at: number
}

const record = z.object({
  id: z.string(),
  person: z.string(),
  device: z.string(),
  endpoint: z.string(),
  keys: z.object({ p256dh: z.string(), auth: z.string() }),
  at: z.number(),
})
const stored = z.object({
  keys: z.object({ publicKey: z.string(), privateKey: z.string() }),
  subscriptions: z.array(record),
})

interface PushServiceOptions {
  /** The directory of the file with keys and subscriptions. */
  directory: string
  clock: Pick<Clock, 'now'>
  onError(error: unknown): void
  fetch?: typeof fetch
}

const FILE = 'push.json'
const SUBJECT = 'mailto:signalbox@localhost'
const SUBSCRIPTIONS_MAX = 100
const TTL_S = 24 * 3600
const TIMEOUT_MS = 15_000

/** Sends notifications to the browsers that asked for them, also while the dashboard is closed. */
export class PushService {
  readonly #options: PushServiceOptions
  #state: { keys: VapidKeys; subscriptions: PushSubscriptionRecord[] } | null = null

  constructor(options: PushServiceOptions) {
    this.#options = options
  }

  get publicKey(): string {
    return this.#loaded().keys.publicKey
  }

  get count(): number {
    return this.#loaded().subscriptions.length
  }

  list(): readonly PushSubscriptionRecord[] {
    return this.#loaded().subscriptions
  }

  /** @throws SignalboxError `E_INPUT` */
  subscribe(wanted: Omit<PushSubscriptionRecord, 'id' | 'at'>): PushSubscriptionRecord {
    checkEndpoint(wanted.endpoint)
    if (Buffer.from(wanted.keys.p256dh, 'base64url').length !== 65)
      throw new SignalboxError('E_INPUT', 'keys.p256dh is not a P-256 point', {
        next: 'subscribe again in the browser',
      })
    const made = { ...wanted, id: endpointId(wanted.endpoint), at: this.#options.clock.now() }
    const others = this.#loaded().subscriptions.filter(({ id }) => id !== made.id)
    this.#save([...others.slice(-(SUBSCRIPTIONS_MAX - 1)), made])
    return made
  }

  unsubscribe(id: string): boolean {
    const kept = this.#loaded().subscriptions.filter(known => known.id !== id)
    if (kept.length === this.count) return false
    this.#save(kept)
    return true
  }

  /** A browser that no longer wants messages is forgotten. */
  async send(payload: PushPayload): Promise<{ sent: number; failed: number }> {
    const { subscriptions } = this.#loaded()
    const results = await Promise.all(subscriptions.map(subscription => this.#sendTo(subscription, payload)))
    const gone = new Set(subscriptions.filter((_, index) => results[index] === 'gone').map(({ id }) => id))
    if (gone.size > 0) this.#save(this.#loaded().subscriptions.filter(({ id }) => !gone.has(id)))
    const sent = results.filter(result => result === 'sent').length
    return { sent, failed: results.length - sent }
  }

  async #sendTo({ endpoint, keys }: PushSubscriptionRecord, payload: PushPayload): Promise<'sent' | 'gone' | 'failed'> {
    const { clock, onError } = this.#options
    try {
      const response = await (this.#options.fetch ?? fetch)(endpoint, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(TTL_S),
          urgency: 'high',
          topic: endpointId(payload.tag),
          authorization: vapidHeader(endpoint, this.#loaded().keys, { now: clock.now(), subject: SUBJECT }),
        },
        body: Uint8Array.from(encryptPush(Buffer.from(JSON.stringify(payload)), keys)),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.arrayBuffer()
      if (response.status === 404 || response.status === 410) return 'gone'
      if (response.ok) return 'sent'
      onError(new Error(`the push service ${new URL(endpoint).host} answered ${response.status}`))
    } catch (error) {
      onError(error)
    }
    return 'failed'
  }

  #loaded() {
    if (this.#state) return this.#state
    const file = join(this.#options.directory, FILE)
    try {
      this.#state = stored.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
      // An unreadable file is kept: its browsers must subscribe again, but nothing is overwritten.
      if (!isMissing) {
        this.#options.onError(error)
        renameSync(file, `${file}.unreadable-${this.#options.clock.now()}`)
      }
      this.#state = { keys: newVapidKeys(), subscriptions: [] }
      this.#save([])
    }
    return this.#state
  }

  #save(subscriptions: PushSubscriptionRecord[]): void {
    const file = join(this.#options.directory, FILE)
    this.#state = { keys: this.#state!.keys, subscriptions }
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, `${JSON.stringify(this.#state, null, 2)}\n`, { mode: 0o600 })
    renameSync(draft, file)
  }
}

/** Push services are on the web; plain HTTP is for this machine only. */
function checkEndpoint(endpoint: string): void {
  const { protocol, hostname } = new URL(endpoint)
  const isHere = hostname === '127.0.0.1' || hostname === 'localhost'
  if (protocol === 'https:' || (protocol === 'http:' && isHere)) return
  throw new SignalboxError('E_INPUT', `the address of a push service begins with https, not ${protocol}`)
}
