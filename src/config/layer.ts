import { parse, TomlError } from 'smol-toml'
import type { FilePosition } from '../errors/index.js'
import { closestMatch, scanTomlPositions, type TomlPositions } from '../text/index.js'
import {
  candidatesFor,
  environmentNameOf,
  findSetting,
  isDynamic,
  isSection,
  KNOWN_SETTINGS,
  type KnownSetting,
} from './schema.js'
import { type Checked, checkText, checkValue } from './value.js'

export type Source = 'default' | 'user' | 'project' | 'env' | 'flag'

/** One value that one source gives. */
export interface SettingEntry {
  readonly path: readonly string[]
  readonly known: KnownSetting
  readonly value: unknown
  readonly source: Source
  /** `file:line:column`, the name of the variable, or the flag's key. */
  readonly where: string
  readonly place?: FilePosition
}

export interface Problem {
  readonly message: string
  readonly key?: string
  readonly place?: FilePosition
}

/** The values of one source by their written keys, and all its problems. */
export interface Layer {
  readonly values: Map<string, SettingEntry>
  readonly problems: Problem[]
  readonly notes: string[]
}

/** Variables that are not settings: directories, and variables of the processes that we start. */
const RESERVED_VARIABLES = /^SIGNALBOX_(?:HOME|SESSION|SOCKET|HOOK_TOKEN|STATUS_FILE|CTX_.*)$/
const CHOSEN_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

export function emptyLayer(): Layer {
  return { values: new Map(), problems: [], notes: [] }
}

/** A path as a file contains it, with quotes where a name needs them. */
export function writeKey(path: readonly string[]): string {
  return path.map(name => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))).join('.')
}

export function writePosition({ file, line, column }: FilePosition): string {
  return [file, line, column].filter(part => part !== undefined).join(':')
}

/** The values of a settings file. A file that does not parse has one problem and no values. */
export function fileLayer(file: string, text: string, source: 'user' | 'project'): Layer {
  const layer = emptyLayer()
  let document: Record<string, unknown>
  try {
    document = parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The parser's message also quotes the lines around the mistake; the place is shorter.
    const message = error.message.split('\n')[0]!.replace(/^Invalid TOML document: /, '')
    layer.problems.push({
      message: `not valid TOML: ${message}`,
      place: { file, line: error.line, column: error.column },
    })
    return layer
  }
  new FileReader(file, source, scanTomlPositions(text), layer).read([], document)
  return layer
}

class FileReader {
  readonly #file: string
  readonly #source: Source
  readonly #positions: TomlPositions
  readonly #layer: Layer

  constructor(file: string, source: Source, positions: TomlPositions, layer: Layer) {
    this.#file = file
    this.#source = source
    this.#positions = positions
    this.#layer = layer
  }

  read(path: readonly string[], value: unknown): void {
    const known = path.length > 0 ? findSetting(path) : undefined
    if (known) {
      this.#addValue(path, known, value)
    } else if (isTable(value)) {
      const entries = Object.entries(value)
      if (entries.length === 0 && !isSection(path)) this.#refuse(path, unknownKey(path))
      for (const [name, item] of entries) this.read([...path, name], item)
    } else if (isSection(path)) {
      const key = writeKey(path)
      this.#refuse(path, `\`${key}\` is a section: write [${key}] and its settings below it`)
    } else {
      this.#refuse(path, unknownKey(path))
    }
  }

  #addValue(path: readonly string[], known: KnownSetting, raw: unknown): void {
    const key = writeKey(path)
    const checked = checkValue(known, raw)
    const badName = known.segments.findIndex((segment, index) => segment === '*' && !CHOSEN_NAME.test(path[index]!))
    if (known.setting.isEnvironmentOnly) {
      const variable = environmentNameOf(known)
      this.#refuse(path, `\`${key}\` does not belong into a file: set ${variable}, or \`${key}_file\``)
    } else if (badName >= 0) {
      const name = JSON.stringify(path[badName])
      this.#refuse(path, `${name} cannot be a name: use letters, digits, "_", "-" and "."`)
    } else if (!checked.ok) {
      this.#refuse(path, wrongValue(key, checked))
    } else {
      const position = this.#positionOf(path)
      const given = {
        path,
        known,
        value: checked.value,
        source: this.#source,
        where: writePosition(position),
        place: position,
      }
      this.#layer.values.set(key, given)
    }
  }

  #refuse(path: readonly string[], message: string): void {
    this.#layer.problems.push({ message, key: writeKey(path), place: this.#positionOf(path) })
  }

  #positionOf(path: readonly string[]): FilePosition {
    return { file: this.#file, ...this.#positions.of(path) }
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** The variables of the environment that name settings. An empty one counts as unset. */
export function environmentLayer(environment: Readonly<Record<string, string | undefined>>): Layer {
  const layer = emptyLayer()
  const names = new Map(KNOWN_SETTINGS.flatMap(known => [[environmentNameOf(known), known] as const]))
  names.delete(undefined)
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('SIGNALBOX_') || !text || RESERVED_VARIABLES.test(name)) continue
    const known = names.get(name)
    if (!known) {
      const meant = closestMatch(name, [...names.keys()] as string[])
      if (meant) layer.notes.push(`The variable ${name} is not a setting and was ignored; did you mean ${meant}?`)
      continue
    }
    const checked = checkText(known, text)
    if (checked.ok) {
      const given = { path: known.segments, known, value: checked.value, source: 'env', where: name } as const
      layer.values.set(known.pattern, given)
    } else layer.problems.push({ message: `${name}: ${wrongValue(known.pattern, checked)}`, key: known.pattern })
  }
  return layer
}

/** Values of the command line, by key; text is parsed like that of a variable. */
export function flagLayer(flags: Readonly<Record<string, unknown>>): Layer {
  const layer = emptyLayer()
  for (const [key, raw] of Object.entries(flags)) {
    if (raw === undefined) continue
    const path = key.split('.')
    const known = findSetting(path)
    if (!known) layer.problems.push({ message: unknownKey(path), key })
    else if (known.setting.isSecret) {
      const name = environmentNameOf(known)
      layer.problems.push({ message: `\`${key}\` is a secret and cannot be a flag${name ? `: set ${name}` : ''}`, key })
    } else {
      const checked = typeof raw === 'string' ? checkText(known, raw) : checkValue(known, raw)
      if (checked.ok) layer.values.set(key, { path, known, value: checked.value, source: 'flag', where: key })
      else layer.problems.push({ message: wrongValue(key, checked), key })
    }
  }
  return layer
}

function wrongValue(key: string, checked: Checked & { ok: false }): string {
  return `\`${key}\` must be ${checked.expected}; found ${checked.found}`
}

function unknownKey(path: readonly string[]): string {
  const key = writeKey(path)
  const meant = nearestKey(path)
  return `unknown key \`${key}\`${meant ? `; did you mean \`${meant}\`?` : ''}`
}

/** A similar key, or the only key with this last word, whose section was probably omitted. */
function nearestKey(path: readonly string[]): string | undefined {
  const candidates = candidatesFor(path)
  const close = closestMatch(path.join('.'), candidates)
  if (close) return close
  const sameWord = KNOWN_SETTINGS.filter(known => !isDynamic(known) && known.segments.at(-1) === path.at(-1))
  return sameWord.length === 1 ? sameWord[0]!.pattern : undefined
}
