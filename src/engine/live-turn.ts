import type { ActivityBody } from '../activity/index.js'
import type { HeadlessEnd } from '../agents/index.js'
import type { AgentTurn } from './agent-step.js'
import type { StepCall } from './workflow.js'

/** A session in a terminal that works on a step. */
export interface LiveStart {
  session: string
  pid: number
  processStart: string | null
  /** The agent's own id of the conversation, where it is known from the start. */
  agentSessionId: string | null
}

/** What a turn in a terminal tells while it goes on. */
export interface LiveListener {
  /** What the log of the step has already, by `saidKey`: a turn that is gone on with is told again from its beginning. */
  readonly said: ReadonlySet<string>
  onStarted(start: LiveStart): void
  say(body: ActivityBody): void
}

/** Names what must stand only once in the log of a turn; null for what may be said again. */
export function saidKey(body: ActivityBody): string | null {
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

/** Turns of agents in terminals that people can attach to. Only a process that keeps sessions has them. */
export interface LiveTurns {
  /** Starts the agent, gives it the prompt, and resolves when it is done with it. */
  run(call: StepCall, turn: AgentTurn, listener: LiveListener): Promise<HeadlessEnd>
  /** Goes on with a turn whose session outlived its host; null when there is none, or nobody knows whether it has the prompt. */
  adopt(
    call: StepCall,
    turn: Pick<AgentTurn, 'thresholds'>,
    listener: LiveListener,
  ): Promise<{ end: Promise<HeadlessEnd> } | null>
  /** Ends what is left of a step that nobody goes on with. */
  abandon(step: string): Promise<void>
}
