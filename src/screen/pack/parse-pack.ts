import { parse, TomlError } from 'smol-toml'
import { SignalboxError } from '../../errors/index.js'
import type { MenuSpec, Pack, RegionSpec, RowPattern, RuleSpec, StyleSpec, TextWidth } from './pack.js'
import { type PackFile, packSchema, type RuleFile } from './pack-schema.js'
import { compilePattern } from './pattern.js'

/** Regions that exist in every pack without being declared. */
export const BUILT_IN_REGIONS = ['screen', 'live', 'transcript', 'composer', 'menu', 'footer', 'status', 'title', 'progress'] as const

/** @throws SignalboxError `E_PACK` naming the file, the field and what would be right. */
export function parsePack(text: string, file: string): Pack {
  const data = packSchema.safeParse(parseToml(text, file))
  if (!data.success) {
    const issue = data.error.issues[0]!
    throw packError(file, `${issue.path.join('.') || 'the file'}: ${issue.message}`)
  }
  return compilePack(data.data, file)
}

function parseToml(text: string, file: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new SignalboxError('E_PACK', error.message.split('\n')[0]!, { place: { file, line: error.line, column: error.column }, cause: error })
  }
}

function packError(file: string, message: string): SignalboxError {
  return new SignalboxError('E_PACK', message, { place: { file } })
}

function compilePack(data: PackFile, file: string): Pack {
  const compile = (source: string, field: string): RegExp => {
    try {
      return compilePattern(source, data.glyphs)
    } catch (error) {
      throw packError(file, `${field}: ${(error as Error).message}`)
    }
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
    evidence: data.evidence,
    locale: data.locale,
    terminator: data.terminator,
    detect: {
      argv0: data.detect.argv0,
      banner: optional(data.detect.banner, 'detect.banner'),
      title: optional(data.detect.title, 'detect.title'),
    },
    text: {
      indent: data.text.indent,
      width: textWidth(data.text.width),
      inlineCodeFg: data.text.inline_code_fg,
      scrollbar: data.text.scrollbar,
    },
    input: {
      mode: data.input.mode,
      paceMs: data.input.pace_ms,
      settleMs: data.input.settle_ms,
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
      strip: block.strip,
      running: optional(block.running, `blocks[${n}].running`),
      failed: optional(block.failed, `blocks[${n}].failed`),
    })),
    chrome: data.chrome.map((row, n) =>
      'line' in row
        ? { first: rowOf(row, `chrome[${n}]`), more: null }
        : { first: { line: compile(row.first, `chrome[${n}].first`), style: row.style ?? null }, more: optional(row.more, `chrome[${n}].more`) },
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
    danger: data.danger.map((entry, n) => ({ id: entry.id, match: compile(entry.match, `danger[${n}].match`), rule: entry.rule })),
    rules: data.rule.filter(rule => !rule.disabled).map(rule => compileRule(rule, compile, optional)),
    fixtures: data.fixtures as Pack['fixtures'],
  }
  checkRegions(pack)
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
      return { ...region, top: compile(region.top, field), body: compile(region.body, field), bottom: compile(region.bottom, field) }
    case 'open_box':
      return { ...region, body: compile(region.body, field), footer: region.footer ? compile(region.footer, field) : null }
    case 'after_last':
      return { ...region, match: compile(region.match, field) }
    default:
      return region
  }
}

function compileMenu(menu: PackFile['menus'][number], n: number, compile: Compile, optional: CompileOptional): MenuSpec {
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
    choose: menu.choose,
    meaning: menu.meaning.map(entry => ({ ...entry, label: compile(entry.label, `menus[${n}].meaning`) })),
  }
}

function compileRule(rule: RuleFile, compile: Compile, optional: CompileOptional): RuleSpec {
  const field = `rule ${rule.id}`
  const conditions = (list: { region: string; line: string }[]) => list.map(c => ({ region: c.region, line: compile(c.line, field) }))
  return {
    id: rule.id,
    view: rule.view ?? null,
    facet: rule.facet ?? null,
    skip: rule.skip ?? null,
    priority: rule.priority,
    region: rule.region,
    line: optional(rule.line, field),
    text: optional(rule.text, field),
    all: conditions(rule.all),
    any: conditions(rule.any),
    none: conditions(rule.none),
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

function checkRegions(pack: Pack): void {
  const known = new Set<string>([...BUILT_IN_REGIONS, ...pack.regions.map(region => region.name)])
  for (const rule of pack.rules) {
    for (const name of [rule.region, ...[...rule.all, ...rule.any, ...rule.none].map(condition => condition.region)]) {
      if (!known.has(name)) throw packError(pack.file, `rule ${rule.id}: there is no region "${name}"`)
    }
  }
}
