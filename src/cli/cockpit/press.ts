import { denyingOption } from '../../approvals/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import { plainLabel } from '../../text/index.js'
import type { ApprovalInfo } from '../approvals/approval-info.js'
import { allowQuestion } from '../approvals/confirmation.js'
import { plainOption } from '../approvals/pick-option.js'
import { endOfPage, type Size } from './draw.js'
import { HELP } from './help.js'
import type { Input } from './input.js'
import { isInside, layoutOf } from './layout.js'
import { type CockpitRow, nameOf, needsYou, runOf } from './rows.js'
import type { Choice, CockpitAnswer, CockpitCommand, CockpitView, Mode, ViewStep } from './view.js'

/** What the screen showed when the key was pressed. */
export interface ShownScreen {
  rows: readonly CockpitRow[]
  size: Size
  maxScroll: number
  /** The request was shown to its end, and long enough that the key was meant for it. */
  isRead: boolean
  /** The request has just appeared: the key may have been meant for something else. */
  isNew: boolean
  /** Why nothing can be decided here; null: it can. */
  refusal: string | null
}

export interface PressResult {
  view: CockpitView
  command: CockpitCommand | null
}

const LIST: Mode = { kind: 'list' }
const PANE_KEYS: Readonly<Record<string, 'seen' | 'clear' | 'why' | 'heuristics' | 'mute'>> = {
  ' ': 'seen',
  c: 'clear',
  w: 'why',
  h: 'heuristics',
  m: 'mute',
}

/** The view after an input, and the command that it means. Pure. */
export function press(view: CockpitView, input: Input, shown: ShownScreen): PressResult {
  if (input.kind === 'key' && input.key === '\u0003') return { view, command: { do: 'leave' } }
  const { mode } = view
  switch (mode.kind) {
    case 'list':
      return input.kind === 'mouse'
        ? point(view, input, shown)
        : input.kind === 'key'
          ? key(view, input.key, shown)
          : unchanged(view)
    case 'filter':
      return typeFilter(view, input)
    case 'line':
      return typeLine(view, mode, input)
    case 'confirm': {
      const isYes = input.kind === 'key' && (input.key === 'y' || input.key === 'Y')
      return applyStep(view, isYes ? { command: mode.command } : { notice: 'Cancelled: nothing was done.' })
    }
    case 'choose':
      return choose(view, mode, input)
    case 'page': {
      const by = input.kind === 'key' ? { up: -1, down: 1, 'page-up': -10, 'page-down': 10 }[input.key] : undefined
      if (by === undefined) return applyStep(view, {})
      // A page that opened at its end may begin further down than the screen allows.
      const top = Math.min(mode.top, endOfPage(mode.lines, shown.size))
      return unchanged({ ...view, mode: { ...mode, top: Math.max(0, top + by) } })
    }
  }
}

/** A step ends the current mode, unless it begins another. */
function applyStep(view: CockpitView, { mode = LIST, command = undefined, notice = '' }: ViewStep): PressResult {
  return { view: { ...view, mode, notice }, command: command ?? null }
}

function unchanged(view: CockpitView): PressResult {
  return { view, command: null }
}

function key(view: CockpitView, name: string, shown: ShownScreen): PressResult {
  const { rows } = shown
  const at = rows.findIndex(row => row.id === view.selected)
  const row = rows[at] ?? null
  const to = (index: number) => select(view, rows[Math.max(0, Math.min(rows.length - 1, index))]?.id ?? null)
  const scroll = (by: number) =>
    unchanged({ ...view, notice: '', scroll: Math.max(0, Math.min(shown.maxScroll, view.scroll + by)) })
  const page = Math.max(1, shown.size.rows - 6)
  switch (name) {
    case 'up':
    case 'k':
      return to(at - 1)
    case 'down':
    case 'j':
      return to(at + 1)
    case 'g':
      return to(0)
    case 'G':
      return to(rows.length - 1)
    case 'tab': {
      const next = [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(needsYou)
      return next ? select(view, next.id) : applyStep(view, { notice: 'Nothing needs you.' })
    }
    case 'page-up':
      return shown.maxScroll > 0 ? scroll(-page) : to(at - page)
    case 'page-down':
      return shown.maxScroll > 0 ? scroll(page) : to(at + page)
    case 'K':
      return scroll(-1)
    case 'J':
      return scroll(1)
    case '/':
      return applyStep(view, { mode: { kind: 'filter' } })
    case 'escape':
      return unchanged({ ...view, notice: '', filter: '', isZoomed: false })
    case 'i':
      return unchanged({ ...view, notice: '', showsAll: !view.showsAll })
    case 'z':
      return unchanged({ ...view, notice: '', isZoomed: !view.isZoomed })
    case '?':
      return applyStep(view, { mode: { kind: 'page', lines: HELP, top: 0 } })
    case 'q':
      return applyStep(view, { command: { do: 'leave' } })
    case 'S':
      return applyStep(view, { command: { do: 'seen-all' } })
    case 'n':
      return applyStep(view, { command: { do: 'new' } })
    case 'o':
      return applyStep(view, { command: { do: 'dashboard' } })
  }
  if (!row) return unchanged({ ...view, notice: '' })
  const request = row.request ? requestKey(row.request, name, shown) : null
  return applyStep(view, request ?? paneKey(row, name) ?? runKey(row, name) ?? {})
}

function select(view: CockpitView, selected: string | null): PressResult {
  return unchanged({ ...view, notice: '', selected, ...(selected !== view.selected && { scroll: 0 }) })
}

/** Allow, deny and answer; null for other keys. */
function requestKey(request: ApprovalInfo, name: string, shown: ShownScreen): ViewStep | null {
  if (!['a', 'd', 'D', 'r'].includes(name)) return null
  if (shown.refusal !== null) return { notice: shown.refusal }
  if (shown.isNew) return { notice: 'This request has just appeared: read it, then press again.' }
  const { options } = request.request
  const decide = (answer: CockpitAnswer): CockpitCommand => ({ do: 'decide', request, answer })
  if (name === 'd' || name === 'D') {
    const denying = denyingOption(options)
    if (!denying) return { notice: 'This request cannot be denied here: press r to answer it.' }
    const answer = { option: denying.key, label: denying.label }
    if (name === 'd' && request.kind !== 'plan') return { command: decide(answer) }
    const asText = denying.meaning === 'deny-with-text'
    const done = (reason: string): ViewStep =>
      reason.trim() === '' && request.kind === 'plan'
        ? { notice: 'Denying a plan requests a new one: say what to change.' }
        : {
            command: decide(
              reason.trim() === '' ? answer : { ...answer, ...(asText ? { text: reason } : { note: reason }) },
            ),
          }
    return { mode: { kind: 'line', label: 'Deny; reason for the agent', value: '', done } }
  }
  if (!shown.isRead) return { notice: 'Read the request to its end first: PgDn scrolls, z zooms.' }
  if (request.terminalOnly && !request.source.can?.includes('hold'))
    return { notice: `It can be allowed only in the terminal (enter): ${request.terminalOnly}` }
  return name === 'a' ? allow(request, decide) : { mode: answers(request, decide) }
}

function allow(request: ApprovalInfo, decide: (answer: CockpitAnswer) => CockpitCommand): ViewStep {
  const { options } = request.request
  if (options.filter(({ meaning }) => meaning === 'allow-once').length !== 1) return { mode: answers(request, decide) }
  const { key: option, label } = plainOption(options, 'allow')
  const command = decide({ option, label })
  return request.risk.level === 'low'
    ? { command }
    : { mode: { kind: 'confirm', question: `${allowQuestion(request)}?`, command } }
}

/**
 * The answers that a person can choose from. A form with several questions is for the dashboard.
 */
function answers(request: ApprovalInfo, decide: (answer: CockpitAnswer) => CockpitCommand): Mode {
  const { options, questions } = request.request
  const question = questions[0]?.text ?? request.display.title
  const isForm = questions.length > 1 || questions.some(({ multi }) => multi)
  if (isForm)
    return {
      kind: 'page',
      lines: [
        question,
        '',
        'This request has several questions or takes several answers.',
        'Answer it in the session (enter), on the dashboard (o), or with:',
        `signalbox answer ${request.id} --choice … --choice …`,
      ],
      top: 0,
    }
  /** `onEmpty`: the command for an empty text. */
  const write = (label: string, option?: string, onEmpty?: CockpitCommand): ViewStep => ({
    mode: {
      kind: 'line',
      label,
      value: '',
      done: text =>
        text.trim() === ''
          ? { ...(onEmpty && { command: onEmpty }) }
          : { command: decide({ ...(option !== undefined && { option }), text, label: 'your text' }) },
    },
  })
  const choices: Choice[] = options.map(option => {
    const label = plainLabel(option.detail ? `${option.label} (${option.detail})` : option.label)
    if (option.takes === 'text') return { label: `${label} …`, step: write(label, option.key) }
    const command = decide({ option: option.key, label: option.label })
    if (option.takes === 'note')
      return { label: `${label} …`, step: write(`${label}; what should change`, option.key, command) }
    const isSafe = request.risk.level === 'low' || option.meaning.startsWith('deny')
    return { label, step: isSafe ? { command } : { mode: { kind: 'confirm', question: `${label}?`, command } } }
  })
  if (options.length === 0) return write('Your answer').mode!
  return { kind: 'choose', question, choices, at: 0 }
}

/** The log of a run, resuming a halted one, cancelling one that has not ended. */
function runKey(row: CockpitRow, name: string): ViewStep | null {
  const run = runOf(row)
  if (run === null || row.pane) return null
  const at = { run, title: nameOf(row) }
  if (name === 'enter') return { command: { do: 'run-log', ...at } }
  if (name === 'e') {
    if (row.halt) return { command: { do: 'resume-run', ...at } }
    return { notice: 'This run is not interrupted, paused or failed: there is nothing to resume.' }
  }
  if (name !== 'x') return null
  if (row.halt?.isFailed) return { notice: 'This run has ended.' }
  return {
    mode: {
      kind: 'confirm',
      question: `Cancel ${at.title}? It cannot be resumed.`,
      command: { do: 'cancel-run', ...at },
    },
  }
}

function paneKey({ pane }: CockpitRow, name: string): ViewStep | null {
  if (!pane) return null
  const toggled = PANE_KEYS[name]
  if (toggled) return { command: { do: toggled, pane } }
  if (name === 'enter') return { command: { do: 'go', pane } }
  if (!['p', 'x', 'R', '\u0018'].includes(name)) return null
  if (pane.source !== 'session') return { notice: 'This is a pane of tmux: enter selects it there.' }
  if (name === '\u0018') return { command: { do: 'interrupt', pane } }
  if (name === 'x')
    return { mode: { kind: 'confirm', question: `Stop ${label(pane)}?`, command: { do: 'stop', pane } } }
  const done = (text: string): ViewStep =>
    text.trim() === '' ? {} : { command: { do: name === 'p' ? 'send' : 'rename', pane, text } }
  return {
    mode: { kind: 'line', label: `${name === 'p' ? 'Prompt for' : 'Rename'} ${label(pane)}`, value: '', done },
  }
}

function label({ place, name }: PaneInfo): string {
  return `${place} (${name})`
}

function typeFilter(view: CockpitView, input: Input): PressResult {
  if (input.kind === 'mouse') return unchanged(view)
  if (input.kind === 'key' && input.key === 'enter') return applyStep(view, {})
  if (input.kind === 'key' && input.key === 'escape') return applyStep({ ...view, filter: '' }, {})
  return unchanged({ ...view, filter: edited(view.filter, input).replaceAll('\n', ' ') })
}

function typeLine(view: CockpitView, mode: Extract<Mode, { kind: 'line' }>, input: Input): PressResult {
  if (input.kind === 'mouse') return unchanged(view)
  if (input.kind === 'key' && input.key === 'escape') return applyStep(view, { notice: 'Cancelled.' })
  if (input.kind === 'key' && input.key === 'enter') return applyStep(view, mode.done(mode.value))
  return unchanged({ ...view, mode: { ...mode, value: edited(mode.value, input) } })
}

/** A text after a key: backspace, ctrl-W a word, ctrl-U everything. */
function edited(value: string, input: Exclude<Input, { kind: 'mouse' }>): string {
  if (input.kind === 'paste') return value + input.text
  switch (input.key) {
    case 'backspace':
      return [...value].slice(0, -1).join('')
    case '\u0017':
      return value.replace(/\S*\s*$/u, '')
    case '\u0015':
      return ''
    default:
      return [...input.key].length === 1 && input.key >= ' ' ? value + input.key : value
  }
}

function choose(view: CockpitView, mode: Extract<Mode, { kind: 'choose' }>, input: Input): PressResult {
  if (input.kind !== 'key') return unchanged(view)
  const move = (by: number) =>
    unchanged({ ...view, mode: { ...mode, at: Math.max(0, Math.min(mode.choices.length - 1, mode.at + by)) } })
  if (input.key === 'up' || input.key === 'k') return move(-1)
  if (input.key === 'down' || input.key === 'j') return move(1)
  if (input.key === 'escape' || input.key === 'q') return applyStep(view, {})
  const index = input.key === 'enter' ? mode.at : /^[1-9]$/.test(input.key) ? Number(input.key) - 1 : -1
  const choice = mode.choices[index]
  return choice ? applyStep(view, choice.step) : unchanged(view)
}

/** The mouse: a click selects, a click on the selected row opens it, the wheel scrolls. */
function point(view: CockpitView, input: Extract<Input, { kind: 'mouse' }>, shown: ShownScreen): PressResult {
  const { list, detail } = layoutOf(shown.size, shown.rows.length, view.isZoomed)
  if (input.what !== 'press') {
    const isUp = input.what === 'wheel-up'
    if (isInside(detail, input)) return key(view, isUp ? 'K' : 'J', shown)
    return key(view, isUp ? 'up' : 'down', shown)
  }
  if (!isInside(list, input)) return unchanged(view)
  const row = shown.rows[view.top + input.y - list.y]
  if (!row) return unchanged(view)
  return row.id === view.selected ? key(view, 'enter', shown) : select(view, row.id)
}
