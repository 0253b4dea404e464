/**
 * Says when a run needs a turn. An engine holds no truth: everything about a run is in its
 * journal, so an engine may lose what it knows, call twice, or call late. `StoreEngine` is the
 * engine of one server, and the fallback of every other engine.
 */
export interface RunEngine {
  /** Calls `turn` for every run that needs one, from now on. */
  start(turn: (run: string) => Promise<TurnResult>): Promise<void>
  /** Gives a run a turn, now or at a time. */
  wake(run: string, at?: number): Promise<void>
  /** Gives this run, or every open one, a turn. Returns how many. */
  rebuild(run?: string): Promise<number>
  status(): Promise<EngineStatus>
  close(): Promise<void>
}

export interface TurnResult {
  /** When the next turn is due even if nothing happens; null if only after an event. */
  againAt: number | null
}

export type EngineKind = 'embedded' | 'store' | 'restate'

export interface EngineStatus {
  kind: EngineKind
  /** Whether this process picks up runs; false while another one does. */
  isActive: boolean
  /** Whether Restate answers; the servers take turns by themselves while it does not. */
  isAnswering?: boolean
  /** Turns in progress. */
  turns: number
  /** Runs whose last turn failed, and when they are tried again. */
  failing: { run: string; retryAt: number }[]
}
