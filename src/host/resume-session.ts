import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import { budgetSentence, raiseCommand } from '../text/index.js'
import type { StartRequest } from './prepare-session.js'

export interface ResumeOptions {
  /** The environment of the person's terminal; null if the request comes from no terminal. */
  terminal: Readonly<Record<string, string>> | null
  size: { cols: number; rows: number } | null
  person: string
}

/**
 * Starts a new conversation with everything that a session's conversation has; the session, which
 * may be running, is left as it is.
 */
export function forkRequest(record: SessionRecord, options: ResumeOptions): StartRequest {
  const { id, agent, agentSessionId, channel, label, number } = record
  if (channel === 'acp')
    throw new SignalboxError('E_INPUT', `session ${id} has no terminal: the protocol has no stable way to fork it`, {
      next: 'resume it after it has ended',
    })
  if (agentSessionId === undefined)
    throw new SignalboxError('E_STATE', `${agent} has not reported the id of its conversation`, {
      next: 'send it a prompt first',
    })
  return {
    ...requestOfRecord(record, options),
    label: `Fork of ${label ?? `session ${number}`}`.slice(0, 200),
    resume: null,
    fork: agentSessionId,
  }
}

/** Resumes a session's conversation: same agent, directory, arguments and agent's id. */
export function resumeRequest(record: SessionRecord, options: ResumeOptions): StartRequest {
  const { id, number, state, agent, agentSessionId, resumedBy, paused } = record
  if (state === 'live' && paused !== undefined)
    throw new SignalboxError('E_STATE', `session ${number} is paused by its budget. ${budgetSentence(paused)}`, {
      next: `${raiseCommand(number, paused)} raises it, and the session continues`,
    })
  if (state === 'starting' || state === 'live')
    throw new SignalboxError('E_STATE', `session ${id} is still running`, {
      next: `signalbox attach ${number}, or signalbox send ${number} "…"`,
    })
  if (resumedBy !== undefined)
    throw new SignalboxError('E_STATE', `session ${id} was already resumed as ${resumedBy}`, {
      next: `signalbox resume ${resumedBy}, if that one has ended, too`,
    })
  if (agentSessionId === undefined)
    throw new SignalboxError(
      'E_STATE',
      agent === 'generic'
        ? `session ${id} ran a program that is not a known agent: it cannot be resumed`
        : `the conversation of session ${id} cannot be resumed: ${agent} never reported its id`,
      { next: `signalbox start ${agent === 'generic' ? '-- <program>' : agent} starts a new one` },
    )
  return {
    ...requestOfRecord(record, options),
    label: record.label ?? null,
    resume: agentSessionId,
    resumedFrom: id,
  }
}

/** Same agent, directory, arguments and sandbox. */
function requestOfRecord(record: SessionRecord, { terminal, size, person }: ResumeOptions) {
  return {
    // The arguments of any other program begin with the program.
    agent: record.agent === 'generic' ? null : record.agent,
    args: record.args,
    cwd: record.cwd,
    terminal,
    size,
    person,
    // A conversation that was in a sandbox stays in one.
    ...(record.sandbox && { sandbox: { use: record.sandbox.backend, network: record.sandbox.network } }),
    ...(record.channel !== undefined && { channel: record.channel }),
    // Where its agent keeps the conversation; another shell, or a service, may name other places.
    ...(record.agentVariables && { agentVariables: record.agentVariables }),
  }
}

/**
 * The sessions that ran when the machine or the keeper stopped, and whose conversations can be
 * continued; oldest first. A host that was killed while it resumed one has started the session that
 * continues it, but not noted that in the old one.
 */
export function resumableLost(records: readonly SessionRecord[]): SessionRecord[] {
  const continued = new Set(records.map(({ resumedFrom }) => resumedFrom))
  return records.filter(
    ({ id, state, agentSessionId, resumedBy }) =>
      state === 'lost' && agentSessionId !== undefined && resumedBy === undefined && !continued.has(id),
  )
}
