import { diffLines, diffRows } from '../text/diff.js'
import { inlineSpans } from '../text/inline.js'
import { markdownLines } from '../text/markdown.js'
import { COLOR, FAINT, type Line, QUIET } from '../text/style.js'
import { fillLine, lineWidth, wrapSpans } from '../text/wrap.js'
import { footerText, horizontalRow, type OptionRows, optionRows, tabRow } from './menu-rows.js'
import { currentPage, focusedText, isSubmitPage, type MenuState } from './menu-state.js'

export interface DrawnMenu {
  lines: Line[]
  cursor: { row: number; column: number; isVisible: boolean }
}

const BORDER = { fg: COLOR.amber }

/**
 * A menu at the bottom of the screen. Its pointer is in column 1 (in a box: column 2), where text
 * of the agent never starts: bullets are in column 0, text from column 2.
 */
export function drawMenu(state: MenuState, width: number, maxHeight: number): DrawnMenu {
  return state.layout === 'boxed' ? boxed(state, width, maxHeight) : flat(state, width, maxHeight)
}

function flat(state: MenuState, width: number, maxHeight: number): DrawnMenu {
  if (state.layout === 'inline' || state.layout === 'password') return promptLine(state, width)
  const head: Line[] = [[{ text: '━'.repeat(width), style: BORDER }], ...titleLines(state, width)]
  const options = optionsOf(state, width)
  const question = questionLines(state, width)
  const tail: Line[] = []
  if (state.layout === 'typed') tail.push([], ...typedPrompt(state, width))
  else if (state.spec.footer !== false)
    tail.push([], ...wrapSpans([{ text: footerText(state), style: QUIET }], { width, first: margin() }))
  const fixed = head.length + question.length + 1 + options.lines.length + tail.length
  const body = cropBody(bodyLines(state, width), maxHeight - fixed)
  const before = [...head, ...body, ...question, []]
  const lines = [...before, ...options.lines, ...tail]
  if (state.layout === 'typed')
    return { lines, cursor: { row: lines.length - 1, column: lineWidth(lines.at(-1)!), isVisible: true } }
  return { lines, cursor: cursorOn(state, options, before.length, width) }
}

function boxed(state: MenuState, width: number, maxHeight: number): DrawnMenu {
  const inner = Math.max(1, width - 4)
  const options = optionsOf(state, inner)
  const question = questionLines(state, inner)
  const footer =
    state.spec.footer === false
      ? []
      : [[], ...wrapSpans([{ text: footerText(state), style: QUIET }], { width: inner, first: margin() })]
  const fixed = question.length + 1 + options.lines.length + footer.length + 2
  const before = [
    ...titleLines(state, inner),
    ...cropBody(bodyLines(state, inner), maxHeight - fixed - 1),
    ...question,
    [],
  ]
  const wall = (line: Line): Line => [
    { text: '│', style: BORDER },
    ...fillLine(line, Math.max(1, width - 2), {}),
    { text: '│', style: BORDER },
  ]
  const lines: Line[] = [
    [{ text: `╭${'─'.repeat(Math.max(0, width - 2))}╮`, style: BORDER }],
    ...[...before, ...options.lines, ...footer].map(wall),
    [{ text: `╰${'─'.repeat(Math.max(0, width - 2))}╯`, style: BORDER }],
  ]
  const cursor = cursorOn(state, options, before.length + 1, width)
  return { lines, cursor: { ...cursor, column: Math.min(width - 1, cursor.column + 1) } }
}

function optionsOf(state: MenuState, width: number): OptionRows {
  const page = currentPage(state)
  if (state.layout === 'horizontal') return horizontalRow(page, width)
  return optionRows(page, {
    width,
    numbered: state.layout !== 'plain',
    columns: state.spec.columns ?? false,
    pointer: state.layout !== 'typed',
    window: state.spec.window ?? null,
  })
}

function cursorOn(state: MenuState, options: OptionRows, offset: number, width: number): DrawnMenu['cursor'] {
  const isTyping = focusedText(currentPage(state)) !== null && state.layout !== 'horizontal'
  const column = isTyping || state.layout === 'horizontal' ? options.selectedColumn : 1
  return { row: offset + options.selectedRow, column: Math.min(width - 1, column), isVisible: isTyping }
}

function titleLines(state: MenuState, width: number): Line[] {
  if (state.layout === 'tabs') return [tabRow(state, width), []]
  if (!state.spec.title) return []
  return wrapSpans([{ text: state.spec.title, style: { fg: COLOR.amber, bold: true } }], { width, first: margin() })
}

function questionLines(state: MenuState, width: number): Line[] {
  return wrapSpans(inlineSpans(currentPage(state).question), { width, first: margin() })
}

function bodyLines(state: MenuState, width: number): Line[] {
  const { body, command, diff } = state.spec
  if (isSubmitPage(state)) {
    return state.pages
      .slice(0, -1)
      .flatMap(page => {
        const answer = page.isAnswered
          ? page.multi
            ? page.options
                .filter((_, i) => page.checked[i])
                .map(o => o.label)
                .join(', ')
            : page.options[page.cursor]!.label
          : '(not answered)'
        return wrapSpans(
          [
            { text: `${page.label}: `, style: QUIET },
            { text: answer, style: {} },
          ],
          { width, first: [{ text: ' • ', style: QUIET }] },
        )
      })
      .concat([[]])
  }
  if (state.layout === 'tabs') return []
  const frame: Line = [{ text: ` ${'╌'.repeat(Math.max(0, width - 2))}`, style: FAINT }]
  const indent = (line: Line): Line => [{ text: '   ', style: {} }, ...line]
  const room = Math.max(1, width - 4)
  const lines: Line[] = []
  if (body) lines.push(...markdownLines(body, Math.max(1, width - 2)).map(line => [...margin(), ...line]), [])
  if (diff)
    lines.push(
      ...wrapSpans([{ text: diff.path, style: { bold: true } }], { width, first: margin() }),
      frame,
      ...diffLines(diffRows(diff.before, diff.after), room).map(indent),
      frame,
    )
  if (command !== undefined)
    lines.push(
      frame,
      ...wrapSpans([{ text: `$ ${command}`, style: { fg: COLOR.sand } }], { width: room, hard: true }).map(indent),
      frame,
    )
  return lines
}

function cropBody(lines: Line[], room: number): Line[] {
  if (lines.length <= room) return lines
  if (room < 2) return []
  return [...lines.slice(0, room - 1), [{ text: ` ⋮ ${lines.length - room + 1} more rows`, style: QUIET }]]
}

/** `Continue? [y/N] ` or `Password: `: one line with the cursor at its end and nothing below it. */
function promptLine(state: MenuState, width: number): DrawnMenu {
  const page = currentPage(state)
  const letters = page.options.map((option, index) => {
    const letter = option.label.slice(0, 1)
    return index === page.cursor ? letter.toUpperCase() : letter.toLowerCase()
  })
  const text =
    state.layout === 'password' ? `${page.question} ` : `${page.question} [${letters.join('/')}] ${state.typed}`
  const lines = wrapSpans([{ text, style: {} }], { width, hard: true })
  const last = lines.at(-1)!
  return {
    lines,
    cursor: {
      row: lines.length - 1,
      column: Math.min(width - 1, lineWidth(last)),
      isVisible: true,
    },
  }
}

function typedPrompt(state: MenuState, width: number): Line[] {
  const count = currentPage(state).options.length
  return wrapSpans([{ text: `Type a number [1-${count}], then enter; esc to cancel: ${state.typed}`, style: {} }], {
    width,
    first: margin(),
    hard: true,
  })
}

function margin(): Line {
  return [{ text: ' ', style: {} }]
}
