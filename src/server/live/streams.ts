import { SignalboxError } from '../../errors/index.js'
import type { Credential } from '../caller.js'

export interface OpenStream {
  kind: 'events' | 'terminal'
  who: Credential
  /** The panes and sessions that its subscribers watch; null for a terminal. */
  watched: Watched | null
  end(reason: string): void
}

/** All open event streams and terminals. Revoking a credential ends its streams at once. */
export class Streams {
  readonly #open = new Map<string, OpenStream>()
  readonly #limits: Readonly<Record<OpenStream['kind'], number>>

  constructor(limits: Record<OpenStream['kind'], number>) {
    this.#limits = limits
  }

  /** @throws SignalboxError `E_LIMIT`; the owner's socket is not counted. */
  add(id: string, stream: OpenStream): void {
    if (stream.who.kind !== 'socket' && this.count(stream.kind) >= this.#limits[stream.kind])
      throw new SignalboxError(
        'E_LIMIT',
        `too many ${LABEL[stream.kind]} are open; the limit is ${this.#limits[stream.kind]}`,
        {
          next: `close one, or raise ${SETTING[stream.kind]}`,
        },
      )
    this.#open.set(id, stream)
  }

  remove(id: string): void {
    this.#open.delete(id)
  }

  get(id: string): OpenStream | null {
    return this.#open.get(id) ?? null
  }

  all(): OpenStream[] {
    return [...this.#open.values()]
  }

  count(kind: OpenStream['kind']): number {
    return this.all().filter(stream => stream.kind === kind && stream.who.kind !== 'socket').length
  }

  endDevice(device: string): void {
    this.#end(({ who }) => who.kind === 'device' && who.device.id === device, 'revoked')
  }

  endToken(): void {
    this.#end(({ who }) => who.kind === 'token', 'revoked')
  }

  endAll(reason: string): void {
    this.#end(() => true, reason)
  }

  #end(isAffected: (stream: OpenStream) => boolean, reason: string): void {
    for (const stream of this.all()) if (isAffected(stream)) stream.end(reason)
  }
}

const LABEL = { events: 'event streams', terminal: 'terminals' } as const
const SETTING = { events: 'server.max_streams', terminal: 'server.max_terminals' } as const

/** Tabs of one browser share one stream. Beyond this number the oldest ones are forgotten. */
const VIEWERS_MAX = 32

export interface WatchedItems {
  panes: readonly string[]
  sessions: readonly string[]
}

/**
 * What the subscribers of one stream watch: panes whose previews they want, and sessions whose
 * provisional text they want. Each subscriber sets its own items; the stream carries the union.
 */
export class Watched {
  readonly #byViewer = new Map<string, WatchedItems>()
  #panes: ReadonlySet<string> = new Set()
  #sessions: ReadonlySet<string> = new Set()

  set(viewer: string, items: WatchedItems): void {
    this.#byViewer.delete(viewer)
    if (items.panes.length + items.sessions.length > 0) this.#byViewer.set(viewer, items)
    // The viewer that was silent for longest has probably closed its tab.
    for (const oldest of this.#byViewer.keys()) {
      if (this.#byViewer.size <= VIEWERS_MAX) break
      this.#byViewer.delete(oldest)
    }
    const all = [...this.#byViewer.values()]
    this.#panes = new Set(all.flatMap(({ panes }) => panes))
    this.#sessions = new Set(all.flatMap(({ sessions }) => sessions))
  }

  get panes(): ReadonlySet<string> {
    return this.#panes
  }

  get sessions(): ReadonlySet<string> {
    return this.#sessions
  }
}
