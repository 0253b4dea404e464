import type { ActivityBody } from '../activity/index.js'
import type { HeadlessEnd } from '../agents/index.js'
import type { AgentTurn } from './agent-step.js'
import type { StepCall } from './workflow.js'

/** A terminal session that works on a step. */
export interface LiveStart {
  session: string
  pid: number
  processStart: string | null
  /** The agent's own conversation id, if known from the start. */
  agentSessionId: string | null
}

/** Receives what happens in a turn in a terminal. */
export interface LiveListener {
  /**
   * The keys in the step's log: a turn that was taken over is reported again from its beginning.
   */
  readonly logged: ReadonlySet<string>
  onStarted(start: LiveStart): void
  log(body: ActivityBody): void
}

/** A key for activities that may appear only once in the log of a turn; null for all others. */
export function onceKey(body: ActivityBody): string | null {
  switch (body.type) {
    case 'session':
      return `session ${body.sessionId}`
    case 'tool_call':
    case 'tool_result':
      return `${body.type} ${body.callId}`
    case 'text':
      return body.block === undefined ? null : `text ${body.block}`
    default:
      return null
  }
}

/** Runs agent turns in terminals; only a process that keeps sessions has it. */
export interface LiveTurns {
  /** Starts the agent, sends the prompt, and resolves when the turn ends. */
  run(call: StepCall, turn: AgentTurn, listener: LiveListener): Promise<HeadlessEnd>
  /** Continues a turn whose session outlived its host; null if none, or if in doubt. */
  takeOver(
    call: StepCall,
    turn: Pick<AgentTurn, 'thresholds'>,
    listener: LiveListener,
  ): Promise<{ end: Promise<HeadlessEnd> } | null>
  /** Cleans up after a step that is not continued. */
  abandon(step: string): Promise<void>
}
