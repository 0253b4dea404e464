import type { Clock } from '../clock/index.js'
import type { AgentSteps, GateQuestion, GraphStep, NodeOutcome, Reply, StepCall, Usage } from '../engine/index.js'
import type { EventStore, NewEvent } from '../store/index.js'
import type { Redactor } from '../text/index.js'
import type { PipelineArgs } from './args.js'
import type { PipelineGit } from './pipeline-git.js'
import type { ImplementationState, Outcome, StateUpdate } from './state.js'

/** Those who play the roles. */
export type RoleAgents = Pick<AgentSteps, 'run' | 'recover' | 'abandon' | 'directory'>

/** What nodes work with. None of it is ever part of a state. */
export interface PipelineServices {
  agents: RoleAgents
  store: EventStore
  clock: Clock
  redactor: Redactor
  runDirectory(run: string): string
  environment(cwd: string): Record<string, string>
}

/** What a node gets: the state as it is, where the run works, and what a person said to its question. */
export interface NodeContext {
  readonly call: StepCall
  readonly step: GraphStep
  readonly state: ImplementationState
  readonly args: PipelineArgs
  readonly services: PipelineServices
  readonly git: PipelineGit
  readonly cwd: string
  readonly reply: Reply | null
  /** Files of the run that are no part of its work: diffs, reviews. */
  readonly directory: string
}

/** What a node says. */
export interface NodeResult {
  /** The next node. */
  route?: string
  update?: StateUpdate
  /** Written down with the end of the node. */
  events?: readonly NewEvent[]
  /** Asked before anything else; the node is called again with the answer. */
  question?: GateQuestion
  end?: NonNullable<NodeOutcome['end']>
  /** Instead of everything else. */
  failed?: NodeOutcome
  /** The newest commit of the work: a fork begins there. */
  commit?: string
  /** For the end of the run. */
  verdict?: { outcome: Outcome; objections: string[] }
  response?: string
  usage?: Usage
}

export type PipelineNode = (context: NodeContext) => Promise<NodeResult>

/** A node whose work is one turn of an agent, which may have come to its end although its host did not see it. */
export interface AgentNode {
  run: PipelineNode
  /** What follows from a turn that was found to be complete. */
  conclude(context: NodeContext, found: { text: string; sessionId: string | null }): Promise<NodeResult>
}
