import type { Clock } from '../clock/index.js'
import type {
  AgentSteps,
  GateQuestion,
  GraphStep,
  NodeOutcome,
  Reply,
  SandboxOfStep,
  StepCall,
  Usage,
} from '../engine/index.js'
import type { EventStore, NewEvent } from '../store/index.js'
import type { Redactor } from '../text/index.js'
import type { ReadProfile } from './ad-hoc-args.js'
import type { PipelineArgs } from './args.js'
import type { PipelineGit } from './pipeline-git.js'
import type { ImplementationState, Outcome, StateUpdate } from './state.js'

export type RoleAgents = Pick<AgentSteps, 'run' | 'recover' | 'abandon' | 'directory'>

/** Services for nodes. They are never part of a state. */
export interface PipelineServices {
  agents: RoleAgents
  store: EventStore
  clock: Clock
  redactor: Redactor
  runDirectory(run: string): string
  environment(cwd: string): Record<string, string>
  /** Puts a command into the sandbox of its run. */
  inSandbox?: SandboxOfStep | undefined
  /** For pipelines that run as graphs: the profile that `implement` and `review` would use. */
  readProfile: ReadProfile
}

/** A node's input: the state, where the run works, and the reply to its question. */
export interface NodeContext {
  readonly call: StepCall
  readonly step: GraphStep
  readonly state: ImplementationState
  readonly args: PipelineArgs
  readonly services: PipelineServices
  readonly git: PipelineGit
  readonly cwd: string
  readonly reply: Reply | null
  /** Files of the run that are not part of its work: diffs, reviews. */
  readonly directory: string
}

export interface NodeResult {
  /** The next node. */
  route?: string
  update?: StateUpdate
  /** Written in the same transaction as the end of the node. */
  events?: readonly NewEvent[]
  /** Asked first; the node is called again with the answer. */
  question?: GateQuestion
  end?: NonNullable<NodeOutcome['end']>
  /** Replaces everything else. */
  failed?: NodeOutcome
  /** The newest commit of the work: a fork starts there. */
  commit?: string
  /** For the end of the run. */
  verdict?: { outcome: Outcome; objections: string[] }
  response?: string
  usage?: Usage
}

export type PipelineNode = (context: NodeContext) => Promise<NodeResult>

/** A node whose work is one agent turn, which may have completed although its host died. */
export interface AgentNode {
  run: PipelineNode
  /** Concludes the node from a recovered, complete turn. */
  conclude(context: NodeContext, found: { text: string; sessionId: string | null }): Promise<NodeResult>
}
