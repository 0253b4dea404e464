import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Clock, Timer } from '../clock/index.js'
import type { LiveSession, SessionSnapshot } from '../sessions/index.js'

/** Reading fewer new bytes and frames again is faster than writing a snapshot. */
const BYTES_MIN = 64 * 1024
const FRAMES_MIN = 100
/**
 * A large snapshot waits for more frames, so that a step of a long turn does not write more than
 * one of a short turn; but not for more than are read again within a second.
 */
const BYTES_PER_FRAME = 50
const FRAMES_MAX = 1_000
/**
 * Reading this many bytes again takes about half a second: they are not left for the next round.
 */
const BYTES_MAX = 4 * 1024 * 1024
/** How often sessions are checked for that. */
const CHECK_MS = 1_000
/** How long a host that closes writes snapshots. */
const CLOSE_MS = 1_500

/** The pause between two snapshots of one round. */
const PAUSE_MS = 50

/**
 * Saves the state of live sessions on disk, so that the next host need not read a long recording
 * from its first byte. It is a cache: a snapshot that is missing, damaged or from another version
 * costs time and nothing else.
 */
export class SessionSnapshots {
  readonly #directory: string
  readonly #clock: Clock
  readonly #sessions: () => Iterable<LiveSession>
  readonly #onError: (error: unknown) => void
  readonly #everyMs: number
  readonly #saved = new Map<string, { offset: number; frame: number; at: number; size: number }>()
  readonly #startedAt: number
  #timer: Timer | null = null

  constructor(
    directory: string,
    clock: Clock,
    sessions: () => Iterable<LiveSession>,
    onError: (error: unknown) => void,
    everyMs: number,
  ) {
    this.#directory = directory
    this.#clock = clock
    this.#sessions = sessions
    this.#onError = onError
    this.#everyMs = everyMs
    this.#startedAt = clock.monotonic()
    this.#schedule()
  }

  load(id: string): SessionSnapshot | null {
    try {
      const bytes = readFileSync(this.#file(id))
      const { frame, ...snapshot } = parseSnapshot(bytes)
      this.#saved.set(id, { offset: snapshot.offset, frame, at: this.#clock.monotonic(), size: bytes.length })
      return snapshot
    } catch {
      return null
    }
  }

  /**
   * How many bytes of output the snapshot covers, without reading all of it; 0 if there is none.
   */
  offsetOf(id: string): number {
    try {
      const file = openSync(this.#file(id), 'r')
      try {
        const head = Buffer.alloc(HEAD_BYTES)
        const text = head.toString('utf8', 0, readSync(file, head, 0, HEAD_BYTES, 0))
        const [, format, offset] = HEAD.exec(text) ?? []
        return Number(format) === FORMAT ? Number(offset) : 0
      } finally {
        closeSync(file)
      }
    } catch {
      return 0
    }
  }

  /**
   * The host closes: the next one finds the state of now, as far as there is time to write it. A
   * session is saved when all its effects are in the log: the next host does not repeat them.
   */
  async saveAll(): Promise<void> {
    const until = this.#clock.monotonic() + CLOSE_MS
    const saving = [...this.#sessions()].map(async session => {
      await session.effectsDone()
      const isNew = session.offset > (this.#saved.get(session.id)?.offset ?? 0)
      if (isNew && !session.exit && this.#clock.monotonic() < until)
        await new Promise<void>(resolve => this.#save(session, resolve))
    })
    await new Promise<void>(resolve => {
      const timer = this.#clock.setTimer(CLOSE_MS, resolve)
      void Promise.all(saving).then(() => {
        timer.cancel()
        resolve()
      })
    })
  }

  forget(id: string): void {
    this.#saved.delete(id)
    rmSync(this.#file(id), { force: true })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(Math.min(CHECK_MS, this.#everyMs), () => {
      this.#saveInTurn([...this.#sessions()].filter(session => this.#isDue(session)))
    })
  }

  #isDue({ id, offset, frame }: LiveSession): boolean {
    const saved = this.#saved.get(id) ?? { offset: 0, frame: 0, at: this.#startedAt, size: 0 }
    const bytes = offset - saved.offset
    const isOld = this.#clock.monotonic() - saved.at >= this.#everyMs
    const frames = (frame?.seq ?? 0) - saved.frame
    const framesDue = Math.min(FRAMES_MAX, Math.max(FRAMES_MIN, saved.size / BYTES_PER_FRAME))
    return bytes >= BYTES_MAX || (isOld && (bytes >= BYTES_MIN || frames >= framesDue))
  }

  /** One at a time with a pause: a hundred at once would stop every terminal. */
  #saveInTurn(due: readonly LiveSession[]): void {
    const [next, ...others] = due
    // A session that has ended meanwhile is not saved again.
    if (next && [...this.#sessions()].includes(next)) this.#save(next)
    if (others.length === 0) return this.#schedule()
    this.#timer = this.#clock.setTimer(PAUSE_MS, () => this.#saveInTurn(others))
  }

  #save(session: LiveSession, done: () => void = () => undefined): void {
    session.snapshot(snapshot => {
      // A session that has ended meanwhile is not saved again.
      if (!session.exit) this.#write(session.id, snapshot, session.frame?.seq ?? 0)
      done()
    }, done)
  }

  #write(id: string, snapshot: SessionSnapshot, frame: number): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      const file = this.#file(id)
      const bytes = snapshotBytes(snapshot, frame)
      writeFileSync(`${file}.new`, bytes, { mode: 0o600 })
      renameSync(`${file}.new`, file)
      this.#saved.set(id, { offset: snapshot.offset, frame, at: this.#clock.monotonic(), size: bytes.length })
    } catch (error) {
      this.#onError(error)
    }
  }

  #file(id: string): string {
    return join(this.#directory, `${id}.snapshot`)
  }
}

/** To be raised when anything inside a snapshot changes its name or meaning. */
const FORMAT = 16
const LINE_END = 10

/**
 * A line of JSON; then the state of the screen, which is JSON already and the largest part,
 * compressed.
 */
function snapshotBytes({ offset, screen, ...rest }: SessionSnapshot, frame: number): Buffer {
  const packed = deflateRawSync(screen, { level: 1 })
  const head = JSON.stringify({ format: FORMAT, offset, frame, length: packed.length, ...rest })
  return Buffer.concat([Buffer.from(`${head}\n`), packed])
}

function parseSnapshot(bytes: Buffer): SessionSnapshot & { frame: number } {
  const end = bytes.indexOf(LINE_END)
  const { format, length, ...rest } = JSON.parse(bytes.toString('utf8', 0, end))
  const packed = bytes.subarray(end + 1)
  if (format !== FORMAT || packed.length !== length) throw new Error('another format, or damaged')
  return { ...rest, screen: inflateRawSync(packed).toString() }
}

/** The beginning of a snapshot: its format and its offset. */
const HEAD = /^\{"format":(\d+),"offset":(\d+),/
const HEAD_BYTES = 64
