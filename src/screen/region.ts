import type { RegionSpec } from './pack/pack.js'
import { isBlank, isRule, type ScreenRow } from './screen-row.js'

/** Consecutive rows of the viewport, first and last inclusive. Empty regions do not exist. */
export interface Region {
  name: string
  first: number
  last: number
}

export function makeRegion(name: string, first: number, last: number): Region | null {
  return first <= last ? { name, first, last } : null
}

export function rowsOf(rows: readonly ScreenRow[], region: Region | null | undefined): readonly ScreenRow[] {
  return region ? rows.slice(region.first, region.last + 1) : []
}

/** Finds a declared region on a frame. Regions that refer to others find them in `known`. */
export function findRegion(
  spec: RegionSpec,
  rows: readonly ScreenRow[],
  cols: number,
  known: ReadonlyMap<string, Region>,
): Region | null {
  switch (spec.kind) {
    case 'box':
      return findBox(spec, rows)
    case 'gutter':
      return findGutter(spec, rows)
    case 'open_box':
      return findOpenBox(spec, rows)
    case 'tail':
      return span(spec.name, nonBlank(rows).slice(-spec.n))
    case 'head':
      return span(spec.name, nonBlank(rows).slice(0, spec.n))
    case 'above':
    case 'below':
      return findBeside(spec, rows, cols, known)
    case 'between': {
      const after = known.get(spec.after)
      const before = known.get(spec.before)
      return after && before ? makeRegion(spec.name, after.last + 1, before.first - 1) : null
    }
    case 'after_last': {
      const index = rows.findLastIndex(row => spec.match.test(row.text))
      return index < 0 ? null : makeRegion(spec.name, index + 1, rows.length - 1)
    }
    case 'title':
    case 'progress':
      return null
  }
}

function nonBlank(rows: readonly ScreenRow[]): number[] {
  return rows.filter(row => !isBlank(row)).map(row => row.index)
}

function span(name: string, indexes: number[]): Region | null {
  return indexes.length === 0 ? null : { name, first: indexes[0]!, last: indexes.at(-1)! }
}

/**
 * The lowest bottom edge with a top edge above it and body rows between, the first of which
 * matches. A draft of many lines has many body rows.
 */
function findBox(spec: Extract<RegionSpec, { kind: 'box' }>, rows: readonly ScreenRow[]): Region | null {
  for (let bottom = rows.length - 1; bottom >= 2; bottom--) {
    if (!spec.bottom.test(rows[bottom]!.text)) continue
    for (let top = bottom - 2; top >= 0; top--) {
      if (!spec.top.test(rows[top]!.text)) continue
      const isFree = !spec.without || !rows.slice(top + 1, bottom).some(row => spec.without!.test(row.text))
      if (isFree && spec.body.test(rows[top + 1]!.text)) return { name: spec.name, first: top, last: bottom }
      break
    }
  }
  return null
}

/** Rows after one gutter, up from the lowest bottom edge. */
function findGutter(spec: Extract<RegionSpec, { kind: 'gutter' }>, rows: readonly ScreenRow[]): Region | null {
  const bottom = rows.findLastIndex(row => spec.bottom.test(row.text))
  let first = bottom
  while (first > 0 && spec.body.test(rows[first - 1]!.text)) first--
  return first < bottom ? { name: spec.name, first, last: bottom } : null
}

/** The last prompt row with only rows below it that the pack allows there. */
function findOpenBox(spec: Extract<RegionSpec, { kind: 'open_box' }>, rows: readonly ScreenRow[]): Region | null {
  const first = rows.findLastIndex(row => spec.body.test(row.text))
  if (first < 0) return null
  const isAllowed = (row: ScreenRow): boolean => {
    if (isBlank(row)) return true
    if (spec.below === 'blank') return false
    if (spec.below === 'indented' && row.indent >= 2) return true
    return spec.footer?.test(row.text) ?? false
  }
  if (!rows.slice(first + 1).every(isAllowed)) return null
  let last = first
  while (last + 1 < rows.length && !isBlank(rows[last + 1]) && rows[last + 1]!.indent >= 2) last++
  return { name: spec.name, first, last }
}

function findBeside(
  spec: Extract<RegionSpec, { kind: 'above' | 'below' }>,
  rows: readonly ScreenRow[],
  cols: number,
  known: ReadonlyMap<string, Region>,
): Region | null {
  const other = known.get(spec.of)
  if (!other) return null
  const step = spec.kind === 'above' ? -1 : 1
  const start = spec.kind === 'above' ? other.first - 1 : other.last + 1
  let end: number | null = null
  for (let taken = 0, index = start; taken < spec.n && index >= 0 && index < rows.length; index += step) {
    const row = rows[index]!
    if (spec.stop === 'blank' && isBlank(row) && taken > 0) break
    if (spec.stop === 'rule' && isRule(row, cols)) break
    end = index
    if (!isBlank(row)) taken++
  }
  return end === null ? null : makeRegion(spec.name, Math.min(start, end), Math.max(start, end))
}
