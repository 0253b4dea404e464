import { truncate } from '../../text/index.js'
import type { Outcome } from '../player/surface.js'
import { diffLines } from '../text/diff.js'
import { markdownLines } from '../text/markdown.js'
import { BOLD, COLOR, FAINT, type Line, QUIET, type Style, span } from '../text/style.js'
import { fillLine, fitLine, wrapSpans } from '../text/wrap.js'
import type { Entry, ToolEntry } from './view-model.js'

export const PROMPT = '▷'
const SAID = '◆'
const TOOL = '◇'
const ENDED = '◈'
const GUTTER = '┆'

/** An entry as rows of `width` columns: marks in column 0, text in 2, results in 4. */
export function entryLines(entry: Entry, width: number): Line[] {
  switch (entry.kind) {
    case 'banner':
      return bannerLines(entry, width)
    case 'user':
      return wrapSpans([{ text: entry.text, style: { bg: COLOR.echoBg } }], {
        width,
        first: mark(PROMPT, { fg: COLOR.blue, bold: true, bg: COLOR.echoBg }),
        rest: [{ text: '  ', style: { bg: COLOR.echoBg } }],
      }).map(line => fillLine(line, width, { bg: COLOR.echoBg }))
    case 'prose':
      return indented(markdownLines(entry.markdown, Math.max(1, width - 2)), entry.isLead)
    case 'plain':
      return indented(
        entry.lines.flatMap(text => wrapSpans([{ text, style: {} }], { width: Math.max(1, width - 2), hard: true })),
        entry.isLead,
      )
    case 'tool':
      return toolLines(entry, width)
    case 'thought':
      return [
        fitLine(
          [
            ...mark('◌', QUIET),
            { text: `Thought for ${seconds(entry.durationMs)}`, style: { ...QUIET, italic: true } },
          ],
          width,
        ),
      ]
    case 'answer':
      return wrapSpans(
        [
          { text: `${entry.question} `, style: QUIET },
          { text: entry.answer, style: BOLD },
        ],
        { width, first: mark('○', QUIET) },
      )
    case 'notice':
      return wrapSpans([{ text: entry.text, style: QUIET }], { width, first: mark('○', QUIET) })
    case 'output':
      return entry.lines.map(text => resultLine([{ text, style: QUIET }], width))
    case 'error':
      return wrapSpans([{ text: entry.text, style: { fg: COLOR.red } }], {
        width,
        first: mark('✗', { fg: COLOR.red, bold: true }),
      })
    case 'end':
      return [
        fitLine(
          [
            ...mark(ENDED, { fg: END_COLOR[entry.outcome] }),
            { text: endText(entry), style: { fg: END_COLOR[entry.outcome] } },
          ],
          width,
        ),
      ]
  }
}

const END_COLOR: Record<Outcome, string> = {
  done: COLOR.green,
  interrupted: COLOR.amber,
  denied: COLOR.amber,
  failed: COLOR.red,
}

function endText(entry: Entry & { kind: 'end' }): string {
  const time = seconds(entry.durationMs)
  if (entry.outcome === 'interrupted') return `Stopped by you after ${time} · what should I do instead?`
  if (entry.outcome === 'denied') return `Declined by you after ${time} · what should I do instead?`
  if (entry.outcome === 'failed') return `Failed after ${time}`
  return `Finished in ${time} · ${tokenCount(entry.tokens)} tokens`
}

export function seconds(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1000))
  return total < 60 ? `${total}s` : `${Math.floor(total / 60)}m ${total % 60}s`
}

export function tokenCount(tokens: number): string {
  return tokens < 1000 ? String(Math.round(tokens)) : `${(tokens / 1000).toFixed(1)}k`
}

function mark(glyph: string, style: Style): Line {
  return [
    { text: glyph, style },
    { text: ' ', style: style.bg ? { bg: style.bg } : {} },
  ]
}

function indented(lines: Line[], isLead: boolean): Line[] {
  return lines.map((line, index) =>
    index === 0 && isLead ? [...mark(SAID, { fg: COLOR.blue }), ...line] : [{ text: '  ', style: {} }, ...line],
  )
}

const TOOL_COLOR: Record<ToolEntry['state'], string> = {
  waiting: COLOR.steel,
  running: COLOR.amber,
  ok: COLOR.green,
  failed: COLOR.red,
  declined: COLOR.amber,
}

function toolLines(entry: ToolEntry, width: number): Line[] {
  const head = wrapSpans(
    [
      { text: entry.call.name, style: BOLD },
      { text: entry.call.summary === '' ? '' : `  ${entry.call.summary}`, style: {} },
    ],
    {
      width,
      first: mark(TOOL, { fg: TOOL_COLOR[entry.state] }),
    },
  )
  return [...head, ...resultRows(entry, Math.max(1, width - 4)).map(line => resultLine(line, width))]
}

function resultLine(line: Line, width: number): Line {
  return fitLine([{ text: `  ${GUTTER} `, style: FAINT }, ...line], width)
}

function resultRows(entry: ToolEntry, width: number): Line[] {
  if (entry.state === 'waiting') return [[{ text: 'waiting for you', style: QUIET }]]
  if (entry.diff) return [[{ text: entry.output, style: QUIET }], ...diffLines(entry.diff, width)]
  const rows = entry.output.trimEnd() === '' ? [] : entry.output.trimEnd().split('\n')
  if (entry.state === 'running')
    return [...rows.slice(-Math.max(1, entry.call.show - 1)), ...(rows.length === 0 ? ['running…'] : [])].map(text =>
      quiet(text, width),
    )
  const style: Style = entry.state === 'declined' ? { fg: COLOR.amber } : QUIET
  const lines = fold(rows, entry.call.show).map(text => quiet(text, width, style))
  if (entry.exitCode !== null && entry.exitCode !== 0)
    lines.push([{ text: `exit code ${entry.exitCode}`, style: { fg: COLOR.red } }])
  if (lines.length === 0) lines.push([{ text: 'no output', style: QUIET }])
  return lines
}

function fold(rows: string[], show: number): string[] {
  const limit = Math.max(1, show)
  return rows.length <= limit ? rows : [...rows.slice(0, limit), `… +${rows.length - limit} rows`]
}

function quiet(text: string, width: number, style: Style = QUIET): Line {
  return [{ text: truncate(text.replaceAll('\t', '  ').replaceAll(/\x1b\[[\d;]*m/g, ''), width), style }]
}

function bannerLines(entry: Entry & { kind: 'banner' }, width: number): Line[] {
  const wall: Style = { fg: COLOR.steel }
  const glass: Style = { fg: COLOR.amber }
  const post: Style = { fg: COLOR.shade }
  const art: Line[] = [
    [span(' ▄▄▄▄▄▄▄▄▄', { fg: COLOR.red }), span('   '), span('●', { fg: COLOR.green }), span('    ')],
    [span('  █', wall), span('▐▐▐▐▐', glass), span('█ ', wall), span('   ┃    ', post)],
    [span('  ███▌▐██ ', wall), span(' ▁▁┃▁▁  ', post)],
  ]
  const texts: Line[] = [
    [
      { text: 'Signalbox demo agent ', style: BOLD },
      { text: entry.version, style: QUIET },
    ],
    [{ text: `scenario ${entry.scenario}${entry.isResumed ? ' · resumed' : ''}`, style: QUIET }],
    [{ text: entry.cwd, style: QUIET }],
  ]
  return texts.map((text, index) => fitLine(width < 40 ? text : [...art[index]!, ...text], width))
}
