import { type Given, writeKey } from './layer.js'
import { type Config, KNOWN_SETTINGS, type KnownSetting } from './schema.js'

export interface Leaf {
  readonly key: string
  readonly known: KnownSetting
  readonly value: unknown
}

/**
 * The settings as one frozen object, with defaults for what is not given. A table with free names
 * (`agents.*`) has an entry for each name that a source uses, with all its defaults. Tables have no
 * prototype: `constructor` is an ordinary name.
 */
export function buildTree(given: ReadonlyMap<string, Given>): { config: Config; leaves: readonly Leaf[] } {
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
        node[name] = leaf ? take(here, leaf) : build(here, below)
      }
    }
    return Object.freeze(node)
  }
  const take = (path: readonly string[], known: KnownSetting): unknown => {
    const key = writeKey(path)
    const one = given.get(key)
    const value = one ? one.value : known.setting.default
    leaves.push({ key, known, value })
    return value
  }
  return { config: build([], KNOWN_SETTINGS) as Config, leaves }
}

/** The names directly below each path of a given value. */
function chosenNames(given: ReadonlyMap<string, Given>): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>()
  for (const { path } of given.values()) {
    path.forEach((name, depth) => {
      const above = writeKey(path.slice(0, depth))
      names.set(above, (names.get(above) ?? new Set()).add(name))
    })
  }
  return names
}
