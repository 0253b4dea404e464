import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { StartRequest } from './prepare-session.js'

export interface ResumeOptions {
  /** The environment of the terminal that asks; null when there is none. */
  terminal: Readonly<Record<string, string>> | null
  size: { cols: number; rows: number } | null
  person: string
}

/** The start that goes on with a session's conversation: same agent, directory and arguments, and the agent's own id. */
export function resumeRequest(record: SessionRecord, wish: ResumeOptions): StartRequest {
  const { id, number, state, agent, agentSessionId, resumedBy } = record
  if (state === 'starting' || state === 'live')
    throw new SignalboxError('E_STATE', `session ${id} is still running`, {
      next: `signalbox attach ${number}, or signalbox send ${number} "…"`,
    })
  if (resumedBy !== undefined)
    throw new SignalboxError('E_STATE', `session ${id} goes on as ${resumedBy} already`, {
      next: `signalbox resume ${resumedBy}, if that one has ended too`,
    })
  if (agentSessionId === undefined)
    throw new SignalboxError(
      'E_STATE',
      agent === 'generic'
        ? `session ${id} ran a program that is no known agent: it cannot be continued`
        : `the conversation of session ${id} cannot be continued: ${agent} never told its id`,
      { next: `signalbox start ${agent === 'generic' ? '-- <program>' : agent} begins a new one` },
    )
  return {
    agent,
    args: record.args,
    cwd: record.cwd,
    terminal: wish.terminal,
    size: wish.size,
    person: wish.person,
    label: record.label ?? null,
    resume: agentSessionId,
    resumedFrom: id,
  }
}
