import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../clock/index.js'
import type { LiveSession, SessionSnapshot } from '../sessions/index.js'

/** Fewer new bytes than this are read again faster than a snapshot is written. */
const MIN_BYTES = 64 * 1024

/** Between two snapshots of one round. */
const PAUSE_MS = 50

/**
 * State of live sessions on disk, so that the next host need not read a long recording from its first byte. A cache: a snapshot that is
 * missing, torn or from another version costs time, nothing else.
 */
export class SessionSnapshots {
  readonly #directory: string
  readonly #clock: Clock
  readonly #sessions: () => Iterable<LiveSession>
  readonly #onError: (error: unknown) => void
  readonly #everyMs: number
  readonly #saved = new Map<string, { offset: number; unseenMoves: number }>()
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
    this.#schedule()
  }

  load(id: string): SessionSnapshot | null {
    try {
      const { format, snapshot } = JSON.parse(readFileSync(this.#file(id), 'utf8')) as {
        format: number
        snapshot: SessionSnapshot
      }
      return format === FORMAT ? snapshot : null
    } catch {
      return null
    }
  }

  forget(id: string): void {
    this.#saved.delete(id)
    rmSync(this.#file(id), { force: true })
  }

  stop(): void {
    this.#timer?.cancel()
  }

  #schedule(): void {
    this.#timer = this.#clock.setTimer(this.#everyMs, () => {
      this.#saveInTurn([...this.#sessions()].filter(session => this.#isDue(session)))
    })
  }

  /** At an end in good order: the next host goes on from here, whatever it would have read into the bytes. */
  saveAll(): void {
    for (const session of this.#sessions())
      if (session.offset > (this.#saved.get(session.id)?.offset ?? 0)) this.#save(session)
  }

  /** Turns that we began or broke off ourselves are not in the bytes: reading those again might count them otherwise. */
  #isDue({ id, offset, unseenMoves }: LiveSession): boolean {
    const saved = this.#saved.get(id) ?? { offset: 0, unseenMoves: 0 }
    return offset - saved.offset >= MIN_BYTES || unseenMoves !== saved.unseenMoves
  }

  /** One at a time, with a pause for everybody else: a hundred at once would stop every terminal of the host for a second. */
  #saveInTurn(due: readonly LiveSession[]): void {
    const [next, ...others] = due
    // One that has ended meanwhile is not written again.
    if (next && [...this.#sessions()].includes(next)) this.#save(next)
    if (others.length === 0) return this.#schedule()
    this.#timer = this.#clock.setTimer(PAUSE_MS, () => this.#saveInTurn(others))
  }

  /** What is not in the log yet would be lost with a crash: then an older snapshot is the better one. */
  #save(session: LiveSession): void {
    if (!session.isWritten) return
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      const file = this.#file(session.id)
      writeFileSync(`${file}.new`, JSON.stringify({ format: FORMAT, snapshot: session.snapshot() }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
      this.#saved.set(session.id, { offset: session.offset, unseenMoves: session.unseenMoves })
    } catch (error) {
      this.#onError(error)
    }
  }

  #file(id: string): string {
    return join(this.#directory, `${id}.json`)
  }
}

/** Grows when anything inside a snapshot changes its meaning. */
const FORMAT = 4
