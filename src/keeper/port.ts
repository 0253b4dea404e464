/**
 * What a host sees of the keeper: the owner of the PTYs. In process for a foreground command, behind a socket for the daemon;
 * both are this interface, so that a host cannot tell.
 */
export interface KeeperPort {
  spawn(request: SpawnRequest): Promise<KeptSession>
  list(): Promise<KeptSession[]>
  /**
   * Streams output from `fromOffset` on, then resizes and the exit, in their order. What no longer is in memory is in the recording:
   * then the answer is `behind` and nothing is streamed.
   */
  attach(id: string, fromOffset: number, listener: KeeperListener): Promise<AttachResult>
  /** Keys for a program that has exited reach nobody, as in any terminal; an unknown id is refused. */
  write(id: string, bytes: Uint8Array): Promise<void>
  resize(id: string, cols: number, rows: number): Promise<void>
  signal(id: string, signal: NodeJS.Signals): Promise<void>
  /** Writes a marker into the recording. */
  mark(id: string, label: string): Promise<void>
  /** Drops what is kept of a session that has exited. */
  forget(id: string): Promise<void>
  close(): Promise<void>
}

export interface SpawnRequest {
  id: string
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  cols: number
  rows: number
  recording: string
}

export interface KeptSession {
  id: string
  pid: number
  cols: number
  rows: number
  /** Milliseconds since the epoch. */
  startedAt: number
  recording: string
  /** Bytes of output so far. */
  offset: number
  exit: KeptExit | null
  /** Why the recording ends before the session does; null while it is written. */
  recordingFailure: RecordingFailure | null
}

export interface RecordingFailure {
  code: string
  message: string
}

export interface KeptExit {
  code: number | null
  signal: string | null
  /** Seconds since the session's start. */
  t: number
}

export interface KeeperListener {
  /** `offset` is that of the first byte; `t` the seconds since the session's start at which the bytes were read. */
  output(bytes: Uint8Array, t: number, offset: number): void
  resized(cols: number, rows: number, t: number): void
  exited(exit: KeptExit): void
  /** The listener was too slow and has been cut off at this offset: read on from the recording and attach again. */
  lagging(offset: number): void
  /** From here on nothing is recorded (a full disk, say); the session goes on. */
  unrecorded(failure: RecordingFailure): void
}

export type AttachResult = { state: 'attached'; detach(): void } | { state: 'behind'; oldestOffset: number }
