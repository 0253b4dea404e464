/**
 * Version ranges of packs: `>=2.1.228 <2.2`, `1.18.33`, `*`. Comparators separated by blanks must
 * all hold; alternatives are separated by `||`. Missing parts count as zero, and everything after
 * `-` or `+` is ignored: a pre-release draws what its release draws.
 */
export interface VersionRange {
  alternatives: readonly (readonly Comparator[])[]
}

interface Comparator {
  operator: '>=' | '>' | '<=' | '<' | '='
  version: Version
}

type Version = readonly [number, number, number]

/** @throws Error with a message for the author of the range. */
export function parseRange(text: string): VersionRange {
  const alternatives = text.split('||').map(part => part.trim().split(/\s+/).filter(Boolean).flatMap(parseComparator))
  if (text.trim() === '') throw new Error('a version range is empty; write * for every version')
  return { alternatives }
}

function parseComparator(word: string): Comparator[] {
  if (word === '*') return []
  const match = /^(>=|<=|>|<|=)?(.+)$/.exec(word)!
  const version = parseVersion(match[2]!)
  if (!version)
    throw new Error(`"${word}" is not a version range; write something like ">=2.1.228 <2.2", "1.18.33" or "*"`)
  return [{ operator: (match[1] ?? '=') as Comparator['operator'], version }]
}

function parseVersion(text: string): Version | null {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[.+-].*)?$/.exec(text.trim())
  return match ? [Number(match[1]), Number(match[2] ?? 0), Number(match[3] ?? 0)] : null
}

function compareVersions(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}

export function isInRange(version: string, range: VersionRange): boolean {
  const parsed = parseVersion(version)
  return (
    parsed !== null &&
    range.alternatives.some(comparators => comparators.every(comparator => holds(parsed, comparator)))
  )
}

function holds(version: Version, comparator: Comparator): boolean {
  const order = compareVersions(version, comparator.version)
  switch (comparator.operator) {
    case '>=':
      return order >= 0
    case '>':
      return order > 0
    case '<=':
      return order <= 0
    case '<':
      return order < 0
    case '=':
      return order === 0
  }
}

const BEFORE_ALL: Version = [0, 0, 0]

/** The start of a range: its highest lower bound, of the alternative that reaches lowest. */
function lowerBound(range: VersionRange): Version {
  const starts = range.alternatives.map(comparators =>
    comparators
      .filter(({ operator }) => operator !== '<' && operator !== '<=')
      .reduce((low, { version }) => (compareVersions(version, low) > 0 ? version : low), BEFORE_ALL),
  )
  return starts.reduce((low, start) => (compareVersions(start, low) < 0 ? start : low))
}

/**
 * Which of several ranges applies to a version: one that contains it; else the nearest that starts
 * below it; else the lowest. Without a version, the newest. Among equal ones, the last wins.
 */
export function chooseRange(
  ranges: readonly VersionRange[],
  version: string | null,
): { index: number; isInside: boolean } {
  const parsed = version === null ? null : parseVersion(version)
  const order = ranges
    .map((range, index) => ({ index, start: lowerBound(range) }))
    .sort((a, b) => compareVersions(a.start, b.start) || a.index - b.index)
  if (parsed === null) return { index: order.at(-1)!.index, isInside: version === null }
  const inside = order.findLast(({ index }) => isInRange(version!, ranges[index]!))
  if (inside) return { index: inside.index, isInside: true }
  const lower = order.findLast(({ start }) => compareVersions(start, parsed) <= 0)
  return { index: (lower ?? order[0]!).index, isInside: false }
}
