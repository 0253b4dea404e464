import { type FilePosition, SignalboxError } from '../../errors/index.js'
import { toFixtures } from './fixture-file.js'
import type { MenuSpec, Pack, RegionSpec, RowPattern, RuleSpec, StyleSpec, TextWidth } from './pack.js'
import { type PackFile, packSchema, type RuleFile } from './pack-schema.js'
import { type MergedSources, mergeSources, type PackSource } from './pack-source.js'
import { compilePattern } from './pattern.js'
import { isInRange, parseRange, type VersionRange } from './versions.js'

/** Regions that exist in every pack without a declaration. */
const BUILT_IN_REGIONS = [
  'screen',
  'live',
  'transcript',
  'composer',
  'menu',
  'footer',
  'status',
  'newest',
  'error',
  'title',
  'progress',
] as const

/**
 * Invisible, no blank that a program trims, and ignored wherever texts are compared: with it an
 * agent of which nothing is known runs no prompt as a command.
 */
const WORD_JOINER = '\u2060'

export interface PackOptions {
  /** The agent's version, if it is known: it selects rules with `since` and `until`. */
  version?: string | null
  /** How much the pack is trusted: less than 1 if it was written for another version. */
  trust?: number
}

/** @throws SignalboxError `E_PACK` with file, line, the field and what would be right. */
export function parsePack(text: string, file: string, options: PackOptions = {}): Pack {
  return composePack([{ text, file }], options)
}

/** One pack from several files, later ones merged over earlier ones. */
export function composePack(sources: readonly PackSource[], options: PackOptions = {}): Pack {
  const merged = mergeSources(sources)
  const parsed = packSchema.safeParse(merged.data)
  if (!parsed.success) throw schemaError(parsed.error.issues[0]!, merged)
  return compilePack(parsed.data, sources[0]!.file, merged, options)
}

function schemaError(
  issue: { code?: string; path: PropertyKey[]; message: string; keys?: string[] },
  merged: MergedSources,
): SignalboxError {
  const path = issue.path.map(part => (typeof part === 'number' ? part : String(part)))
  const field = nameOfField(path, merged.data)
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys?.[0] : undefined
  if (unknown !== undefined) {
    const message = `there is no field "${unknown}"${field === '' ? '' : ` in ${field}`}`
    return new SignalboxError('E_PACK', message, { place: merged.placeOf([...path, unknown]) })
  }
  return new SignalboxError('E_PACK', `${field || 'the file'}: ${issue.message}`, { place: merged.placeOf(path) })
}

/** `rule working.spinner line` if it has a name, else `blocks.2.first`. */
function nameOfField(path: readonly (string | number)[], data: Record<string, unknown>): string {
  const [list, index, ...rest] = path
  const entry = typeof index === 'number' ? (data[list!] as Record<string, unknown>[] | undefined)?.[index] : undefined
  const name = entry?.id ?? entry?.name
  return typeof name === 'string' ? [list, name, ...rest].join(' ') : path.join('.')
}

/** `blocks[2].first`, `rule working.spinner line` → its position. */
function placeOfField(field: string, data: PackFile, merged: MergedSources): FilePosition {
  const named = /^(rule|region) (\S+)(?: (\S+))?$/.exec(field)
  if (!named) return merged.placeOf(field.split(/[[\].]+/).filter(Boolean))
  const [, list, name, key] = named
  const index =
    list === 'rule'
      ? data.rule.findIndex(rule => rule.id === name)
      : data.region.findIndex(region => region.name === name)
  return merged.placeOf([list!, index, ...(key === undefined ? [] : [key])])
}

function compilePack(data: PackFile, file: string, merged: MergedSources, options: PackOptions): Pack {
  const fail = (field: string, message: string): never => {
    throw new SignalboxError('E_PACK', `${field}: ${message}`, { place: placeOfField(field, data, merged) })
  }
  const compile = (source: string, field: string): RegExp => {
    try {
      return compilePattern(source, data.glyphs)
    } catch (error) {
      return fail(field, (error as Error).message)
    }
  }
  const range = (text: string, field: string): VersionRange => {
    try {
      return parseRange(text)
    } catch (error) {
      return fail(field, (error as Error).message)
    }
  }
  const { version = null, trust = 1 } = options
  const isForVersion = ({ id, since, until }: RuleFile): boolean => {
    const bounds = [...(since === undefined ? [] : [`>=${since}`]), ...(until === undefined ? [] : [`<${until}`])]
    if (bounds.length === 0) return true
    const checked = range(bounds.join(' '), `rule ${id} ${since === undefined ? 'until' : 'since'}`)
    return version === null || isInRange(version, checked)
  }
  const optional = (source: string | undefined, field: string) => (source === undefined ? null : compile(source, field))
  const rowOf = (row: { line: string; style?: StyleSpec | undefined }, field: string): RowPattern => ({
    line: compile(row.line, field),
    style: row.style ?? null,
  })
  const pack: Pack = {
    file,
    agent: data.agent,
    versions: data.versions,
    range: range(data.versions, 'versions'),
    trust,
    evidence: data.evidence,
    locale: data.locale,
    byStructure: data.base === 'structure' || data.blocks.length === 0,
    terminator: data.terminator,
    idleMs: data.idle_ms,
    detect: {
      argv0: data.detect.argv0,
      banner: optional(data.detect.banner, 'detect.banner'),
      title: optional(data.detect.title, 'detect.title'),
    },
    text: {
      indent: data.text.indent,
      width: textWidth(data.text.width),
      scrollbar: data.text.scrollbar,
    },
    input: {
      mode: data.input.mode,
      paceMs: data.input.pace_ms,
      settleMs: data.input.settle_ms,
      literal: { '!': data.input.literal['!'] ?? WORD_JOINER, '/': data.input.literal['/'] ?? WORD_JOINER },
      submit: data.input.submit,
      newline: data.input.newline,
      clear: data.input.clear,
      interrupt: data.input.interrupt,
      interruptPresses: data.input.interrupt_presses,
      queue: data.input.queue,
      exit: data.input.exit,
    },
    env: data.env,
    regions: data.region.map(region => compileRegion(region, compile)),
    terminators: data.terminators.map((row, n) => ({ pattern: rowOf(row, `terminators[${n}]`), outcome: row.outcome })),
    blocks: data.blocks.map((block, n) => ({
      kind: block.kind,
      first: { line: compile(block.first, `blocks[${n}].first`), style: block.style ?? null },
      more: optional(block.more, `blocks[${n}].more`),
      next: optional(block.next, `blocks[${n}].next`),
      after: block.after ?? null,
      tight: block.tight,
      weak: block.weak,
      queued: optional(block.queued, `blocks[${n}].queued`),
      strip: block.strip,
      running: optional(block.running, `blocks[${n}].running`),
      failed: optional(block.failed, `blocks[${n}].failed`),
    })),
    chrome: data.chrome.map((row, n) =>
      'line' in row
        ? { first: rowOf(row, `chrome[${n}]`), more: null }
        : {
            first: { line: compile(row.first, `chrome[${n}].first`), style: row.style ?? null },
            more: optional(row.more, `chrome[${n}].more`),
          },
    ),
    volatile: data.volatile.map((row, n) => compile(row.line, `volatile[${n}]`)),
    queued: data.queued.map((row, n) => rowOf(row, `queued[${n}]`)),
    commands: optional(data.commands, 'commands'),
    panels: data.panels.map((panel, n) => ({
      name: panel.name,
      first: { line: compile(panel.first, `panels[${n}].first`), style: panel.style ?? null },
      more: optional(panel.more, `panels[${n}].more`),
    })),
    menus: data.menus.map((menu, n) => compileMenu(menu, n, compile, optional)),
    danger: data.danger.map((entry, n) => ({
      id: entry.id,
      match: compile(entry.match, `danger[${n}].match`),
      rule: entry.rule,
    })),
    rules: data.rule.filter(isForVersion).map(rule => compileRule(rule, compile, optional)),
    fixtures: toFixtures(data.fixtures),
  }
  checkRegions(pack, fail)
  return pack
}

function textWidth(width: string | number): TextWidth {
  if (typeof width === 'number') return { from: 'fixed', width }
  return { from: 'cols', minus: Number(width.split('-')[1] ?? 0) }
}

type Compile = (source: string, field: string) => RegExp
type CompileOptional = (source: string | undefined, field: string) => RegExp | null

function compileRegion(region: PackFile['region'][number], compile: Compile): RegionSpec {
  const field = `region ${region.name}`
  switch (region.kind) {
    case 'box':
      return {
        ...region,
        top: compile(region.top, field),
        body: compile(region.body, field),
        bottom: compile(region.bottom, field),
        without: region.without ? compile(region.without, field) : null,
      }
    case 'gutter':
      return {
        ...region,
        body: compile(region.body, field),
        bottom: compile(region.bottom, field),
        ignore: region.ignore ? compile(region.ignore, field) : null,
      }
    case 'open_box':
      return {
        ...region,
        body: compile(region.body, field),
        footer: region.footer ? compile(region.footer, field) : null,
      }
    case 'after_last':
      return { ...region, match: compile(region.match, field) }
    default:
      return region
  }
}

function compileMenu(
  menu: PackFile['menus'][number],
  n: number,
  compile: Compile,
  optional: CompileOptional,
): MenuSpec {
  return {
    kind: menu.kind,
    question: optional(menu.question, `menus[${n}].question`),
    title: optional(menu.title, `menus[${n}].title`),
    option: optional(menu.option, `menus[${n}].option`),
    column: menu.column ?? null,
    origin: menu.origin,
    esc: menu.esc ?? null,
    amend: menu.amend ?? null,
    toggle: menu.toggle,
    confirm: menu.confirm,
    unreasoned: menu.unreasoned ?? null,
    isElsewhere: menu.elsewhere,
    choose: menu.choose,
    meaning: menu.meaning.map(entry => ({ ...entry, label: compile(entry.label, `menus[${n}].meaning`) })),
  }
}

function compileRule(rule: RuleFile, compile: Compile, optional: CompileOptional): RuleSpec {
  const field = `rule ${rule.id}`
  const conditions = (list: { region: string; line: string }[], key: string) =>
    list.map(c => ({ region: c.region, line: compile(c.line, `${field} ${key}`) }))
  return {
    id: rule.id,
    view: rule.view ?? null,
    facet: rule.facet ?? null,
    skip: rule.skip ?? null,
    priority: rule.priority,
    region: rule.region,
    line: optional(rule.line, `${field} line`),
    text: optional(rule.text, `${field} text`),
    all: conditions(rule.all, 'all'),
    any: conditions(rule.any, 'any'),
    none: conditions(rule.none, 'none'),
    composer: rule.composer,
    cursor: rule.cursor,
    style: rule.style ?? null,
    busy: rule.busy ?? null,
    awaiting: rule.awaiting ?? null,
    close: rule.close ?? null,
    confidence: rule.confidence,
    capture: rule.capture,
    structural: rule.structural,
  }
}

function checkRegions(pack: Pack, fail: (field: string, message: string) => never): void {
  const known = new Set<string>([...BUILT_IN_REGIONS, ...pack.regions.map(region => region.name)])
  for (const rule of pack.rules) {
    for (const name of [rule.region, ...[...rule.all, ...rule.any, ...rule.none].map(condition => condition.region)]) {
      if (!known.has(name))
        fail(`rule ${rule.id} region`, `unknown region "${name}"; known regions are ${[...known].join(', ')}`)
    }
  }
}
