import type { Frame, Row } from '../terminal/index.js'
import type { RegionSpec } from './pack/pack.js'

/** A stretch of rows of the viewport, first and last inclusive. Empty regions do not exist. */
export interface Region {
  name: string
  first: number
  last: number
}

/** Rows whose text is a rule across at least half of the screen. */
export function isRule(row: Row, cols: number): boolean {
  return /^\s*[─━═▔▁╌┄-]{3,}/u.test(row.text) && /^[\s─━═▔▁╌┄-]+$/u.test(row.text) && row.text.trim().length >= cols / 2
}

export function isBlank(row: Row | undefined): boolean {
  return row === undefined || row.text.trim() === ''
}

export function lastNonBlank(rows: readonly Row[], below = rows.length): number {
  let index = below - 1
  while (index >= 0 && isBlank(rows[index])) index--
  return index
}

/** Finds a declared region on a frame. Regions that refer to others take them from `known`. */
export function findRegion(spec: RegionSpec, frame: Frame, known: ReadonlyMap<string, Region>): Region | null {
  const rows = frame.lines
  switch (spec.kind) {
    case 'box':
      return findBox(spec, rows)
    case 'open_box':
      return findOpenBox(spec, rows)
    case 'tail':
      return fromNonBlank(spec.name, nonBlank(rows).slice(-spec.n))
    case 'head':
      return fromNonBlank(spec.name, nonBlank(rows).slice(0, spec.n))
    case 'above':
    case 'below':
      return findBeside(spec, frame, known)
    case 'between': {
      const after = known.get(spec.after)
      const before = known.get(spec.before)
      return after && before ? region(spec.name, after.last + 1, before.first - 1) : null
    }
    case 'after_last': {
      const index = rows.findLastIndex(row => spec.match.test(row.text))
      return index < 0 ? null : region(spec.name, index + 1, rows.length - 1)
    }
    case 'title':
    case 'progress':
      return null
  }
}

function region(name: string, first: number, last: number): Region | null {
  return first <= last ? { name, first, last } : null
}

function nonBlank(rows: readonly Row[]): number[] {
  return rows.flatMap((row, index) => (isBlank(row) ? [] : [index]))
}

function fromNonBlank(name: string, indexes: number[]): Region | null {
  return indexes.length === 0 ? null : { name, first: indexes[0]!, last: indexes.at(-1)! }
}

/** The last bottom edge that has a body row and a top edge above it. Rows between body and edges belong to the box (a draft of many lines). */
function findBox(spec: Extract<RegionSpec, { kind: 'box' }>, rows: readonly Row[]): Region | null {
  for (let bottom = rows.length - 1; bottom >= 2; bottom--) {
    if (!spec.bottom.test(rows[bottom]!.text)) continue
    for (let top = bottom - 1; top >= 0; top--) {
      if (!spec.top.test(rows[top]!.text)) continue
      return rows.slice(top + 1, bottom).some(row => spec.body.test(row.text)) && spec.body.test(rows[top + 1]!.text)
        ? { name: spec.name, first: top, last: bottom }
        : null
    }
  }
  return null
}

/** The last prompt row with nothing below it but what the pack says may stand there. */
function findOpenBox(spec: Extract<RegionSpec, { kind: 'open_box' }>, rows: readonly Row[]): Region | null {
  const first = rows.findLastIndex(row => spec.body.test(row.text))
  if (first < 0) return null
  let last = first
  while (last + 1 < rows.length && /^\s{2,}\S/.test(rows[last + 1]!.text)) last++
  const isAllowed = (row: Row): boolean => {
    if (isBlank(row)) return true
    if (spec.below === 'blank') return false
    if (spec.below === 'indented') return /^\s{2,}\S/.test(row.text)
    return spec.footer?.test(row.text) ?? false
  }
  const hasOnlyAllowed = rows.slice(first + 1).every(isAllowed)
  return hasOnlyAllowed ? { name: spec.name, first, last: spec.below === 'indented' ? first : last } : null
}

function findBeside(spec: Extract<RegionSpec, { kind: 'above' | 'below' }>, frame: Frame, known: ReadonlyMap<string, Region>): Region | null {
  const other = known.get(spec.of)
  if (!other) return null
  const step = spec.kind === 'above' ? -1 : 1
  const start = spec.kind === 'above' ? other.first - 1 : other.last + 1
  let end = start
  for (let taken = 0, index = start; taken < spec.n && index >= 0 && index < frame.lines.length; index += step) {
    const row = frame.lines[index]!
    if (spec.stop === 'blank' && isBlank(row) && taken > 0) break
    if (spec.stop === 'rule' && isRule(row, frame.cols)) break
    end = index
    if (!isBlank(row)) taken++
  }
  return region(spec.name, Math.min(start, end), Math.max(start, end))
}
