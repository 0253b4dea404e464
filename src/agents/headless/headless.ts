import type { ActivityParser, ErrorClass } from '../../activity/index.js'
import type { FoundAgent } from '../adapter.js'

/** What an agent may do unasked. `ask`: every request goes to a person. */
export const PERMISSION_LEVELS = ['read', 'ask', 'edits', 'all'] as const
export type PermissionLevel = (typeof PERMISSION_LEVELS)[number]

/** How an agent works through one prompt without a terminal. */
export interface HeadlessAgent {
  readonly levels: readonly PermissionLevel[]
  /** A worker of it asks unless it was told otherwise. */
  readonly asksByDefault?: boolean
  readonly takesModel: boolean
  /** Whether it can be held to a JSON Schema by itself. */
  readonly takesSchema: boolean
  /** It reports the calls of its tools only when they end: silence in between means nothing. */
  readonly reportsToolsLate?: boolean
  /** It has no final record: leaving with 0 is its success. */
  readonly endsByExit?: boolean
  /** It can go on with a copy of a session, in the same directory. */
  readonly canFork?: boolean
  /** It is reached at an address, not through an account of its own. */
  readonly needsEndpoint?: boolean
  /** The command line. The prompt is in `step.promptFile`; `stdin` says whether the program reads it from there. */
  command(location: FoundAgent, step: HeadlessStep): HeadlessCommand
  /** How to speak with it while it works; needed where `stdin` is `talk`. */
  readonly talk?: HeadlessTalk
  parser(step: HeadlessStep): ActivityParser
  /** What the step left behind in the agent's own files. Never throws for what it cannot read: that is evidence, too. */
  examine(traces: StepTraces): Promise<Findings>
}

export interface HeadlessStep {
  /** `run/node@visit#attempt` */
  name: string
  cwd: string
  /** The environment the program will get, for agents that look for their files by it. */
  env: Readonly<Record<string, string>>
  permissions: PermissionLevel
  model: string | null
  /** How long the model thinks, where the program takes that. */
  effort?: string | null
  /** The agent's own session to go on with. */
  resume: string | null
  /** Goes on with a copy of that session, which itself stays as it is; only for agents that can (`canFork`). */
  isFork?: boolean
  /** For a new session, where the agent takes an id from us. */
  newSessionId: string
  /** A directory of this step alone. */
  directory: string
  promptFile: string
  schema: { json: object; file: string } | null
  maxCostUsd: number | null
  /** For a model behind an address: where it is, and the variable with its key. */
  endpoint: string | null
  apiKeyEnv: string | null
}

/** What is written to a program that asks: lines, each with its end. */
export interface HeadlessTalk {
  prompt(text: string): string
  answer(request: { requestId: string; input: unknown }, answer: PermissionAnswer): string
}

export interface PermissionAnswer {
  isAllowed: boolean
  /** The reason, for the agent. */
  message?: string
  editedInput?: unknown
}

export interface HeadlessCommand {
  args: string[]
  env: Record<string, string>
  /** `talk`: a pipe that stays open for answers. */
  stdin: 'prompt' | 'none' | 'talk'
  /** Known from the start only where the agent takes an id from us. */
  agentSessionId: string | null
}

/** Where to look for what a step left behind. */
export interface StepTraces {
  env: Readonly<Record<string, string>>
  cwd: string
  directory: string
  /** As far as it is known. */
  sessionId: string | null
  startedAt: number
  pid: number | null
  prompt: string
  /** Calls of tools that our own log saw begin and not end. */
  openCalls: readonly string[]
}

export interface Findings {
  /** The agent's own record of the step ends with a whole answer. */
  isComplete: boolean
  /** It holds finished work, if not the end of it. */
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
