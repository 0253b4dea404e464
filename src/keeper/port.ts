import type { ReadPosition } from '../terminal/recording/index.js'

/**
 * The interface of the keeper, the owner of the PTYs. A foreground command has it in its own
 * process, the daemon behind a socket; a host cannot tell the difference.
 */
export interface KeeperPort {
  spawn(request: SpawnRequest): Promise<KeptSession>
  list(): Promise<KeptSession[]>
  /**
   * Streams output from `fromOffset` on, with resizes and the exit, in order. Output that is no
   * longer in memory is in the recording: then the result is `behind` and nothing is streamed.
   */
  attach(id: string, fromOffset: number, listener: KeeperListener): Promise<AttachResult>
  /**
   * Where to read the recording from, for the output from `offset` on; null: from its start. A
   * keeper of an earlier version always says so.
   */
  locate(id: string, offset: number): Promise<ReadPosition | null>
  /**
   * Keys for a program that has exited are dropped, as in any terminal; an unknown id is refused.
   */
  write(id: string, bytes: Uint8Array): Promise<void>
  resize(id: string, cols: number, rows: number): Promise<void>
  signal(id: string, signal: NodeJS.Signals): Promise<void>
  /** Writes a marker into the recording. */
  addMarker(id: string, label: string): Promise<void>
  /**
   * A random secret that only this keeper and its hosts know, as long as it lives. Null from a
   * keeper of an earlier version.
   */
  secret(): Promise<string | null>
  /**
   * Unless it is renewed in time, ends all programs (TERM, then KILL after a grace period) and
   * refuses new ones. False from a keeper of an earlier version, which has no deadlines.
   */
  setDeadline(deadline: KeeperDeadline): Promise<boolean>
  /** Drops the data of a session that has exited. */
  forget(id: string): Promise<void>
  close(): Promise<void>
}

export interface KeeperDeadline {
  /** From now on, by the steady clock of the keeper. */
  ms: number
  /**
   * Marks of processes that the host itself started, `<run>/<step>`: they end with the programs.
   */
  steps: readonly string[]
}

export interface SpawnRequest {
  id: string
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** A session whose environment it gets too; `env` comes first. */
  inherits?: string
  cols: number
  rows: number
  /** Null: only the newest output is kept, in memory. */
  recording: string | null
  /** The command line that the recording names; by default `file` and `args`. */
  command?: string
  /** On pipes instead of a PTY, for a program that speaks a protocol of lines. */
  pipes?: true
}

export interface KeptSession {
  id: string
  pid: number
  cols: number
  rows: number
  /** Milliseconds since the epoch. */
  startedAt: number
  /** Empty if it is not recorded. */
  recording: string
  /** Bytes of output so far. */
  offset: number
  /** On pipes instead of a PTY. */
  pipes?: true
  exit: KeptExit | null
  /** Why the recording ended before the session; null while it is written. */
  recordingFailure: RecordingFailure | null
}

export interface RecordingFailure {
  code: string
  message: string
}

export interface KeptExit {
  code: number | null
  signal: string | null
  /** Seconds since the start of the session. */
  t: number
}

export interface KeeperListener {
  /** `offset`: of the first byte; `t`: when it was read, in seconds since the start. */
  output(bytes: Uint8Array, t: number, offset: number): void
  resized(cols: number, rows: number, t: number): void
  exited(exit: KeptExit): void
  /** The listener was too slow: it continues from the recording and attaches again. */
  lagging(offset: number): void
  /** From now on nothing is recorded (for example on a full disk); the session continues. */
  unrecorded(failure: RecordingFailure): void
}

export type AttachResult = { state: 'attached'; detach(): void } | { state: 'behind'; oldestOffset: number }
