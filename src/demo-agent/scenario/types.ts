/** What choosing an option of a menu does. */
export const MEANINGS = [
  'allow-once',
  'allow-session',
  'allow-always',
  'deny',
  'deny-with-text',
  'choice',
  'text',
  'cancel',
] as const
export const LAYOUTS = ['numbered', 'plain', 'boxed', 'horizontal', 'tabs', 'inline', 'password', 'typed'] as const
export const MENU_KINDS = ['permission', 'question', 'plan', 'trust', 'auth', 'picker', 'confirm', 'input'] as const
export const TOOL_KINDS = ['shell', 'read', 'write', 'edit', 'search', 'web', 'agent', 'other'] as const
export const ERROR_KINDS = [
  'api',
  'rate_limit',
  'usage_limit',
  'credit',
  'context_full',
  'model',
  'network',
  'mcp',
  'internal',
] as const
export const TODO_STATES = ['open', 'doing', 'done'] as const
export const VERDICTS = ['DONE', 'RETRY', 'IMPOSSIBLE'] as const

export type Meaning = (typeof MEANINGS)[number]
export type Layout = (typeof LAYOUTS)[number]
type MenuKind = (typeof MENU_KINDS)[number]
export type ToolKind = (typeof TOOL_KINDS)[number]
export type ErrorKind = (typeof ERROR_KINDS)[number]
type Verdict = (typeof VERDICTS)[number]

export interface MenuOption {
  label: string
  detail?: string
  meaning?: Meaning
  /** The option takes typed text; this is shown until there is some. */
  placeholder?: string
}

export interface MenuPage {
  label: string
  question: string
  options: MenuOption[]
  multi?: boolean
}

/** Everything that a menu shows. Also the payload of an `ask` step. */
export interface MenuSpec {
  kind?: MenuKind
  layout?: Layout
  title?: string
  question: string
  /** Markdown between the title and the question. */
  body?: string
  command?: string
  diff?: { path: string; before: string; after: string }
  options?: MenuOption[]
  multi?: boolean
  /** Adds a last option that takes text. */
  freeText?: string
  /** Details in a second column instead of below the label. */
  columns?: boolean
  /** At most this many options at once; the rest scrolls. */
  window?: number
  selected?: number
  pages?: MenuPage[]
  footer?: boolean
  /** This many Enter keys are lost, as on a bad connection. */
  lostEnters?: number
  /** The dialog appears this long after its permission hook has started. */
  afterMs?: number
  /** The permission hook starts this long after the dialog has appeared. */
  hookAfterMs?: number
}

export interface TodoItem {
  text: string
  status: (typeof TODO_STATES)[number]
}

export interface SubAgent {
  name: string
  task: string
  ms: number
  tokens?: number
  /** The name of the sub-agent that called it; without it the agent itself. */
  of?: string
}

export interface ToolStep {
  name: string
  kind: ToolKind
  /** One line for the screen; by default it follows from the action. */
  summary?: string
  input?: Record<string, unknown>
  command?: string | string[]
  write?: { path: string; text: string }
  append?: { path: string; text: string }
  edit?: { path: string; find: string; replace: string }
  read?: { path: string }
  /** Instead of an action: simulated output, duration and exit code. */
  output?: string
  ms?: number
  exitCode?: number
  /** Asks first. `true` shows the usual four options. */
  permission?: true | Partial<MenuSpec>
  onDeny?: 'stop' | 'continue'
  readOnly?: boolean
  /** How many rows of the result are shown. */
  show?: number
  /** The sub-agent that uses the tool; it reports under this id. */
  subAgent?: string
}

export interface StepTypes {
  think: { ms: number; label?: string; tokens?: number; thought?: string }
  say: { markdown: string; chunk?: number; delayMs?: number }
  tool: ToolStep
  /** At the same time; dialogs appear one after the other. */
  parallel: { tools: ToolStep[] }
  ask: MenuSpec
  plan: { markdown: string; options?: MenuOption[] }
  todo: { items: TodoItem[] }
  agents: { agents: SubAgent[]; wait?: boolean }
  background: { command: string | string[]; label?: string }
  error: {
    kind: ErrorKind
    message: string
    status?: number
    retry?: { attempts: number; delayMs: number }
    final?: boolean
  }
  crash: { exit?: number; signal?: string }
  hang: { ms?: number }
  zombie: { end: 'hang' | 'exit' | 'signal'; exit?: number; signal?: string }
  slow: { factor: number }
  huge: { lines?: number; bytes?: number; as?: 'say' | 'tool' }
  quote: { menu: MenuSpec; as?: 'say' | 'code' | 'tool' }
  compact: { ms: number }
  auth: { method: 'login' | 'key' | 'device' | 'expired'; url?: string; code?: string }
  trust: { folder?: string }
  survey: { question: string }
  title: { text: string }
  raw: { text?: string; base64?: string }
  wait: { ms: number }
  fork: { count: number; ms?: number; detached?: boolean }
  ignoreTerm: { on: boolean }
  notice: { text: string }
  usage: { input: number; output: number; costUsd?: number; contextWindow?: number; model?: string }
}

export type StepName = keyof StepTypes
export type Step = { [Name in StepName]: { [Key in Name]: StepTypes[Name] } }[StepName]

export interface Turn {
  name?: string
  /** A part of the prompt (any case), or `/pattern/flags`. Without it turns are played in order. */
  match?: string
  steps: Step[]
}

export interface Scenario {
  name: string
  description?: string
  topic?: string
  placeholder?: string
  /** Shown and answered before the first prompt. */
  start?: Step[]
  /** false: never report status by OSC 7501. */
  osc7501?: boolean
  /** `ignored`: hooks are called, and their decisions have no effect. */
  hooks?: 'obeyed' | 'ignored'
  turns: Turn[]
  /** Played when the script has no more turns; without it a short echo. */
  otherwise?: Turn
  /** Headless prompts that no turn matches are answered by role (worker, auditor, …). */
  headless?: { auto?: boolean; verdicts?: Verdict[]; feedback?: string }
}
