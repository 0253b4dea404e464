/**
 * Says when a run must be looked at. An engine holds no truth: everything about a run is in its
 * journal, so an engine may lose what it knows, call twice, or call late. `StoreEngine` is the
 * engine of one server, and the net under every other engine.
 */
export interface RunEngine {
  /** Calls `turn` for every run that needs one, from now on. */
  start(turn: (run: string) => Promise<TurnResult>): Promise<void>
  /** Looks at a run, now or at a time. */
  poke(run: string, at?: number): Promise<void>
  /** Looks at this run, or at every open one. Returns how many. */
  rebuild(run?: string): Promise<number>
  status(): Promise<EngineStatus>
  close(): Promise<void>
}

export interface TurnResult {
  /** When to look again even if nothing happens; null: only after an event. */
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
