import { randomBytes } from 'node:crypto'
import { canonicalText, isChained } from '../chain.js'
import { type IndexedField, indexFields, isSameIndex } from '../document-index.js'
import { type EncodedEvent, encodeJson } from '../encode-event.js'
import type { AppendOptions, ExpectedVersion, Projection } from '../event-store.js'

/**
 * One call of `appendAll`: validated, serialized, and named for as long as its outcome is unknown.
 */
export interface AppendUnit {
  id: string
  appends: readonly { stream: string; expected: ExpectedVersion; events: readonly EncodedEvent[] }[]
  options: AppendOptions
}

/** Time-ordered, so that the index of ids grows at its end. */
export function newAppendId(now: number): string {
  const hex = Math.max(0, now).toString(16).padStart(12, '0').slice(-12) + randomBytes(10).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

interface KnownDocument {
  revision: string | null
  state: unknown
  fields: readonly IndexedField[]
}

/** More than the documents that a busy server changes at once. */
const KNOWN_DOCUMENTS_MAX = 5_000

interface PlannedDocument {
  projection: string
  key: string
  was: string | null
  state: string | null
  ordinal: number
  fields: readonly IndexedField[] | null
}

export interface PlannedUnit {
  /** As the function takes it; `again` once an earlier attempt may have been committed. */
  request: { id: string; again: boolean; [part: string]: unknown }
  /** For a unit that was not written: nothing that was planned from it holds. */
  forget(): void
}

/** What the function returns if the knowledge of a unit is out of date. */
export interface FreshKnowledge {
  versions: { stream: string; version: number }[] | null
  documents: { projection: string; key: string; revision: string | null; state: string | null }[] | null
}

/**
 * What this process last knew of streams and documents, and the appends that follow from it. It may
 * be wrong: the database writes a plan only if it still holds, and otherwise returns what is
 * current.
 */
export class AppendPlanner {
  /** Prefixes of the chained streams. */
  chained: readonly string[] = []
  #projections: readonly Projection[] = []
  readonly #documents = new Map<string, KnownDocument>()
  readonly #versions = new Map<string, number>()

  get projections(): readonly Projection[] {
    return this.#projections
  }

  /** Which projections are folded, as the row `log_end.folded` names them. */
  get folded(): string {
    return JSON.stringify(this.#projections.map(storedName).sort())
  }

  fold(projections: readonly Projection[]): void {
    this.#projections = projections
    this.#documents.clear()
  }

  /** Assumes that this unit, and all that were planned before it, will be written. */
  plan(unit: AppendUnit): PlannedUnit {
    const { id, appends, options } = unit
    const drafts = new Map<string, Draft>()
    const failures = new Map<string, number>()
    const isCanonical = appends.some(({ stream }) => isChained({ streams: this.chained }, stream))
    const events: Record<string, unknown>[] = []
    const parts = appends.map(({ stream, expected, events: added }, part) => {
      const before = expected === 'any' ? (this.#versions.get(stream) ?? 0) : expected
      let isFolded = false
      for (const [index, { type, at, data }] of added.entries()) {
        const ordinal = events.length
        events.push({
          part,
          nth: index + 1,
          ordinal,
          type,
          at,
          data,
          ...(isCanonical && { canonical: canonicalText(data) }),
        })
        const wanted = this.#projections.filter(({ types }) => types.includes(type))
        if (wanted.length === 0) continue
        isFolded = true
        const event = { stream, version: before + index + 1, type, at, data: JSON.parse(data) }
        for (const projection of wanted) {
          const known = (key: string) => this.#documents.get(documentId(projection, key))
          if (!evolveDraft(projection, event, ordinal, drafts, known)) count(failures, storedName(projection))
        }
      }
      remember(this.#versions, stream, before + added.length)
      return {
        stream,
        count: added.length,
        ...(expected !== 'any' && { expected }),
        ...(expected === 'any' && isFolded && { assumed: before }),
      }
    })
    const documents = [...drafts.values()].flatMap(draft => this.#finish(draft, id, failures))
    const { fence, notAfter } = options
    const request = {
      id,
      again: false,
      appends: parts,
      events,
      documents,
      canonical: isCanonical,
      removes: documents.some(({ state }) => state === null),
      indexes: documents.some(({ fields }) => fields !== null),
      ...(fence && { fence: { key: fence.key, epoch: fence.epoch } }),
      ...(notAfter !== undefined && { notAfter: Math.floor(notAfter) }),
      ...(failures.size > 0 && { failures: Object.fromEntries(failures) }),
    }
    return { request, forget: () => this.#forget(unit, documents) }
  }

  learnVersion(stream: string, version: number): void {
    remember(this.#versions, stream, version)
  }

  learn({ versions, documents }: FreshKnowledge): void {
    for (const { stream, version } of versions ?? []) this.learnVersion(stream, version)
    for (const { projection: name, key, revision, state } of documents ?? []) {
      const projection = this.#projections.find(each => storedName(each) === name)
      if (projection) remember(this.#documents, documentId(projection, key), knownOf(projection, revision, state))
    }
  }

  #forget({ appends }: AppendUnit, documents: readonly PlannedDocument[]): void {
    for (const { stream } of appends) this.#versions.delete(stream)
    for (const { projection, key } of documents) this.#documents.delete(`${projection}\0${key}`)
  }

  #finish(draft: Draft, revision: string, failures: Map<string, number>): PlannedDocument[] {
    const { projection, key, before, state, ordinal } = draft
    if (ordinal < 0) return []
    try {
      const text = state === null ? null : encodeJson(`the document ${projection.name}/${key}`, state)
      const fields = indexFields(projection, state)
      const was = before?.revision ?? null
      const next = { revision: text === null ? null : revision, state, fields }
      remember(this.#documents, documentId(projection, key), next)
      const isSame = isSameIndex(before?.fields ?? [], fields)
      return [{ projection: storedName(projection), key, was, state: text, ordinal, fields: isSame ? null : fields }]
    } catch {
      count(failures, storedName(projection))
      return []
    }
  }
}

export interface Draft {
  projection: Projection
  key: string
  before: KnownDocument | undefined
  state: unknown
  /** The newest event that changed it; -1 if none did. */
  ordinal: number
}

/** False if the projection cannot fold the event: its document keeps its state. */
export function evolveDraft(
  projection: Projection,
  event: Parameters<Projection['evolve']>[1],
  ordinal: number,
  drafts: Map<string, Draft>,
  known: (key: string) => KnownDocument | undefined,
): boolean {
  try {
    const key = projection.key(event)
    if (key === null) return true
    if (typeof key !== 'string') return false
    const id = documentId(projection, key)
    let draft = drafts.get(id)
    if (!draft) {
      const before = known(key)
      draft = { projection, key, before, state: before?.state ?? null, ordinal: -1 }
      drafts.set(id, draft)
    }
    const state = projection.evolve(draft.state, event)
    if (state === undefined) return false
    draft.state = state
    draft.ordinal = ordinal
    return true
  } catch {
    return false
  }
}

export function knownOf(projection: Projection, revision: string | null, text: string | null): KnownDocument {
  const state: unknown = text === null ? null : JSON.parse(text)
  return { revision, state, fields: indexFields(projection, state) }
}

/**
 * Versions of one projection are stored side by side: during an upgrade, servers of both versions
 * read and fold their own.
 */
export function storedName({ name, version }: Pick<Projection, 'name' | 'version'>): string {
  return `${name}@${version}`
}

function documentId(projection: Projection, key: string): string {
  return `${storedName(projection)}\0${key}`
}

function count(failures: Map<string, number>, name: string): void {
  failures.set(name, (failures.get(name) ?? 0) + 1)
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > KNOWN_DOCUMENTS_MAX) map.delete(map.keys().next().value!)
}
