import type { MenuAnswer } from '../menu/menu-state.js'
import type { ErrorKind, MenuSpec, TodoItem, ToolKind } from '../scenario/types.js'
import type { DiffRow } from '../text/diff.js'

export interface ToolCall {
  id: string
  name: string
  kind: ToolKind
  /** The text after the name on the screen: a command, a path. */
  summary: string
  input: Record<string, unknown>
  /** How many rows of the result are shown. */
  show: number
  subAgent?: string
}

export interface ToolResult {
  isOk: boolean
  output: string
  exitCode?: number
  diff?: DiffRow[]
  change?: { path: string; change: 'create' | 'update' }
  isDeclined?: boolean
}

export type Outcome = 'done' | 'interrupted' | 'denied' | 'failed'

export interface Working {
  label: string
  retry?: { attempt: number; of: number; delayMs: number; reason: string; status?: number }
}

export interface AgentState {
  /** Its position below the agent: `2`, or `2/1` for the first one that the second called. */
  path: string
  name: string
  task: string
  isRunning: boolean
  elapsedMs: number
  tokens: number
}

export interface Failure {
  kind: ErrorKind | 'auth'
  message: string
  status?: number
}

export interface TurnEnd {
  outcome: Outcome
  durationMs: number
  tokens: number
  /** The last complete answer of the turn. */
  text: string
  failure: Failure | null
}

export interface AskRequest {
  menu: MenuSpec
  /** The tool that needs the permission. */
  call: ToolCall | null
  signal: AbortSignal
}

/** Shows a played scenario: a terminal, or a stream of records. It makes no decisions. */
export interface Surface {
  showPrompt(text: string): void
  setWorking(working: Working | null): void
  /** How many tokens the turn has used so far. */
  setTokens(total: number): void
  /** A part of the answer; `finishSaying` completes the block. */
  say(delta: string): void
  finishSaying(text: string): void
  /** Many lines at once, without streaming. */
  sayLines(lines: string[]): void
  thought(text: string, durationMs: number): void
  toolStarted(call: ToolCall): void
  toolOutput(call: ToolCall, chunk: string): void
  toolEnded(call: ToolCall, result: ToolResult): void
  ask(request: AskRequest): Promise<MenuAnswer>
  setTodo(items: TodoItem[]): void
  setAgents(agents: AgentState[]): void
  setBackground(labels: string[]): void
  notice(text: string): void
  failed(failure: Failure): void
  addUsage(usage: { input: number; output: number; costUsd?: number }): void
  turnEnded(end: TurnEnd): void
  showSurvey(question: string): void
  setTitle(text: string): void
  raw(bytes: Uint8Array): void
}
