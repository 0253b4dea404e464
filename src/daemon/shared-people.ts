import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Clock, Timer } from '../clock/index.js'
import type { People, Person } from '../people/index.js'
import type { EventStore } from '../store/index.js'

/** How soon a change on one server is known to the others. */
const SYNC_MS = 2_000
const KEY = 'people'

interface Synced {
  /** The version of the snapshot that the file was last equal to. */
  version: number
  hash: string
}

export interface SharedPeopleOptions {
  store: EventStore
  clock: Clock
  people: People
  /** The path of `people.json`. */
  file: string
  /** Remembers which state of the store the file has. */
  syncedFile: string
  log(line: string): void
  onError(error: unknown): void
}

/**
 * Keeps `people.json` of all servers of a shared store the same, so that each of them knows who may
 * decide in chats when it takes over the bot. A change of the file is written to the store; a
 * change in the store replaces the file. If both changed, the store counts, and the file is kept
 * beside the new one.
 */
export class SharedPeople {
  readonly #options: SharedPeopleOptions
  #timer: Timer | null = null
  #isClosed = false

  constructor(options: SharedPeopleOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await this.sync().catch(this.#options.onError)
    this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  /** Called by a timer, and by tests. */
  async sync(): Promise<void> {
    const { store, people } = this.#options
    const found = await store.loadSnapshot(KEY)
    const synced = this.#lastSync()
    const own = people.all()
    const isChangedHere = synced === null ? own.length > 0 : hashOf(own) !== synced.hash
    const isChangedThere = found !== null && found.version !== synced?.version
    if (isChangedThere) return this.#adopt(found.version, found.state as Person[], isChangedHere)
    if (!isChangedHere) return
    const version = (found?.version ?? 0) + 1
    if (await store.replaceSnapshot(KEY, found?.version ?? null, { version, state: own }))
      this.#remember({ version, hash: hashOf(own) })
  }

  #adopt(version: number, shared: readonly Person[], isChangedHere: boolean): void {
    const { people, file, log } = this.#options
    if (isChangedHere && hashOf(people.all()) !== hashOf(shared)) {
      const kept = `${file}.before-${version}`
      copyFileSync(file, kept)
      log(`people.json is replaced by that of the other servers; the former one is ${kept}`)
    }
    people.save(shared)
    this.#remember({ version, hash: hashOf(shared) })
  }

  #lastSync(): Synced | null {
    const { syncedFile } = this.#options
    return existsSync(syncedFile) ? (JSON.parse(readFileSync(syncedFile, 'utf8')) as Synced) : null
  }

  #remember(synced: Synced): void {
    writeFileSync(this.#options.syncedFile, JSON.stringify(synced), { mode: 0o600 })
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = this.#options.clock.setTimer(SYNC_MS, () => {
      void this.sync()
        .catch(this.#options.onError)
        .finally(() => this.#schedule())
    })
  }
}

function hashOf(people: readonly Person[]): string {
  return createHash('sha256').update(JSON.stringify(people)).digest('hex')
}
