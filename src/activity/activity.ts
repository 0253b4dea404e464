/** What an agent does, in one vocabulary for all agents: one record of the stream of a step. */
export type Activity = ActivityEnvelope & ActivityBody

export interface ActivityEnvelope {
  /** `run/node@visit#attempt` */
  step: string
  /** Counts from 1 within the step. */
  seq: number
  /** Milliseconds since the epoch when its bytes arrived. */
  at: number
  agent: string
  sessionId?: string
  /** The call id of the tool call whose sub-agent produced it. */
  parent?: string
  /** Not received live, but found afterwards. */
  recovered?: true
}

export type ToolKind = 'shell' | 'read' | 'write' | 'search' | 'web' | 'agent' | 'plan' | 'other'

export type ErrorClass =
  | 'auth'
  | 'rate_limit'
  | 'overloaded'
  | 'network'
  | 'context_length'
  | 'budget'
  | 'config'
  | 'refused'
  | 'interrupted'
  | 'unknown'

export type ActivityBody = { parent?: string } & (
  | { type: 'session'; sessionId: string; model?: string; cwd?: string; version?: string }
  /**
   * A delta is provisional; the complete block follows with `delta: false` and the same `block`.
   */
  | { type: 'text' | 'thought'; text: string; delta: boolean; block?: string }
  | { type: 'tool_call'; callId: string; tool: string; kind: ToolKind; input: unknown }
  | { type: 'tool_progress'; callId: string; text: string }
  | { type: 'tool_result'; callId: string; ok: boolean; output: string; truncated?: boolean; exitCode?: number }
  | { type: 'file_change'; path: string; change: 'create' | 'update' | 'delete'; callId?: string }
  | { type: 'todo'; items: { text: string; status: string }[] }
  | { type: 'approval'; requestId: string; tool: string; input: unknown; options: unknown[] }
  | { type: 'question'; questionId: string; text: string; options: unknown[] }
  | { type: 'retry'; attempt: number; max?: number; delayMs?: number; status?: number; reason: string }
  | UsageActivity
  | { type: 'notice'; level: 'info' | 'warning' | 'error'; text: string }
  | { type: 'error'; class: ErrorClass; status?: number; text: string }
  | { type: 'result'; ok: boolean; reason: string; text: string; structured?: unknown }
  | { type: 'raw'; text: string; malformed?: true; truncated?: true; from?: 'stderr' }
)

/** `turn` is added to the sum; `run` replaces the sum. */
export interface UsageActivity {
  type: 'usage'
  scope: 'turn' | 'run'
  input: number
  output: number
  cacheRead?: number
  cacheWrite?: number
  reasoning?: number
  costUsd?: number
  model?: string
  /** How full the context is, in tokens, if the agent reports the size of the window. */
  context?: { used: number; window: number }
}

/** Output of a tool beyond this is cut: all of it is in the agent's own transcript. */
const OUTPUT_MAX = 64 * 1024

export function truncateOutput(output: string): { output: string; truncated?: true } {
  return output.length <= OUTPUT_MAX ? { output } : { output: output.slice(0, OUTPUT_MAX), truncated: true }
}
