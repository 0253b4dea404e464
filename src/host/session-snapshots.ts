import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, Timer } from '../clock/index.js'
import type { LiveSession, SessionSnapshot } from '../sessions/index.js'

/** Reading fewer new bytes again is faster than writing a snapshot. */
const MIN_BYTES = 64 * 1024

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
  readonly #saved = new Map<string, number>()
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

  #isDue({ id, offset }: LiveSession): boolean {
    return offset - (this.#saved.get(id) ?? 0) >= MIN_BYTES
  }

  /** One at a time with a pause: a hundred at once would stop every terminal. */
  #saveInTurn(due: readonly LiveSession[]): void {
    const [next, ...others] = due
    // A session that has ended meanwhile is not saved again.
    if (next && [...this.#sessions()].includes(next)) this.#save(next)
    if (others.length === 0) return this.#schedule()
    this.#timer = this.#clock.setTimer(PAUSE_MS, () => this.#saveInTurn(others))
  }

  #save(session: LiveSession): void {
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
      const file = this.#file(session.id)
      writeFileSync(`${file}.new`, JSON.stringify({ format: FORMAT, snapshot: session.snapshot() }), { mode: 0o600 })
      renameSync(`${file}.new`, file)
      this.#saved.set(session.id, session.offset)
    } catch (error) {
      this.#onError(error)
    }
  }

  #file(id: string): string {
    return join(this.#directory, `${id}.json`)
  }
}

/** To be raised when anything inside a snapshot changes its name or meaning. */
const FORMAT = 6
