import { baseName } from '../api/format'
import type { Session } from '../api/types'

/** A session that runs a program instead of an agent. */
export function isProgram({ agent }: Pick<Session, 'agent'>): boolean {
  return agent === 'generic'
}

/** What a session runs, beside its name: its agent, or that it is a program. */
export function agentWord(session: Pick<Session, 'agent'>): string {
  return isProgram(session) ? 'program' : session.agent
}

/**
 * The name of a session: its label, else what its first prompt asked for, else the command of a
 * program, else agent and project.
 */
export function sessionName(session: Pick<Session, 'label' | 'title' | 'agent' | 'cwd' | 'args'>): string {
  const { label, title, agent, cwd, args } = session
  const command = isProgram(session) ? [baseName(args[0] ?? ''), ...args.slice(1)].join(' ') : ''
  return label ?? title ?? (command || `${agent} in ${baseName(cwd)}`)
}
