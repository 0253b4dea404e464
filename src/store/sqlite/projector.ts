import { SignalboxError } from '../../errors/index.js'
import { type IndexedField, indexFields, isSameIndex } from '../document-index.js'
import { encodeJson } from '../encode-event.js'
import type { Projection, StoredEvent } from '../event-store.js'
import type { Connection } from './connection.js'
import { readDocument, saveFields } from './documents.js'
import type { EventReader } from './event-reader.js'

/** An update in place: a replaced row would move in all its indexes. */
const SAVE_DOCUMENT = `INSERT INTO documents (projection, key, state, position) VALUES (?, ?, ?, ?)
  ON CONFLICT (projection, key) DO UPDATE SET state = excluded.state, position = excluded.position`

/** Events in memory at once while documents are rebuilt. */
const BATCH = 500

interface ProjectionRow {
  name: string
  version: number
  position: number
}

/** An error in a projection's code is its failure; database errors pass through. */
const FAILED = Symbol('failed')

function attempt<T>(code: () => T): T | typeof FAILED {
  try {
    return code()
  } catch {
    return FAILED
  }
}

interface Draft {
  projection: Projection
  key: string
  state: unknown
  position: number
  isChanged: boolean
  /** As saved: most changes of a document leave them as they are. */
  fields: readonly IndexedField[]
}

/** Documents that are folded up to a position of the log but not saved yet. */
interface Unsaved {
  projections: readonly Projection[]
  position: number
  drafts: Map<string, Draft>
  /** Whether the events they are folded from are committed. */
  isCommitted: boolean
  events: number
}

/** An event of the current append: its text is already in the file. */
export interface WrittenEvent extends Omit<StoredEvent, 'data'> {
  text: string
  /** The original data of the text. */
  given: StoredEvent['data']
}

/** Longer texts are not parsed for folding: documents never keep large parts. */
const FOLDED_TEXT_MAX_CHARACTERS = 1024

function asStored({ text, given, ...rest }: WrittenEvent): StoredEvent {
  return { ...rest, data: text.length < FOLDED_TEXT_MAX_CHARACTERS ? (JSON.parse(text) as StoredEvent['data']) : given }
}

/** Events whose documents may be unsaved; a crash folds them again. */
const UNSAVED_EVENTS_MAX = 64

/**
 * Folds events into documents. Everything here runs inside a transaction of the caller.
 *
 * A projection is folded from the log, starting at its own position: catching up after a program
 * that did not know the projection, and rebuilding, are the same path. Right after an append the
 * written rows are still in memory, and are not read again. If `evolve` throws, the document keeps
 * its state, the event is counted as a failure, and the append continues: folding is total.
 *
 * Appends in quick succession may leave saving their documents to a later one. Until then the
 * documents are only in memory; for everyone else the projections are simply further back in the
 * log, and a reader catches up first. Unsaved documents are dropped as soon as another process has
 * appended, or their transaction was rolled back.
 */
export class Projector {
  readonly #connection: Connection
  readonly #reader: EventReader
  readonly #projections: ReadonlyMap<string, Projection>
  #unsaved: Unsaved | null = null

  constructor(connection: Connection, reader: EventReader, projections: readonly Projection[]) {
    this.#connection = connection
    this.#reader = reader
    this.#projections = new Map(projections.map(projection => [projection.name, projection]))
    if (this.#projections.size < projections.length) {
      throw new SignalboxError('E_INTERNAL', 'two projections have the same name')
    }
  }

  /** Restarts new and changed projections, and brings all to the head of the log. */
  rebuildOutdated(): void {
    const known = new Map(this.#rows().map(row => [row.name, row.version]))
    for (const { name, version } of this.#projections.values()) {
      if ((known.get(name) ?? 0) >= version) continue
      this.#connection.run('DELETE FROM documents WHERE projection = ?', name)
      this.#connection.run('DELETE FROM document_fields WHERE projection = ?', name)
      this.#connection.run('INSERT OR REPLACE INTO projections VALUES (?, ?, 0, 0)', name, version)
    }
    this.foldToHead()
  }

  needsRebuild(): boolean {
    const known = new Map(this.#rows().map(row => [row.name, row.version]))
    return (
      [...this.#projections.values()].some(({ name, version }) => (known.get(name) ?? 0) < version) || this.isBehind()
    )
  }

  /** True if a program that does not know this projection (or any of ours) has appended. */
  isBehind(name?: string): boolean {
    const head = this.#reader.head()
    return this.#current().some(row => row.position < head && (name === undefined || row.name === name))
  }

  /**
   * After an append: folds the events that were just written, from memory. That is correct only for
   * projections that were at the end of the log; otherwise all of them catch up in the usual way.
   */
  foldWritten(written: readonly WrittenEvent[], { isLater }: { isLater: boolean }): void {
    if (written.length === 0) return isLater ? undefined : this.foldToHead()
    const before = written[0]!.position - 1
    const unsaved = this.#unsavedAt(before) ?? this.#startAt(before)
    if (!unsaved) return this.foldToHead()
    for (const row of written) {
      const wanted = unsaved.projections.filter(({ types }) => types.includes(row.type))
      if (wanted.length === 0) continue
      const event = asStored(row)
      for (const projection of wanted) this.#evolve(projection, event, unsaved.drafts)
    }
    unsaved.position = written.at(-1)!.position
    unsaved.events += written.length
    unsaved.isCommitted = false
    this.#unsaved = unsaved
    if (!isLater || unsaved.events >= UNSAVED_EVENTS_MAX) this.#saveUnsaved(unsaved)
  }

  /** Called when the transaction of the last append is committed. */
  committed(): void {
    if (this.#unsaved) this.#unsaved.isCommitted = true
  }

  foldToHead(): void {
    const head = this.#reader.head()
    const unsaved = this.#unsavedAt(head)
    if (unsaved) return this.#saveUnsaved(unsaved)
    const byPosition = new Map<number, Projection[]>()
    for (const { name, position } of this.#current()) {
      if (position < head) byPosition.set(position, [...(byPosition.get(position) ?? []), this.#projections.get(name)!])
    }
    for (const [position, projections] of byPosition) this.#fold(projections, position, head)
  }

  /** The unsaved documents, if the log still ends where they were folded. */
  #unsavedAt(position: number): Unsaved | null {
    if (this.#unsaved && !(this.#unsaved.isCommitted && this.#unsaved.position === position)) this.#unsaved = null
    return this.#unsaved
  }

  /** Null if a projection is not at this position. */
  #startAt(position: number): Unsaved | null {
    const rows = this.#current()
    if (rows.some(row => row.position !== position)) return null
    const projections = rows.map(({ name }) => this.#projections.get(name)!)
    return { projections, position, drafts: new Map(), isCommitted: true, events: 0 }
  }

  #saveUnsaved({ drafts, position }: Unsaved): void {
    this.#unsaved = null
    const current = new Set(this.#current().map(({ name }) => name))
    for (const draft of drafts.values()) if (draft.isChanged && current.has(draft.projection.name)) this.#save(draft)
    this.#advance([...current], position)
  }

  #fold(projections: readonly Projection[], from: number, head: number): void {
    const types = [...new Set(projections.flatMap(projection => projection.types))]
    for (let cursor = from, isLast = false; !isLast; ) {
      const page = this.#reader.page(cursor, head, BATCH, types)
      const drafts = new Map<string, Draft>()
      for (const event of page.events) {
        for (const projection of projections) {
          if (projection.types.includes(event.type)) this.#evolve(projection, event, drafts)
        }
      }
      for (const draft of drafts.values()) if (draft.isChanged) this.#save(draft)
      cursor = page.next
      isLast = page.isLast
    }
    this.#advance(
      projections.map(({ name }) => name),
      head,
    )
  }

  #advance(names: readonly string[], position: number): void {
    if (names.length === 0) return
    this.#connection.run(
      'UPDATE projections SET position = ? WHERE name IN (SELECT value FROM json_each(?))',
      position,
      JSON.stringify(names),
    )
  }

  #evolve(projection: Projection, event: StoredEvent, drafts: Map<string, Draft>): void {
    const key = attempt(() => projection.key(event))
    if (key === null) return
    const draft = typeof key === 'string' ? this.#draft(projection, key, drafts) : FAILED
    const state = draft === FAILED ? FAILED : attempt(() => projection.evolve(draft.state, event))
    if (draft === FAILED || state === FAILED || state === undefined) this.#countFailure(projection)
    else Object.assign(draft, { state, position: event.position, isChanged: true })
  }

  #draft(projection: Projection, key: string, drafts: Map<string, Draft>): Draft | typeof FAILED {
    const id = `${projection.name}\0${key}`
    const known = drafts.get(id)
    if (known) return known
    const stored = readDocument(this.#connection, projection.name, key)
    // Folding from nothing would turn a damaged document into a wrong one.
    if (stored === 'damaged') return FAILED
    const state = stored?.state ?? null
    const fields = attempt(() => indexFields(projection, state))
    const draft = { projection, key, state, position: 0, isChanged: false, fields: fields === FAILED ? [] : fields }
    drafts.set(id, draft)
    return draft
  }

  #save(draft: Draft): void {
    const { projection, key, state, position } = draft
    const text = attempt(() => (state === null ? null : encodeJson(`the document ${projection.name}/${key}`, state)))
    const fields = attempt(() => indexFields(projection, state))
    if (text === FAILED || fields === FAILED) return this.#countFailure(projection)
    if (text === null)
      this.#connection.run('DELETE FROM documents WHERE projection = ? AND key = ?', projection.name, key)
    else this.#connection.run(SAVE_DOCUMENT, projection.name, key, text, position)
    if (!isSameIndex(draft.fields, fields)) saveFields(this.#connection, projection.name, key, fields)
    draft.fields = fields
  }

  #countFailure(projection: Projection): void {
    this.#connection.run('UPDATE projections SET failures = failures + 1 WHERE name = ?', projection.name)
  }

  /** Projections that this program may fold: not those of a newer program. */
  #current(): ProjectionRow[] {
    return this.#rows().filter(row => this.#projections.get(row.name)?.version === row.version)
  }

  #rows(): ProjectionRow[] {
    return this.#connection.all<ProjectionRow>('SELECT name, version, position FROM projections')
  }
}
