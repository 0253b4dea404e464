/**
 * What an agent says about itself beside its screen, in one vocabulary for all agents and channels. An adapter translates; who hears it
 * (readings, approvals, the conversation) decides what it is worth.
 */
export interface AgentReport {
  /** Equal for repetitions of one report: hooks are retried. */
  id: string
  channel: 'hook' | 'transcript' | 'events'
  /** Wall milliseconds. */
  at: number
  statement: AgentStatement
}

/** `subAgent`: said by or about a helper of the agent, never about its main conversation. */
export type AgentStatement = { subAgent?: string } & (
  | { is: 'session'; agentSession: string; transcript?: string; cwd?: string; version?: string; model?: string }
  | { is: 'prompt'; text: string; prompt?: string }
  /** A helper may say who it is and what it was given to do. */
  | { is: 'working'; name?: string; task?: string }
  | ToolStatement
  /** The agent asks a person. `key` is its own id for that, where it has one; else the hearer joins by tool and input. */
  | {
      is: 'request'
      key: string | null
      /** What an answer on the agent's own channel has to name; left out: the key. */
      reply?: string
      tool: string
      input: unknown
      prompt?: string
      /** Rules that the agent offers to make, verbatim: what `HookAnswer.sessionRule` may carry. */
      suggestions?: readonly unknown[]
      /**
       * The dialog is a form (a question, a plan): only its screen can carry the answer. A structured channel must not allow it, since the
       * agent would take that for an empty form; it may still be denied.
       */
      viaScreen?: true
    }
  | { is: 'answered'; key: string; result: 'allowed' | 'denied' | 'unknown' }
  /** It waits for a person, without saying for what. */
  | { is: 'waiting'; kind: 'permission' | 'question' | 'idle' | 'auth'; text?: string }
  /** A finished piece of its answer, as Markdown; `id` names the record it stands in. */
  | { is: 'said'; id: string; markdown: string }
  | { is: 'turn-ended'; outcome: 'done' | 'interrupted' | 'failed'; text?: string; background?: number }
  | { is: 'ended'; reason: string }
  | UsageStatement
)

/** What one exchange with the model took. `input` is all of it, what came from a cache included. */
export interface UsageStatement {
  is: 'usage'
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  costUsd?: number
  model?: string
  /** Tokens that the model can be given at once, where the agent says so. */
  contextWindow?: number
}

export interface ToolStatement {
  is: 'tool'
  state: 'started' | 'done' | 'failed' | 'denied'
  key: string | null
  tool: string
  input: unknown
  /** What came back, as text. */
  output?: string
  prompt?: string
}
