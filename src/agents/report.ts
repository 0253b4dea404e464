/**
 * What an agent reports about itself besides its screen, in one vocabulary for all agents and
 * channels. An adapter translates; the receivers (readings, approvals, the conversation) decide how
 * much it counts.
 */
export interface AgentReport {
  /** Equal for repetitions of one report: hooks are retried. */
  id: string
  channel: 'hook' | 'transcript' | 'events' | 'acp'
  /** Wall-clock milliseconds. */
  at: number
  statement: AgentStatement
}

/** `subAgent`: said by or about a sub-agent, never about the main conversation. */
export type AgentStatement = { subAgent?: string } & (
  | { kind: 'session'; agentSession: string; transcript?: string; cwd?: string; version?: string; model?: string }
  | { kind: 'prompt'; text: string; prompt?: string }
  /** A sub-agent may give its name and task. */
  | { kind: 'working'; name?: string; task?: string }
  | ToolStatement
  /** The agent asks a person. Without its own `key`, the receiver joins by tool and input. */
  | {
      kind: 'request'
      key: string | null
      /** The id to use when answering on the agent's own channel; by default the key. */
      reply?: string
      tool: string
      input: unknown
      prompt?: string
      /**
       * Rules that the agent offers to create, verbatim: what `HookAnswer.sessionRule` may carry.
       */
      suggestions?: readonly unknown[]
      /**
       * The dialog is a form (a question, a plan): only its screen can carry the answer. A
       * structured channel must not allow it, because the agent would treat that as an empty form;
       * it may still deny it.
       */
      viaScreen?: true
    }
  | { kind: 'answered'; key: string; result: 'allowed' | 'denied' | 'unknown' }
  /** It waits for a person, without saying for what. */
  | { kind: 'waiting'; waitsFor: 'permission' | 'question' | 'idle' | 'auth'; text?: string }
  /** A finished part of its answer, as Markdown; `id` names the record that contains it. */
  | { kind: 'said'; id: string; markdown: string }
  | { kind: 'turn-ended'; outcome: 'done' | 'interrupted' | 'failed'; text?: string; background?: number }
  | { kind: 'ended'; reason: string }
  | UsageStatement
)

/** The usage of one model call. `input` is the total, including cached tokens. */
export interface UsageStatement {
  kind: 'usage'
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  costUsd?: number
  model?: string
  /** The context window of the model in tokens, if the agent reports it. */
  contextWindow?: number
}

export interface ToolStatement {
  kind: 'tool'
  state: 'started' | 'done' | 'failed' | 'denied'
  key: string | null
  tool: string
  input: unknown
  /** The result, as text. */
  output?: string
  prompt?: string
}
