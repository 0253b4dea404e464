import { TERMINAL_VIEWS, type TerminalView } from '../screen/index.js'

/** A moment of a recording and what was really happening then. */
export interface LabelledMoment {
  /** Seconds since the start of the recording. */
  t: number
  /** What the agent was doing: a view, or one of the finer words of VIEWS_OF_LABEL. */
  view: string
  expect?: {
    /** Further labels that are right, too. */
    accept?: string[]
    needsYou?: boolean
    awaiting?: string | null
    state?: string
    composer?: boolean
    fresh?: boolean
  }
  /** False: the moment is not judged. */
  score?: boolean
}

const IDLE: TerminalView[] = ['idle_prompt', 'background_task']

/** The views that are right for a label. A label may say more than a view can. */
const VIEWS_OF_LABEL: Readonly<Record<string, readonly TerminalView[]>> = {
  idle: IDLE,
  idle_prompt: IDLE,
  done: IDLE,
  typing: ['idle_prompt'],
  interrupted: ['idle_prompt'],
  user_message: ['user_message', 'thinking'],
  thinking: ['thinking', 'user_message'],
  compacting: ['thinking'],
  retrying: ['thinking', 'error'],
  error_retry: ['thinking', 'error'],
  streaming: ['response_content'],
  tool_request: ['tool_menu'],
  permission: ['tool_menu'],
  question: ['tool_menu'],
  question_menu: ['tool_menu'],
  plan: ['tool_menu'],
  plan_menu: ['tool_menu'],
  plan_approval: ['tool_menu'],
  trust_dialog: ['tool_menu'],
  api_key_dialog: ['tool_menu'],
  auto_mode_dialog: ['tool_menu'],
  waiting_input: ['tool_menu'],
  picker: ['tool_menu'],
  dialog: ['tool_menu', 'unknown'],
  menu: ['tool_menu', 'unknown'],
  overlay: ['unknown', 'tool_menu'],
  login_menu: ['auth_required', 'tool_menu'],
  tool_result: ['tool_result', 'tool_running', 'thinking'],
  todo_list: ['todo_list', 'thinking', 'tool_result', 'response_content'],
  background_task: ['background_task', 'idle_prompt'],
  context_notice: ['idle_prompt'],
  exit_confirm: ['idle_prompt'],
  slash_menu: ['idle_prompt'],
  file_menu: ['idle_prompt'],
  history_search: ['unknown', 'tool_menu', 'idle_prompt'],
  transcript: ['unknown'],
  shell_prompt: ['idle_prompt'],
  repl_prompt: ['idle_prompt'],
  pager: ['idle_prompt', 'tool_menu'],
  editor: ['idle_prompt', 'unknown'],
}

const BLOCKED = new Set([
  'tool_menu',
  'tool_request',
  'permission',
  'question',
  'plan',
  'plan_menu',
  'question_menu',
  'trust_dialog',
  'waiting_input',
  'auth_required',
])

/** A person may be needed here or not: the label does not say. */
const MAY_NEED_PERSON = new Set(['dialog', 'menu', 'overlay', 'auth_required', 'history_search', 'transcript'])

export function acceptedViews({ view, expect = {} }: LabelledMoment): Set<TerminalView> {
  const labels = [isOverlay(view) ? 'overlay' : view, ...(expect.accept ?? [])]
  if (view === 'startup' && (expect.composer || expect.fresh)) labels.push('idle_prompt')
  return new Set(labels.flatMap(label => VIEWS_OF_LABEL[label] ?? (isView(label) ? [label] : [])))
}

/** The label does not say whether a person is needed: both answers are right. */
export function mayNeedPerson({ view }: LabelledMoment): boolean {
  return MAY_NEED_PERSON.has(view) || isOverlay(view)
}

export function needsPerson(moment: LabelledMoment): boolean {
  const { view, expect = {} } = moment
  if (typeof expect.needsYou === 'boolean') return expect.needsYou
  if (expect.awaiting !== undefined) return isForPerson(expect.awaiting)
  if (expect.state) return ['blocked', 'waiting', 'waiting_input'].includes(expect.state)
  return BLOCKED.has(view)
}

/** Whether something that is awaited needs a person: lists that a person opened do not. */
export function isForPerson(awaiting: string | null): boolean {
  return awaiting !== null && awaiting !== 'picker' && awaiting !== 'exit_confirm'
}

function isOverlay(view: string): boolean {
  return view.startsWith('menu_')
}

function isView(label: string): label is TerminalView {
  return (TERMINAL_VIEWS as readonly string[]).includes(label)
}
