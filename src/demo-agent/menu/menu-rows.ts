import { displayWidth } from '../../text/index.js'
import type { MenuOption } from '../scenario/types.js'
import { COLOR, type Line, QUIET, type Style } from '../text/style.js'
import { fitLine, wrapSpans } from '../text/wrap.js'
import { isSubmitPage, type MenuState, type PageState } from './menu-state.js'

const POINTER = '▸'
const SELECTED: Style = { fg: COLOR.blue, bold: true }

export interface OptionRows {
  lines: Line[]
  /** The first row of the selected option, and the column after its text. */
  selectedRow: number
  selectedColumn: number
}

export interface OptionLayout {
  width: number
  numbered: boolean
  columns: boolean
  pointer: boolean
  window: number | null
}

/** The options of a page, one below the other: pointer, number, check box, label, detail. */
export function optionRows(page: PageState, layout: OptionLayout): OptionRows {
  const lines: Line[] = []
  let selectedRow = 0
  let selectedColumn = 0
  const { from, to } = windowOf(page, layout.window)
  if (from > 0) lines.push([{ text: `   ↑ ${from} more`, style: QUIET }])
  const labelWidth =
    Math.max(0, ...page.options.map(option => displayWidth(option.label))) + leadWidth(page, layout) + 2
  const isBesideLabel = layout.columns && labelWidth + 16 <= layout.width
  for (let index = from; index < to; index++) {
    const option = page.options[index]!
    const isSelected = layout.pointer && index === page.cursor
    const rows = optionLines(page, option, index, isSelected, layout, isBesideLabel ? labelWidth : null)
    if (isSelected) {
      selectedRow = lines.length
      selectedColumn = leadWidth(page, layout) + (option.placeholder !== undefined ? displayWidth(page.text) : 0)
    }
    lines.push(...rows)
  }
  if (to < page.options.length) lines.push([{ text: `   ↓ ${page.options.length - to} more`, style: QUIET }])
  return { lines, selectedRow, selectedColumn }
}

function leadOf(page: PageState, index: number, isSelected: boolean, layout: OptionLayout): string {
  const number = layout.numbered ? `${index + 1}. ` : ''
  const box = page.multi ? (page.checked[index] ? '[✔] ' : '[ ] ') : ''
  return ` ${isSelected ? POINTER : ' '} ${number}${box}`
}

function leadWidth(page: PageState, layout: OptionLayout): number {
  return displayWidth(leadOf(page, 0, false, layout))
}

function optionLines(
  page: PageState,
  option: MenuOption,
  index: number,
  isSelected: boolean,
  layout: OptionLayout,
  column: number | null,
): Line[] {
  const style = isSelected ? SELECTED : {}
  const lead: Line = [{ text: leadOf(page, index, isSelected, layout), style }]
  const takesText = option.placeholder !== undefined
  const label = takesText && page.text !== '' ? page.text : takesText ? option.placeholder! : option.label
  if (column !== null && option.detail) {
    const first: Line = [...lead, { text: label.padEnd(column - displayWidth(lead[0]!.text)), style }]
    return wrapSpans([{ text: option.detail, style: QUIET }], { width: layout.width, first })
  }
  const lines = wrapSpans([{ text: label, style }], { width: layout.width, first: lead })
  if (!option.detail) return lines
  const indent: Line = [{ text: ' '.repeat(displayWidth(lead[0]!.text)), style: {} }]
  return [...lines, ...wrapSpans([{ text: option.detail, style: QUIET }], { width: layout.width, first: indent })]
}

function windowOf(page: PageState, size: number | null): { from: number; to: number } {
  const count = page.options.length
  if (size === null || count <= size) return { from: 0, to: count }
  const from = Math.min(count - size, Math.max(0, page.cursor - (size >> 1)))
  return { from, to: from + size }
}

/** All options in one row, the selected one inverse. */
export function horizontalRow(page: PageState, width: number): OptionRows {
  const line: Line = [{ text: ' ', style: {} }]
  let column = 1
  let selectedColumn = 1
  page.options.forEach((option, index) => {
    const text = ` ${option.label} `
    if (index === page.cursor) selectedColumn = column
    line.push(
      { text, style: index === page.cursor ? { fg: COLOR.blue, bold: true, inverse: true } : {} },
      { text: '  ', style: {} },
    )
    column += displayWidth(text) + 2
  })
  return { lines: [fitLine(line, width)], selectedRow: 0, selectedColumn }
}

/** ` ←  ☒ Style  ☐ Port  ✔ Submit  →`, the current page in inverse. */
export function tabRow(state: MenuState, width: number): Line {
  const line: Line = [{ text: ' ←', style: QUIET }]
  state.pages.forEach((page, index) => {
    const isLast = index === state.pages.length - 1
    const mark = isLast ? '✔' : page.isAnswered ? '☒' : '☐'
    line.push(
      { text: ' ', style: {} },
      { text: ` ${mark} ${page.label} `, style: index === state.page ? { bold: true, inverse: true } : {} },
    )
  })
  return fitLine([...line, { text: '  →', style: QUIET }], width)
}

export function footerText(state: MenuState): string {
  const { layout, spec } = state
  const page = state.pages[state.page]!
  const leave = spec.kind === 'permission' ? 'esc to decline' : 'esc to cancel'
  if (layout === 'horizontal') return `←/→ to move · enter to confirm · ${leave}`
  if (layout === 'tabs' && !isSubmitPage(state))
    return `↑/↓ to move · enter to answer · tab to turn the page · ${leave}`
  if (page.multi) return `space to toggle · ↑/↓ to move · enter to submit · ${leave}`
  return `enter to choose · ↑/↓ to move · ${leave}`
}
