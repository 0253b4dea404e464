import type { ActivityParser, ErrorClass } from '../../activity/index.js'
import type { FoundAgent } from '../adapter.js'

/** What an agent may do without asking. `ask`: every request goes to a person. */
export const PERMISSION_LEVELS = ['read', 'ask', 'edits', 'all'] as const
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

/** How an agent runs one prompt without a terminal. */
export interface HeadlessAgent {
  readonly levels: readonly PermissionLevel[]
  readonly asksByDefault?: boolean
  readonly takesModel: boolean
  /** Whether it supports a JSON Schema itself. */
  readonly takesSchema: boolean
  /** It reports tool calls only when they end: silence in between means nothing. */
  readonly reportsToolsLate?: boolean
  /** It has no final record: exit code 0 means success. */
  readonly endsByExit?: boolean
  /** It can continue a copy of a session, in the same directory. */
  readonly canFork?: boolean
  /** It is reached by a URL, not through an account of its own. */
  readonly needsEndpoint?: boolean
  /** The command line. `stdin`: the program reads `step.promptFile` from standard input. */
  command(location: FoundAgent, step: HeadlessStep): HeadlessCommand
  /** The protocol on standard input and output; required if `stdin` is `protocol`. */
  readonly protocol?: StdinProtocol
  parser(step: HeadlessStep): ActivityParser
  /** Finds a step's traces in the agent's files; unreadable files are evidence, no error. */
  examine(traces: StepTraces): Promise<Findings>
}

export interface HeadlessStep {
  /** `run/node@visit#attempt` */
  name: string
  cwd: string
  /** The environment of the program, for agents whose files depend on it. */
  env: Readonly<Record<string, string>>
  permissions: PermissionLevel
  model: string | null
  /** The reasoning effort, if the program supports it. */
  effort?: string | null
  /** The agent's own session to continue. */
  resume: string | null
  /**
   * Continue a copy of that session, which itself stays unchanged; only for agents with `canFork`.
   */
  isFork?: boolean
  /** For a new session, if the agent accepts an id from us. */
  newSessionId: string
  /** A directory for this step alone. */
  directory: string
  promptFile: string
  schema: { json: object; file: string } | null
  maxCostUsd: number | null
  /** For a direct model: its URL, and the variable with its key. */
  endpoint: string | null
  apiKeyEnv: string | null
}

/** The lines to write to a program that asks for permissions. */
export interface StdinProtocol {
  prompt(text: string): string
  answer(request: { requestId: string; input: unknown }, answer: PermissionAnswer): string
}

export interface PermissionAnswer {
  isAllowed: boolean
  /** The reason, for the agent. */
  message?: string
  editedInput?: unknown
}

interface HeadlessCommand {
  args: string[]
  env: Record<string, string>
  /** `protocol`: a pipe that stays open for answers. */
  stdin: 'prompt' | 'none' | 'protocol'
  /** Known at the start only if the agent accepts an id from us. */
  agentSessionId: string | null
}

/** Where to look for what a step left behind. */
export interface StepTraces {
  env: Readonly<Record<string, string>>
  cwd: string
  directory: string
  /** As far as known. */
  sessionId: string | null
  startedAt: number
  pid: number | null
  prompt: string
  /** Tool calls that our own log saw start but not end. */
  openCalls: readonly string[]
}

export interface Findings {
  /** The agent's own record of the step ends with a complete answer. */
  isComplete: boolean
  /** It contains finished work, if not all of it. */
  hasWork: boolean
  text: string | null
  sessionId: string | null
  evidence: { source: string; locator?: string; at?: number; says: string }[]
}

/** How a step without a terminal ended. */
export interface HeadlessEnd {
  status: 'ok' | 'failed' | 'silent'
  /** `exit_3`, `signal_SIGKILL`, `error_auth`, `inactivity_timeout` … */
  reason: string
  class: ErrorClass | 'spawn' | 'timeout' | null
  /** The final message. */
  text: string
  structured?: unknown
  sessionId: string | null
  usage: {
    input: number
    output: number
    cacheRead?: number
    cacheWrite?: number
    reasoning?: number
    costUsd?: number
  } | null
}
