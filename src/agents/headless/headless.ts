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
  /** It reports tool calls only when they end, so silence before that is normal. */
  readonly reportsToolsLate?: boolean
  /** It has no final record: exit code 0 means success. */
  readonly endsByExit?: boolean
  /** It can continue a copy of a session, in the same directory. */
  readonly canFork?: boolean
  /** The settings of a turn that its program offers. */
  readonly offers?: readonly TurnSetting[]
  /** It is reached by a URL, not through an account of its own. */
  readonly needsEndpoint?: boolean
  /** The command line. `stdin`: the program reads `step.promptFile` from standard input. */
  command(location: FoundAgent, step: HeadlessStep): HeadlessCommand
  /** The protocol on standard input and output; required if `stdin` is `protocol`. */
  readonly protocol?: StdinProtocol
  parser(step: HeadlessStep): ActivityParser
  /** Finds a step's traces in the agent's files; unreadable files are evidence, not errors. */
  examine(traces: StepTraces): Promise<Findings>
}

/** Settings of a turn that some programs offer, by the names of the attributes of a graph. */
type TurnSetting = 'reasoning_effort' | 'max_turns' | 'allowed_tools' | 'temperature' | 'max_tokens' | 'tool_hooks'

/** The values of such settings; a program that does not offer one ignores it. */
export interface TurnTuning {
  maxTurns?: number
  /** The agent has no other tools. This never allows more than the permissions do. */
  allowedTools?: readonly string[]
  temperature?: number
  maxTokens?: number
  /**
   * Commands before and after each tool call; a failure of the first makes the agent skip the call.
   */
  toolHooks?: { pre: string | null; post: string | null }
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
  tuning?: TurnTuning
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
