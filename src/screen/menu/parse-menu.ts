import type { Frame } from '../../terminal/index.js'
import { hashTexts } from '../hash-texts.js'
import type { MenuSpec, Pack } from '../pack/pack.js'
import type { ScreenRow } from '../screen-row.js'
import { findHorizontal } from './horizontal-group.js'
import {
  findAnyKey,
  findGutterField,
  findInline,
  findTextField,
  findWordedQuestion,
  type InlinePrompt,
  type TextField,
} from './inline-prompt.js'
import { type Menu, type MenuKind, type MenuOption, meaningOf } from './menu.js'
import { type FirstMenuRow, type MenuHead, readFooter, readHead } from './menu-head.js'
import { findWindow, type MenuRow, rowsInWindow, toMenuRow } from './menu-rows.js'
import { findVertical, type OptionGroup } from './option-group.js'
import { cutAccelerator, isMore } from './option-row.js'
import { findQuestion } from './question.js'

/** A menu on the screen, with the data to decide whether it is live. */
export interface MenuCandidate {
  menu: Omit<Menu, 'live'>
  group: OptionGroup
  spec: MenuSpec | null
  footerRows: [number, number] | null
  /** Counts only after it has been stable for a while. */
  isTentative: boolean
  /** It is in a window that covers everything else. */
  isOverlay?: boolean
  rows: readonly MenuRow[]
}

const PLACEHOLDER = /^(?:type \S|tell .+ (?:what|how)|other\b|enter (?:your|a) |something else|custom)/iu

/** `Would you like to log in? [y/n]`. */
const SIGN_IN = /\b(?:log|sign) ?in\b/iu

/** For text whose rows may all belong to the menu. */
const FROM_FIRST_ROW: FirstMenuRow = () => 0

export function parseMenu(
  frame: Frame,
  screen: readonly ScreenRow[],
  pack: Pack,
  firstRow: FirstMenuRow = FROM_FIRST_ROW,
): MenuCandidate | null {
  const window = findWindow(screen, frame.cols)
  const found = window && readMenu(frame, rowsInWindow(screen, window).map(toMenuRow), pack, FROM_FIRST_ROW)
  return found ? { ...found, isOverlay: true } : readMenu(frame, screen.map(toMenuRow), pack, firstRow)
}

function readMenu(frame: Frame, rows: readonly MenuRow[], pack: Pack, firstRow: FirstMenuRow): MenuCandidate | null {
  const inline = findInline(frame, rows)
  if (inline) return fromInline(inline, rows, frame, pack, firstRow)
  const vertical = findVertical(rows, frame.cols)
  const horizontal = findHorizontal(rows)
  const group =
    vertical && horizontal ? (horizontal.first > vertical.last ? horizontal : vertical) : (vertical ?? horizontal)
  const options = group && fromGroup(group, rows, frame, pack, firstRow)
  const field = findTextField(frame, rows) ?? findGutterField(frame, rows)
  if (field && (options === null || field.row > options.group.last))
    return fromField(field, rows, frame, pack, firstRow)
  const prompt = findAnyKey(frame, rows) ?? findWordedQuestion(frame, rows)
  // A question at the cursor below an unrelated list; not the list's own footer.
  const isBelow = prompt !== null && (options === null || prompt.group.first > options.menu.rows[1] + 1)
  return isBelow ? fromInline(prompt, rows, frame, pack, firstRow) : options
}

function fromGroup(
  group: OptionGroup,
  rows: readonly MenuRow[],
  frame: Frame,
  pack: Pack,
  firstRow: FirstMenuRow,
): MenuCandidate {
  const { head, spec } = headOf(group, rows, pack, firstRow)
  const footer = readFooter(rows, group.last)
  const options = group.options.map((option, index): MenuOption => {
    const { label, accelerator } = cutAccelerator(option.label)
    return {
      index,
      ...(option.number !== null && { number: option.number }),
      label,
      ...(option.detail !== '' && { detail: option.detail }),
      ...(accelerator !== undefined && { accelerator }),
      selected: index === group.selected,
      checked: option.checked,
      ...meaningOf(label, spec),
    }
  })
  const kind = spec?.kind ?? guessKind(head, options)
  // Text that is typed into an option is not part of the request.
  const text = textField(group, options, frame)
  const more = { above: isMore(rows[group.first - 1]), below: isMore(rows[group.last + 1]) }
  // A scrolling list shows other labels at every step; the request stays the same.
  const isScrollable = more.above || more.below
  return {
    group,
    spec,
    footerRows: footer.rows,
    isTentative: spec === null && pack.menus.length > 0 && group.shownBy === 'style' && frame.buffer === 'normal',
    rows,
    menu: {
      hash: hashTexts([
        kind,
        head.question,
        ...head.body,
        ...(isScrollable ? [] : options.map(option => (isWrittenInto(option, text) ? '' : option.label))),
      ]),
      kind,
      origin: spec?.origin ?? 'agent',
      layout: group.layout,
      ...(head.title !== '' && { title: head.title }),
      question: head.question,
      body: head.body,
      options,
      selected: group.selected,
      multi: options.some(option => option.checked !== null),
      tabs: head.tabs,
      ...(head.page && { page: head.page }),
      text,
      more,
      isCut: isCut(head, rows, frame),
      ...(spec?.isElsewhere && { isElsewhere: true as const }),
      footer: footer.keys,
      danger: dangerOf(pack, head.text),
      keys: { ...keysOf(spec), ...(spec === null && isKeyed(group) && { choose: 'accelerator' as const }) },
      rows: [head.first, Math.max(footer.rows?.[1] ?? group.last, group.last)],
    },
  }
}

function fromInline(
  prompt: InlinePrompt,
  rows: readonly MenuRow[],
  frame: Frame,
  pack: Pack,
  firstRow: FirstMenuRow,
): MenuCandidate {
  const { group } = prompt
  // A row that asks for a number says how to answer; the question is above the numbers.
  const above = group.layout === 'typed' ? headOf(group, rows, pack, firstRow) : null
  const isAsked = above !== null && /[?:？：]$/u.test(above.head.question)
  const question = isAsked ? above.head.question : prompt.question
  const spec = isAsked ? above.spec : (pack.menus.find(candidate => candidate.question?.test(question)) ?? null)
  const options = group.options.map(
    (option, index): MenuOption => ({
      index,
      ...(option.number !== null && { number: option.number }),
      label: option.label,
      selected: option.label === prompt.fallback,
      checked: null,
      ...meaningOf(option.label.replace(/^y$/iu, 'yes').replace(/^n$/iu, 'no'), spec),
    }),
  )
  return {
    group,
    spec,
    footerRows: readFooter(rows, group.last).rows,
    isTentative: prompt.isTentative,
    rows,
    menu: {
      hash: hashTexts(['input', question, ...options.map(option => option.label)]),
      kind: spec?.kind ?? (isAsked ? 'question' : SIGN_IN.test(question) ? 'auth' : 'input'),
      origin: spec?.origin ?? 'agent',
      layout: group.layout === 'typed' ? 'typed' : 'inline',
      ...(isAsked && above.head.title !== '' && { title: above.head.title }),
      question,
      body: isAsked ? above.head.body : [],
      options,
      selected: options.find(option => option.selected)?.index ?? null,
      multi: false,
      tabs: [],
      text: prompt.hasText ? { option: null, value: '', placeholder: '', secret: prompt.isSecret } : null,
      more: { above: false, below: false },
      isCut: isAsked && isCut(above.head, rows, frame),
      footer: [],
      danger: dangerOf(pack, isAsked ? above.head.text : question),
      keys: keysOf(spec),
      rows: [isAsked ? above.head.first : group.first, group.last],
    },
  }
}

/** `[y] Approve  [n] Deny`: each option has its key in front, and none is selected. */
function isKeyed({ options, selected, layout }: OptionGroup): boolean {
  return layout === 'horizontal' && selected === null && options.every(({ label }) => /^\[[a-z]\] /iu.test(label))
}

/** A question that is answered in a text field. */
function fromField(
  field: TextField,
  rows: readonly MenuRow[],
  frame: Frame,
  pack: Pack,
  firstRow: FirstMenuRow,
): MenuCandidate {
  const footer = readFooter(rows, field.row)
  const isShown = field.holdsCursor || frame.isPlainText === true
  const group: OptionGroup = {
    layout: 'inline',
    options: [],
    selected: null,
    shownBy: isShown ? 'cursor' : null,
    first: field.first,
    last: field.row,
  }
  const { head, spec } = headOf(group, rows, pack, firstRow)
  const kind = spec?.kind ?? (/\bapi key\b/iu.test(head.text) ? 'api_key' : 'question')
  return {
    group,
    spec,
    footerRows: footer.rows,
    isTentative: false,
    rows,
    menu: {
      hash: hashTexts([kind, head.question, ...head.body]),
      kind,
      origin: spec?.origin ?? 'agent',
      layout: group.layout,
      ...(head.title !== '' && { title: head.title }),
      question: head.question,
      body: head.body,
      options: [],
      selected: null,
      multi: false,
      tabs: head.tabs,
      ...(head.page && { page: head.page }),
      text: { option: null, value: field.value, placeholder: field.placeholder, secret: kind === 'api_key' },
      more: { above: false, below: false },
      isCut: isCut(head, rows, frame),
      footer: footer.keys,
      danger: dangerOf(pack, head.text),
      keys: keysOf(spec),
      rows: [head.first, footer.rows?.[1] ?? field.row],
    },
  }
}

/** Whether a part of the head is not on the screen: left out by the agent, or scrolled off. */
function isCut(head: MenuHead, [top]: readonly MenuRow[], { history, buffer }: Frame): boolean {
  // A program that draws the whole screen has no rows above it in the terminal's scrollback.
  const mayGoOn =
    buffer === 'alternate' ? top !== undefined && (top.isBoxed || !top.isBlank) : history.lastId >= history.firstId
  return head.isCut || (head.reachesTop && mayGoOn)
}

/**
 * The head, and the menu of the pack that it belongs to: the pack knows best which line is the
 * question.
 */
function headOf(
  group: OptionGroup,
  rows: readonly MenuRow[],
  pack: Pack,
  firstRow: FirstMenuRow,
): { head: MenuHead; spec: MenuSpec | null } {
  const head = readHead(rows, group.first, firstRow)
  const spec = specFor(pack, head, group)
  return { head: spec ? { ...head, ...findQuestion(head.lines, spec) } : head, spec }
}

function specFor(pack: Pack, head: MenuHead, group: OptionGroup): MenuSpec | null {
  return (
    pack.menus.find(spec => {
      const hasQuestion = spec.question === null || head.text.split('\n').some(line => spec.question!.test(line))
      const hasTitle = spec.title === null || head.lines.some(line => spec.title!.test(line))
      const hasOption = spec.option === null || group.options.some(option => spec.option!.test(option.label))
      return hasQuestion && hasTitle && hasOption
    }) ?? null
  )
}

/**
 * Guesses the kind from the wording. The kind is only a label: wording never decides whether a menu
 * is live.
 */
function guessKind(head: MenuHead, options: readonly MenuOption[]): MenuKind {
  const text = `${head.title} ${head.question}`
  if (/\btrust\b/iu.test(text) || options.some(({ label }) => /^(?:yes, )?(?:i )?trust\b/iu.test(label))) return 'trust'
  if (
    /\b(?:sign in|log ?in|authenticat\w+|connect (?:a |your )?(?:provider|account))\b/iu.test(text) &&
    options.some(isSignInOption)
  )
    return 'auth'
  if (/https?:\/\/\S/u.test(head.text) && /\b(?:sign[- ]?in|log[- ]?in|authenticat\w+|authoriz\w+)\b/iu.test(head.text))
    return 'auth'
  if (/\bwelcome\b/iu.test(text) && options.filter(isSignInOption).length >= 2) return 'auth'
  if (/\bupdate\b.*\bavailable\b/iu.test(text)) return 'update'
  const hasAllow = options.some(option => option.meaning.startsWith('allow'))
  const hasDeny = options.some(option => option.meaning.startsWith('deny') || option.meaning === 'cancel')
  if (hasAllow && hasDeny) return 'permission'
  return 'question'
}

/** A sign-in method, not a design question about sign-in. */
function isSignInOption({ label }: MenuOption): boolean {
  return /\b(?:sign in|log ?in|api key|account|subscription|provider|console)\b/iu.test(label)
}

function keysOf(spec: MenuSpec | null): Menu['keys'] {
  return {
    choose: spec?.choose ?? 'arrows',
    confirm: spec?.confirm ?? '\r',
    toggle: spec?.toggle ?? ' ',
    ...(spec?.unreasoned != null && { unreasoned: spec.unreasoned }),
  }
}

function dangerOf(pack: Pack, text: string): string[] {
  return [...new Set(pack.danger.filter(entry => entry.match.test(text)).flatMap(entry => entry.rule))]
}

/** An option that takes text shows it in place of its label as soon as something is typed. */
function isWrittenInto(option: MenuOption, text: Menu['text']): boolean {
  return option.index === text?.option || option.meaning === 'deny-with-text'
}

/**
 * The option that takes text: its label is a known placeholder, or the cursor is inside its text.
 */
function textField(group: OptionGroup, options: readonly MenuOption[], frame: Frame): Menu['text'] {
  const byLabel = options.findIndex(option => PLACEHOLDER.test(option.label))
  const byCursor = group.options.findIndex(
    option => option.row === frame.cursor.y && frame.cursor.visible && frame.cursor.x > option.labelColumn,
  )
  const option = byCursor >= 0 ? byCursor : byLabel
  if (option < 0) return null
  const label = options[option]!.label
  const isPlaceholder = PLACEHOLDER.test(label)
  return { option, value: isPlaceholder ? '' : label, placeholder: isPlaceholder ? label : '', secret: false }
}
