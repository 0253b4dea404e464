import { SignalboxError } from '../errors/index.js'
import { type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement } from './report.js'

/** Helpers for agents with the same hook format (Claude Code's, which others adopted). */

export function sessionStarted(payload: JsonRecord): AgentStatement {
  return {
    kind: 'session',
    agentSession: requiredText(payload, 'session_id'),
    ...optionalText('transcript', payload.transcript_path),
    ...optionalText('cwd', payload.cwd),
    ...optionalText('model', payload.model),
  }
}

export function subAgentEnded(payload: JsonRecord): AgentStatement {
  return {
    kind: 'turn-ended',
    outcome: 'done',
    subAgent: requiredText(payload, 'agent_id'),
    ...optionalText('text', payload.last_assistant_message),
  }
}

/** Hooks inside a sub-agent, and about one, carry its id: their statements concern it. */
export function ofSubAgent(payload: JsonRecord, statements: readonly AgentStatement[]): AgentStatement[] {
  const subAgent = textOf(payload.agent_id)
  return statements.map(statement => (subAgent === undefined ? statement : { ...statement, subAgent }))
}

export function requiredText(payload: JsonRecord, field: string): string {
  const value = payload[field]
  if (typeof value === 'string' && value !== '') return value
  throw new SignalboxError('E_INPUT', `the hook payload has no ${field}`, {
    next: 'the agent may have changed its hooks: compare its version with that of its pack',
  })
}

/** The field under our name, if the payload has it. */
export function optionalText<Name extends string>(name: Name, value: unknown): { [N in Name]?: string } {
  const text = textOf(value)
  return (text === undefined ? {} : { [name]: text }) as { [N in Name]?: string }
}
