import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { processStart } from '../process/index.js'
import { type PtyOptions, type PtyProcess, spawnPiped, spawnPty } from '../terminal/pty/index.js'
import { createRecording, NO_RECORDING, type ReadPosition, type RecordingWriter } from '../terminal/recording/index.js'
import { Deadline } from './deadline.js'
import type {
  AttachResult,
  KeeperDeadline,
  KeeperListener,
  KeeperPort,
  KeptExit,
  KeptSession,
  SpawnRequest,
} from './port.js'

/** Output that each session keeps in memory; older output is in the recording. */
const RING_BYTES = 256 * 1024
/** Recordings, emulators and the kernel must agree on the size. */
export const SIZE_MAX = 500

interface Entry {
  info: KeptSession
  env: SpawnRequest['env']
  pty: PtyProcess
  recording: RecordingWriter
  ring: OutputRing
  listeners: Set<KeeperListener>
  startedMono: number
}

/**
 * Owns PTYs and nothing else: it starts programs, records every byte, keeps the newest output in
 * memory, and passes input on. It knows nothing about screens, agents or runs, so it rarely has a
 * reason to change or to fail.
 */
export class Keeper implements KeeperPort {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  readonly #unflushed = new Set<Entry>()
  readonly #secret = randomBytes(32).toString('base64url')
  readonly #deadline: Deadline
  #flushScheduled = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#deadline = new Deadline(clock, () => {
      const live = [...this.#entries.values()].filter(({ info }) => !info.exit)
      const leaders = live.map(({ info }) => ({
        pid: info.pid,
        processStart: processStart(info.pid),
        isRunning: () => !info.exit,
      }))
      return { ids: live.map(({ info }) => info.id), leaders }
    })
  }

  async spawn(request: SpawnRequest): Promise<KeptSession> {
    if (this.#entries.has(request.id)) throw new SignalboxError('E_STATE', `session ${request.id} exists already`)
    checkSize(request.cols, request.rows)
    if (this.#deadline.isOver)
      throw new SignalboxError('E_STATE', 'the deadline of this keeper has passed: it starts no programs')
    const startedAt = this.#clock.now()
    const env = request.inherits === undefined ? request.env : { ...this.#entry(request.inherits).env, ...request.env }
    const { cols, rows } = request
    const command = request.command ?? [request.file, ...request.args].join(' ')
    const recording =
      request.recording === null ? NO_RECORDING : createRecording(request.recording, { cols, rows, startedAt, command })
    const startedMono = this.#clock.monotonic()
    const listeners = new Set<KeeperListener>()
    const ring = new OutputRing(RING_BYTES)
    let entry: Entry | null = null
    const pty = this.#spawn(recording, {
      ...request,
      env,
      onOutput: bytes => entry && this.#output(entry, bytes),
      onExit: exit => entry && this.#exited(entry, exit),
    })
    const info: KeptSession = {
      id: request.id,
      pid: pty.pid,
      cols: request.cols,
      rows: request.rows,
      startedAt,
      recording: request.recording ?? '',
      offset: 0,
      ...(request.pipes && { pipes: true }),
      exit: null,
      recordingFailure: null,
    }
    entry = { info, env, pty, recording, ring, listeners, startedMono }
    this.#entries.set(request.id, entry)
    return { ...info }
  }

  async list(): Promise<KeptSession[]> {
    return [...this.#entries.values()].map(({ info }) => ({ ...info }))
  }

  async attach(id: string, fromOffset: number, listener: KeeperListener): Promise<AttachResult> {
    const entry = this.#entry(id)
    const missed = entry.ring.from(fromOffset)
    if (!missed) return { state: 'behind', oldestOffset: entry.ring.start }
    for (const item of missed) {
      if (item.kind === 'output') listener.output(item.bytes, item.t, item.offset)
      else listener.resized(item.cols, item.rows, item.t)
    }
    if (entry.info.recordingFailure) listener.unrecorded(entry.info.recordingFailure)
    if (entry.info.exit) listener.exited(entry.info.exit)
    else entry.listeners.add(listener)
    return { state: 'attached', detach: () => entry.listeners.delete(listener) }
  }

  async locate(id: string, offset: number): Promise<ReadPosition | null> {
    return this.#entry(id).recording.positionBefore(offset)
  }

  /** @throws SignalboxError `E_UNKNOWN` */
  async check(id: string): Promise<void> {
    this.#entry(id)
  }

  async write(id: string, bytes: Uint8Array): Promise<void> {
    const entry = this.#entry(id)
    if (entry.info.exit) return
    entry.recording.input(this.#time(entry), bytes)
    this.#flushSoon(entry)
    entry.pty.write(bytes)
  }

  async resize(id: string, cols: number, rows: number): Promise<void> {
    const entry = this.#live(id)
    checkSize(cols, rows)
    if (entry.info.cols === cols && entry.info.rows === rows) return
    const t = this.#time(entry)
    entry.info.cols = cols
    entry.info.rows = rows
    entry.recording.resize(t, cols, rows)
    entry.ring.resize(cols, rows, t)
    this.#flushSoon(entry)
    // Listeners first: their emulators need the new size before the program draws for it.
    for (const listener of entry.listeners) listener.resized(cols, rows, t)
    entry.pty.resize(cols, rows)
  }

  async signal(id: string, signal: NodeJS.Signals): Promise<void> {
    this.#live(id).pty.signal(signal)
  }

  async addMarker(id: string, label: string): Promise<void> {
    const entry = this.#entry(id)
    if (entry.info.exit) return
    entry.recording.marker(this.#time(entry), label)
    this.#flushSoon(entry)
  }

  async secret(): Promise<string> {
    return this.#secret
  }

  async setDeadline(deadline: KeeperDeadline): Promise<boolean> {
    const { ms, steps } = deadline
    const isMark = (step: unknown) => typeof step === 'string' && /^[^/]+\/./.test(step)
    if (!Number.isFinite(ms) || !Array.isArray(steps) || !steps.every(isMark))
      throw new SignalboxError('E_INPUT', 'a deadline has milliseconds and names of steps')
    this.#deadline.renew(deadline)
    return true
  }

  async forget(id: string): Promise<void> {
    if (this.#entry(id).info.exit) this.#entries.delete(id)
  }

  /** Hangs up every running program, as a terminal does when it is closed. */
  async close(): Promise<void> {
    this.#deadline.close()
    for (const { info, pty, recording } of this.#entries.values()) {
      if (!info.exit) pty.signal('SIGHUP')
      recording.flush()
    }
  }

  /** It has programs, or processes to end when its deadline passes. */
  get isNeeded(): boolean {
    return this.#deadline.isPending || [...this.#entries.values()].some(({ info }) => !info.exit)
  }

  /** A program that could not be started leaves no empty recording. */
  #spawn(recording: RecordingWriter, options: PtyOptions & Pick<SpawnRequest, 'pipes'>): PtyProcess {
    try {
      return options.pipes ? spawnPiped(options) : spawnPty(options)
    } catch (error) {
      recording.close()
      if (recording.path !== null) rmSync(recording.path, { force: true })
      throw error
    }
  }

  #output(entry: Entry, bytes: Uint8Array): void {
    const t = this.#time(entry)
    const offset = entry.ring.end
    entry.recording.output(t, bytes)
    this.#flushSoon(entry)
    entry.ring.output(bytes, t)
    entry.info.offset = entry.ring.end
    for (const listener of entry.listeners) listener.output(bytes, t, offset)
  }

  #exited(entry: Entry, exit: { code: number | null; signal: string | null }): void {
    const kept: KeptExit = { ...exit, t: this.#time(entry) }
    entry.recording.exit(kept.t, exit)
    entry.recording.close()
    this.#unflushed.delete(entry)
    this.#noticeFailure(entry)
    entry.info.exit = kept
    for (const listener of entry.listeners) listener.exited(kept)
    entry.listeners.clear()
  }

  /** One write per round of the event loop for all output of that round. */
  #flushSoon(entry: Entry): void {
    this.#unflushed.add(entry)
    if (this.#flushScheduled) return
    this.#flushScheduled = true
    setImmediate(() => {
      this.#flushScheduled = false
      for (const waiting of this.#unflushed) {
        waiting.recording.flush()
        this.#noticeFailure(waiting)
      }
      this.#unflushed.clear()
    })
  }

  #noticeFailure({ info, recording, listeners }: Entry): void {
    if (!recording.failure || info.recordingFailure) return
    const { code, message } = recording.failure as NodeJS.ErrnoException
    info.recordingFailure = { code: code ?? 'UNKNOWN', message }
    for (const listener of listeners) listener.unrecorded(info.recordingFailure)
  }

  #time(entry: Entry): number {
    return Math.round((this.#clock.monotonic() - entry.startedMono) * 1000) / 1e6
  }

  #entry(id: string): Entry {
    const entry = this.#entries.get(id)
    if (!entry) throw new SignalboxError('E_UNKNOWN', `the keeper has no session ${id}`)
    return entry
  }

  #live(id: string): Entry {
    const entry = this.#entry(id)
    if (entry.info.exit) throw new SignalboxError('E_STATE', `session ${id} has exited`)
    return entry
  }
}

function checkSize(cols: number, rows: number): void {
  const fits = (value: number) => Number.isInteger(value) && value >= 1 && value <= SIZE_MAX
  if (!fits(cols) || !fits(rows))
    throw new SignalboxError(
      'E_INPUT',
      `the size ${cols}×${rows} is not supported: columns and rows are 1 to ${SIZE_MAX}`,
    )
}

export type RingItem =
  | { kind: 'output'; bytes: Uint8Array; t: number; offset: number }
  | { kind: 'resize'; cols: number; rows: number; t: number; offset: number }

/**
 * The newest output of a session with its times, and the resizes between, so that a host that
 * reconnects need not read them from disk. A resize has the offset of the byte that follows it;
 * replaying one that the host has already applied changes nothing.
 */
export class OutputRing {
  readonly #capacity: number
  #items: RingItem[] = []
  #size = 0
  #end = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  output(bytes: Uint8Array, t: number): void {
    this.#items.push({ kind: 'output', bytes, t, offset: this.#end })
    this.#end += bytes.length
    this.#size += bytes.length
    let drop = 0
    for (let item = this.#items[0]!; this.#size - sizeOf(item) >= this.#capacity; item = this.#items[drop]!) {
      this.#size -= sizeOf(item)
      drop++
    }
    if (drop > 0) this.#items.splice(0, drop)
  }

  resize(cols: number, rows: number, t: number): void {
    this.#items.push({ kind: 'resize', cols, rows, t, offset: this.#end })
  }

  /** The offset after the newest byte. */
  get end(): number {
    return this.#end
  }

  /** The offset of the oldest byte in memory. */
  get start(): number {
    return this.#items[0]?.offset ?? this.#end
  }

  /** Everything from an offset on; null when older bytes are requested. */
  from(offset: number): RingItem[] | null {
    if (offset < this.start || offset > this.#end) return null
    const found: RingItem[] = []
    for (const item of this.#items) {
      const skip = offset - item.offset
      if (skip <= 0) found.push(item)
      else if (skip < sizeOf(item) && item.kind === 'output')
        found.push({ ...item, bytes: item.bytes.subarray(skip), offset })
    }
    return found
  }
}

function sizeOf(item: RingItem): number {
  return item.kind === 'output' ? item.bytes.length : 0
}
