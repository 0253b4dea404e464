import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { StartRequest } from './prepare-session.js'

export interface ResumeOptions {
  /** The environment of the person's terminal; null if the request comes from no terminal. */
  terminal: Readonly<Record<string, string>> | null
  size: { cols: number; rows: number } | null
  person: string
}

/** Resumes a session's conversation: same agent, directory, arguments and agent's id. */
export function resumeRequest(record: SessionRecord, { terminal, size, person }: ResumeOptions): StartRequest {
  const { id, number, state, agent, agentSessionId, resumedBy } = record
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
    agent,
    args: record.args,
    cwd: record.cwd,
    terminal,
    size,
    person,
    label: record.label ?? null,
    // A conversation that was in a sandbox stays in one.
    ...(record.sandbox && { sandbox: { use: record.sandbox.backend, network: record.sandbox.network } }),
    ...(record.channel !== undefined && { channel: record.channel }),
    resume: agentSessionId,
    resumedFrom: id,
  }
}
