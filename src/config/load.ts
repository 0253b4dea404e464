import { readFileSync, statSync } from 'node:fs'
import { SignalboxError } from '../errors/index.js'
import { plural } from '../text/index.js'
import {
  emptyLayer,
  environmentLayer,
  fileLayer,
  flagLayer,
  type Layer,
  type Problem,
  type SettingEntry,
  type Source,
  writeKey,
  writePosition,
} from './layer.js'
import { describeNarrower, isNarrowEnough } from './narrow.js'
import { type Config, KNOWN_SETTINGS, type KnownSetting, type Unit, unitOf } from './schema.js'
import type { Setting } from './setting.js'
import { describeValue } from './show.js'

export interface LoadOptions {
  environment: Readonly<Record<string, string | undefined>>
  /** `<config>/config.toml`; need not exist. */
  userFile?: string
  /** `.signalbox.toml`. An untrusted file is not read. */
  projectFile?: { path: string; trusted: boolean }
  /** Values of the command line by key, as text or as they are; undefined counts as absent. */
  flags?: Readonly<Record<string, unknown>>
}

interface SettingSource {
  source: Source
  /** `file:line:column`, the variable, or the flag. */
  place?: string
}

interface ShownSetting {
  key: string
  /** A sentence that says what the setting is for. */
  about: string
  /** The value as a file contains it; "set" or "unset" for a secret. */
  shown: string
  /** The value itself, for programs; `shown` for a secret. */
  value: unknown
  /** What it accepts. */
  accepts: Pick<Setting<unknown>, 'type' | 'values' | 'min' | 'max'> & { unit?: Unit; hasNone: boolean }
  origin: SettingSource
}

export interface LoadedConfig {
  readonly config: Config
  /** Notes for the user: an ignored project file, a variable that looks like a typing mistake. */
  readonly notes: readonly string[]
  origin(key: string): SettingSource
  /** Every setting with its value and where it comes from, for `config show --origin`. */
  entries(): ShownSetting[]
}

const FILE_MAX_BYTES = 1_048_576

/**
 * Flags override the environment, which overrides a trusted project file, which overrides the
 * user's file, which overrides the defaults. A project may set only what the schema allows,
 * and where the schema says so, only values that are more restrictive than the user's own.
 * @throws SignalboxError `E_CONFIG` with all problems of all sources; then nothing is applied.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const user = options.userFile ? readLayer(options.userFile, 'user') : emptyLayer()
  const project = projectLayer(options.projectFile, user)
  const layers = [user, project, environmentLayer(options.environment), flagLayer(options.flags ?? {})]
  const problems = layers.flatMap(layer => layer.problems)
  if (problems.length > 0) throw configError(problems)

  const given = new Map(layers.flatMap(layer => [...layer.values]))
  const { config, leaves } = buildTree(given)
  return {
    config,
    notes: [...layers.flatMap(layer => layer.notes), ...wideModeNotes(user, options.userFile)],
    origin: key => sourceOf(given.get(key)),
    entries: () =>
      leaves.map(({ key, known, value }) => ({
        key,
        about: known.setting.about,
        shown: describeValue(known.setting, value),
        value: known.setting.isSecret ? describeValue(known.setting, value) : value,
        accepts: acceptedBy(known),
        origin: sourceOf(given.get(key)),
      })),
  }
}

function acceptedBy({ pattern, setting }: KnownSetting): ShownSetting['accepts'] {
  const { type, values, min, max } = setting
  return {
    type,
    ...(values && { values }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(type === 'duration' && { unit: unitOf(pattern) }),
    hasNone: setting.default === null,
  }
}

function sourceOf(given: SettingEntry | undefined): SettingSource {
  return given ? { source: given.source, place: given.where } : { source: 'default' }
}

function readLayer(file: string, source: 'user' | 'project'): Layer {
  const layer = emptyLayer()
  try {
    const { size } = statSync(file)
    if (size > FILE_MAX_BYTES) {
      layer.problems.push({ message: `larger than ${FILE_MAX_BYTES} bytes`, place: { file } })
      return layer
    }
    return fileLayer(file, new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)), source)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return layer
    const reason =
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code ?? String(error)})`
    layer.problems.push({ message: `the file ${reason}`, place: { file } })
    return layer
  }
}

function projectLayer(file: LoadOptions['projectFile'], user: Layer): Layer {
  if (!file) return emptyLayer()
  if (!file.trusted) {
    const layer = emptyLayer()
    layer.notes.push(`${file.path} was ignored: the project is not trusted.`)
    return layer
  }
  const layer = readLayer(file.path, 'project')
  for (const [key, { known, value, place }] of layer.values) {
    const { setting } = known
    const own = user.values.get(key)?.value ?? setting.default
    if (setting.projectMay !== 'never' && isNarrowEnough(setting, own, value)) continue
    const message =
      setting.projectMay === 'never'
        ? `a project file may not set \`${key}\``
        : `a project file may only ${describeNarrower(setting)}: \`${key}\` is ${describeValue(setting, own)}, the project wants ${describeValue(setting, value)}`
    layer.problems.push({ message, key, ...(place && { place }) })
  }
  return layer
}

function configError(problems: readonly Problem[]): SignalboxError {
  const lines = problems.map(({ message, place }) => (place ? `${writePosition(place)}: ${message}` : message))
  const message =
    lines.length === 1 ? lines[0]! : `${plural(lines.length, 'problem')} in the settings:\n${lines.join('\n')}`
  const place = problems.find(problem => problem.place)?.place
  return new SignalboxError('E_CONFIG', message, {
    next: 'Nothing was applied. Correct this and try again; docs/reference/config.md lists every key.',
    details: { problems },
    ...(place && { place }),
  })
}

function wideModeNotes(user: Layer, file: string | undefined): string[] {
  const hasSecret = [...user.values.values()].some(({ known }) => known.setting.isSecret)
  if (!file || !hasSecret || process.platform === 'win32' || (statSync(file).mode & 0o077) === 0) return []
  return [`${file} holds a secret and can be read by others: run chmod 600 on it.`]
}

interface Leaf {
  readonly key: string
  readonly known: KnownSetting
  readonly value: unknown
}

/**
 * The settings as one frozen object, with defaults for what is not given. A table with free names
 * (`agents.*`) has an entry for each name that a source uses, with all its defaults. Tables have no
 * prototype: `constructor` is an ordinary name.
 */
function buildTree(given: ReadonlyMap<string, SettingEntry>): { config: Config; leaves: readonly Leaf[] } {
  const chosen = chosenNames(given)
  const leaves: Leaf[] = []

  const build = (path: readonly string[], settings: readonly KnownSetting[]): object => {
    const node = Object.create(null) as Record<string, unknown>
    const heads = new Set(settings.map(known => known.segments[path.length]!))
    for (const head of heads) {
      const below = settings.filter(known => known.segments[path.length] === head)
      const leaf = below.find(known => known.segments.length === path.length + 1)
      for (const name of head === '*' ? (chosen.get(writeKey(path)) ?? []) : [head]) {
        const here = [...path, name]
        node[name] = leaf ? addLeaf(here, leaf) : build(here, below)
      }
    }
    return Object.freeze(node)
  }
  const addLeaf = (path: readonly string[], known: KnownSetting): unknown => {
    const key = writeKey(path)
    const one = given.get(key)
    const value = one ? one.value : known.setting.default
    leaves.push({ key, known, value })
    return value
  }
  return { config: build([], KNOWN_SETTINGS) as Config, leaves }
}

/** The names directly below each path of a given value. */
function chosenNames(given: ReadonlyMap<string, SettingEntry>): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const { path } of given.values()) {
    path.forEach((name, depth) => {
      const above = writeKey(path.slice(0, depth))
      names.set(above, (names.get(above) ?? new Set()).add(name))
    })
  }
  return names
}
