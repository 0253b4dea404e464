import { SignalboxError } from '../errors/index.js'
import { type JsonRecord, textOf } from './json-lines.js'
import type { AgentStatement } from './report.js'

/** What agents whose hooks are built alike (Claude Code's, which others took over) say in the same fields. */

/** The conversation that begins, as `SessionStart` tells it. */
export function sessionStarted(payload: JsonRecord): AgentStatement {
  return {
    is: 'session',
    agentSession: requiredText(payload, 'session_id'),
    ...optionalText('transcript', payload.transcript_path),
    ...optionalText('cwd', payload.cwd),
    ...optionalText('model', payload.model),
  }
}

/** A helper of the agent that has done its part, as `SubagentStop` tells it. */
export function helperEnded(payload: JsonRecord): AgentStatement {
  return {
    is: 'turn-ended',
    outcome: 'done',
    subAgent: requiredText(payload, 'agent_id'),
    ...optionalText('text', payload.last_assistant_message),
  }
}

/** Hooks that fire inside a helper carry its id, and so do those about a helper: what they say is said of it. */
export function ofHelper(payload: JsonRecord, statements: readonly AgentStatement[]): AgentStatement[] {
  const subAgent = textOf(payload.agent_id)
  return statements.map(statement => (subAgent === undefined ? statement : { ...statement, subAgent }))
}

/** A field of a hook's payload that every payload of that event has. */
export function requiredText(payload: JsonRecord, field: string): string {
  const value = payload[field]
  if (typeof value === 'string' && value !== '') return value
  throw new SignalboxError('E_INPUT', `the hook's payload has no ${field}`, {
    next: 'the agent may have changed its hooks: compare its version with the one of its pack',
  })
}

/** The field under our name when the payload says something there. */
export function optionalText<Name extends string>(name: Name, value: unknown): { [N in Name]?: string } {
  const text = textOf(value)
  return (text === undefined ? {} : { [name]: text }) as { [N in Name]?: string }
}
