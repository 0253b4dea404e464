import type { Clock } from '../clock/index.js'
import { newEvent } from '../events/index.js'
import type { EventStore, Projection, StreamAppend } from '../store/index.js'

/** During a lockdown, the ledger takes denials only. */
interface LockdownState {
  since: number
  by: string
  /** The daemon was stopped cleanly: its next start ends the lockdown. */
  isDaemonStopped: boolean
}

const KEY = 'lockdown'
const HOST_STREAM = 'host'

/**
 * A lockdown is kept in the log, so that it holds for every process that decides, also while no
 * daemon runs. It ends with a stop of the daemon and the start that follows. A daemon that crashed,
 * or was killed, starts into the same lockdown.
 */
export const lockdownProjection: Projection<LockdownState> = {
  name: 'lockdown',
  version: 1,
  types: ['host.locked', 'host.stopped', 'host.started'],
  key: () => KEY,
  evolve: (state, { type, at, data }) => {
    if (type === 'host.locked') return { since: state?.since ?? at, by: String(data.by), isDaemonStopped: false }
    if (type === 'host.stopped') return state && { ...state, isDaemonStopped: true }
    return state?.isDaemonStopped ? null : state
  },
}

export class Lockdown {
  readonly #store: EventStore
  readonly #clock: Clock

  constructor(store: EventStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** When it began; null if there is none. */
  async since(): Promise<number | null> {
    return (await this.#store.document<LockdownState>(lockdownProjection.name, KEY))?.state.since ?? null
  }

  async begin(by: string, grants: number): Promise<number> {
    await this.#store.append(HOST_STREAM, 'any', [newEvent('host.locked', { by, grants })])
    return (await this.since()) ?? this.#clock.now()
  }

  /**
   * Whether it is active, with a guard: an append that includes it fails when a lockdown began in
   * between. The version is read first, so that the guard can only be too strict.
   */
  async check(): Promise<{ isLocked: boolean; guard: StreamAppend }> {
    const expected = await this.#store.streamVersion(HOST_STREAM)
    return { isLocked: (await this.since()) !== null, guard: { stream: HOST_STREAM, expected, events: [] } }
  }
}
