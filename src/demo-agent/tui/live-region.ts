import { displayWidth, graphemes, plural, truncate } from '../../text/index.js'
import { drawMenu } from '../menu/draw-menu.js'
import { COLOR, FAINT, type Line, QUIET } from '../text/style.js'
import { fitLine, lineWidth, wrapSpans } from '../text/wrap.js'
import type { Composer } from './composer.js'
import { entryLines, PROMPT, seconds, tokenCount } from './entry-lines.js'
import type { ViewModel } from './view-model.js'

export interface LiveRegion {
  lines: Line[]
  cursor: { row: number; column: number; isVisible: boolean }
}

export interface ScreenSize {
  columns: number
  rows: number
}

const SPINNER = ['◜', '◝', '◞', '◟'] as const

/**
 * The part of the screen that is redrawn in place: open entries, working row, panels, input box or
 * menu.
 */
export function liveRegion(model: ViewModel, size: ScreenSize, now: number): LiveRegion {
  const { columns: width, rows } = size
  const above: Line[] = model.open.flatMap(entry => [[], ...entryLines(entry, width)])
  if (!model.menu && model.working) above.push([], ...workingRow(model, width, now))
  above.push(...todoPanel(model, width), ...agentPanel(model, width))
  const bottom = model.menu ? menuPart(model, size) : composerPart(model, size)
  const lines = [...above, [], ...bottom.lines].map(line => fitLine(line, width))
  const { cursor } = bottom
  return crop(
    lines,
    { ...cursor, row: cursor.row + above.length + 1, column: Math.min(width - 1, cursor.column) },
    rows,
  )
}

/**
 * Keeps the rows at the bottom; on a screen that is too low for them, the rows from the cursor on.
 */
function crop(lines: Line[], cursor: LiveRegion['cursor'], rows: number): LiveRegion {
  const from = Math.min(Math.max(0, lines.length - rows), cursor.row)
  return { lines: lines.slice(from, from + rows), cursor: { ...cursor, row: cursor.row - from } }
}

function workingRow(model: ViewModel, width: number, now: number): Line[] {
  const { label, retry, since } = model.working!
  const glyph = SPINNER[model.tick % SPINNER.length]!
  const lead: Line = [{ text: `${glyph} `, style: { fg: COLOR.amber } }]
  if (retry) {
    const left = Math.max(0, Math.ceil((retry.delayMs - (now - since)) / 1000))
    const reason = `${retry.status ? `${retry.status} ` : ''}${retry.reason}`
    return [
      fitLine(
        [
          ...lead,
          { text: `Retrying in ${left}s`, style: { fg: COLOR.amber } },
          { text: ` · attempt ${retry.attempt}/${retry.of} · ${reason}`, style: QUIET },
        ],
        width,
      ),
    ]
  }
  const facts = `${seconds(now - model.turnSince)} · ${tokenCount(model.tokens)} tokens · esc to stop`
  return [
    fitLine([...lead, { text: `${label}…`, style: { fg: COLOR.amber } }, { text: ` ${facts}`, style: QUIET }], width),
  ]
}

const TODO_MARK = { open: '◻', doing: '◼', done: '✔' } as const
const TODO_STYLE = {
  open: {},
  doing: { fg: COLOR.amber, bold: true },
  done: { fg: COLOR.steel, strike: true },
} as const
const TODO_MARK_STYLE = { open: QUIET, doing: { fg: COLOR.amber }, done: { fg: COLOR.green } } as const

function todoPanel(model: ViewModel, width: number): Line[] {
  if (model.todo.length === 0) return []
  const done = model.todo.filter(item => item.status === 'done').length
  const rows = model.todo.map<Line>(item => [
    { text: `  ${TODO_MARK[item.status]} `, style: TODO_MARK_STYLE[item.status] },
    { text: truncate(item.text, Math.max(1, width - 4)), style: TODO_STYLE[item.status] },
  ])
  return [[], [{ text: `  Tasks ${done} of ${model.todo.length} done`, style: QUIET }], ...rows]
}

function agentPanel(model: ViewModel, width: number): Line[] {
  if (model.agents.length === 0) return []
  const running = model.agents.filter(agent => agent.isRunning).length
  const nameWidth = Math.max(...model.agents.map(agent => displayWidth(agent.name)))
  const rows = model.agents.map<Line>((agent, index) => {
    const glyph = agent.isRunning ? SPINNER[(model.tick + index) % SPINNER.length]! : '✔'
    const facts = `${seconds(agent.elapsedMs)} · ${tokenCount(agent.tokens)} tokens`
    const room = Math.max(1, width - nameWidth - displayWidth(facts) - 9)
    return [
      { text: `  ${glyph} `, style: { fg: agent.isRunning ? COLOR.amber : COLOR.green } },
      { text: `${padded(agent.name, nameWidth)}  `, style: { bold: true } },
      { text: `${padded(truncate(agent.task, room), room)}  `, style: {} },
      { text: facts, style: QUIET },
    ]
  })
  return [[], [{ text: `  Agents ${running} of ${model.agents.length} running`, style: QUIET }], ...rows]
}

function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)))
}

function menuPart(model: ViewModel, size: ScreenSize): LiveRegion {
  const drawn = drawMenu(model.menu!, size.columns, size.rows - 2)
  return { lines: drawn.lines, cursor: drawn.cursor }
}

function composerPart(model: ViewModel, size: ScreenSize): LiveRegion {
  const { columns: width } = size
  const lines: Line[] = []
  for (const text of model.queued)
    lines.push(
      fitLine(
        [
          { text: `${PROMPT} ${text.split('\n')[0]!}`, style: QUIET },
          { text: '  queued', style: { ...FAINT, italic: true } },
        ],
        width,
      ),
    )
  if (model.survey !== null)
    lines.push(
      ...wrapSpans(
        [
          { text: `☆ ${model.survey}  `, style: { fg: COLOR.violet } },
          { text: '1: bad   2: fine   3: good   0: dismiss', style: QUIET },
        ],
        { width, first: [{ text: '  ', style: {} }] },
      ),
    )
  const rule: Line = [{ text: '─'.repeat(width), style: FAINT }]
  const draft = draftLines(
    model.composer,
    model.placeholder,
    width,
    Math.max(1, Math.min(10, size.rows >> 1)),
    model.working !== null,
  )
  lines.push(rule)
  const row = lines.length + draft.cursor.row
  lines.push(...draft.lines, rule, footer(model, width))
  return { lines, cursor: { row, column: draft.cursor.column, isVisible: true } }
}

function footer(model: ViewModel, width: number): Line {
  const left: Line = model.isExitArmed
    ? [{ text: '  press ctrl-c again to exit', style: { fg: COLOR.amber } }]
    : [
        {
          text: model.working ? '  esc to stop · enter to queue' : '  enter to send · ctrl-j for a new line',
          style: QUIET,
        },
      ]
  const count = model.background.length
  const shells = count === 0 ? '' : `${plural(count, 'shell')} running · `
  const right: Line = [
    { text: shells, style: { fg: COLOR.amber } },
    { text: model.mode, style: QUIET },
  ]
  const gap = width - lineWidth(left) - lineWidth(right) - 2
  return gap < 2
    ? fitLine(count > 0 ? [{ text: '  ', style: {} }, ...right] : left, width)
    : [...left, { text: ' '.repeat(gap), style: {} }, ...right]
}

interface DraftLines {
  lines: Line[]
  cursor: { row: number; column: number }
}

/**
 * The draft with its prompt glyph, wrapped at the edge, at most `maxRows` high around the cursor.
 */
function draftLines(
  composer: Composer,
  placeholder: string,
  width: number,
  maxRows: number,
  isBusy: boolean,
): DraftLines {
  const glyph: Line = [{ text: `${PROMPT} `, style: { fg: isBusy ? COLOR.steel : COLOR.blue, bold: true } }]
  if (composer.text === '')
    return {
      lines: [fitLine([...glyph, { text: placeholder, style: { fg: COLOR.steel, dim: true } }], width)],
      cursor: { row: 0, column: Math.min(2, width - 1) },
    }
  const room = Math.max(1, width - 2)
  const rows: string[] = ['']
  let used = 0
  let cursor = { row: 0, column: 0 }
  const cells = [...graphemes(composer.text)]
  cells.forEach((cell, index) => {
    const size = displayWidth(cell)
    if (cell !== '\n' && used + size > room) {
      rows.push('')
      used = 0
    }
    if (index === composer.cursor) cursor = { row: rows.length - 1, column: used }
    if (cell === '\n') {
      rows.push('')
      used = 0
    } else {
      rows[rows.length - 1] += cell
      used += size
    }
  })
  if (composer.cursor >= cells.length) {
    if (used >= room) {
      rows.push('')
      used = 0
    }
    cursor = { row: rows.length - 1, column: used }
  }
  const from = Math.max(0, Math.min(cursor.row - (maxRows >> 1), rows.length - maxRows))
  const lines = rows
    .slice(from, from + maxRows)
    .map<Line>((text, index) =>
      fitLine([...(index + from === 0 ? glyph : [{ text: '  ', style: {} }]), { text, style: {} }], width),
    )
  return { lines, cursor: { row: cursor.row - from, column: Math.min(width - 1, cursor.column + 2) } }
}
