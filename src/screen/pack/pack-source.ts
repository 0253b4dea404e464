import { parse, TomlError } from 'smol-toml'
import { type FilePosition, SignalboxError } from '../../errors/index.js'
import { scanTomlPositions, type TomlPositions } from '../../text/index.js'

/** One pack file as text. */
export interface PackSource {
  file: string
  text: string
}

type PackPath = readonly (string | number)[]
type Table = Record<string, unknown>

/** The merged content of several files, and the origin of each value. */
export interface MergedSources {
  data: Table
  /** Where the value at this path, or the nearest one around it, is written. */
  placeOf(path: PackPath): FilePosition
}

/** Tables that are merged key by key; all other tables and values are replaced as a whole. */
const KEYED_TABLES = ['detect', 'glyphs', 'text', 'input', 'env']
/** Lists with named entries: an entry of the same name replaces the earlier one. */
const NAMED_LISTS: Readonly<Record<string, string>> = { rule: 'id', region: 'name', panels: 'name', danger: 'id' }

/** @throws SignalboxError `E_PACK` with file, line and column for invalid TOML. */
export function readTable(source: PackSource): Table {
  try {
    return parse(source.text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new SignalboxError('E_PACK', error.message.split('\n')[0]!, {
      place: { file: source.file, line: error.line, column: error.column },
      cause: error,
    })
  }
}

/**
 * Merges later files over earlier ones. Named entries replace the entry of that name; entries of
 * other lists are put before the existing ones, because the first match wins; `detect`, `glyphs`,
 * `text`, `input` and `env` are merged key by key; all else is replaced, except `versions`. A file
 * with `standalone = true` ignores the files below it.
 */
export function mergeSources(sources: readonly PackSource[]): MergedSources {
  const tables = sources.map(readTable)
  const first = tables.findLastIndex(table => table.standalone === true)
  const origins = new Map<string, { source: number; path: PackPath }>()
  const data: Table = {}
  tables.forEach((table, source) => {
    if (source < first) return
    for (const [key, value] of Object.entries(table)) {
      // The versions of a file decide whether it is used; the pack keeps the range of the file
      // below.
      if (key !== 'versions' || source === Math.max(first, 0)) mergeField(data, key, value, source, origins)
    }
  })
  const positions: (TomlPositions | undefined)[] = []
  return {
    data,
    placeOf(path) {
      const origin = originOf(path, origins) ?? { source: sources.length - 1, path }
      const { file, text } = sources[origin.source]!
      const found = (positions[origin.source] ??= scanTomlPositions(text))
      for (let length = origin.path.length; length > 0; length--) {
        const position = found.of(origin.path.slice(0, length).map(String))
        if (position) return { file, ...position }
      }
      return { file, line: 1 }
    },
  }
}

type Origins = Map<string, { source: number; path: PackPath }>

function mergeField(data: Table, key: string, value: unknown, source: number, origins: Origins): void {
  const before = data[key]
  if (Array.isArray(value) && (Array.isArray(before) || before === undefined) && value.some(isTable)) {
    data[key] = mergeList(key, (before ?? []) as unknown[], value, source, origins)
    return
  }
  if (KEYED_TABLES.includes(key) && isTable(value)) {
    data[key] = { ...(isTable(before) ? before : {}), ...value }
    for (const name of Object.keys(value)) origins.set(nameOf([key, name]), { source, path: [key, name] })
  } else data[key] = value
  origins.set(nameOf([key]), { source, path: [key] })
}

function mergeList(
  key: string,
  before: readonly unknown[],
  added: readonly unknown[],
  source: number,
  origins: Origins,
): unknown[] {
  const id = NAMED_LISTS[key]
  const old = before.map((entry, index) => ({ entry, origin: origins.get(nameOf([key, index])) }))
  const fresh = added.map((entry, index) => ({ entry, origin: { source, path: [key, index] as PackPath } }))
  const nameIn = (entry: unknown) => (id !== undefined && isTable(entry) ? entry[id] : undefined)
  const isSuperseded = (entry: unknown) =>
    nameIn(entry) !== undefined && added.some(other => nameIn(other) === nameIn(entry))
  const kept = old.filter(({ entry }) => !isSuperseded(entry))
  const merged = (id === undefined ? [...fresh, ...kept] : [...kept, ...fresh]).filter(
    ({ entry }) => key !== 'rule' || !isDisabled(entry),
  )
  merged.forEach(({ origin }, index) => {
    if (origin) origins.set(nameOf([key, index]), origin)
  })
  return merged.map(({ entry }) => entry)
}

/** `disabled = true` removes a rule and needs no other field. */
function isDisabled(entry: unknown): boolean {
  return isTable(entry) && entry.disabled === true
}

function originOf(path: PackPath, origins: Origins): { source: number; path: PackPath } | null {
  for (let length = Math.min(2, path.length); length > 0; length--) {
    const origin = origins.get(nameOf(path.slice(0, length)))
    if (origin) return { source: origin.source, path: [...origin.path, ...path.slice(length)] }
  }
  return null
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function nameOf(path: PackPath): string {
  return JSON.stringify(path.map(String))
}
