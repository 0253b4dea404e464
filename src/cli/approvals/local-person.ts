import { userInfo } from 'node:os'
import type { Actor, ProposedDecision } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { CommandContext } from '../context.js'

export function localPerson(): { id: string; name: string } {
  return { id: 'local', name: userInfo().username }
}

/** The person at this terminal: a user who can open the store owns it. */
export function localDecider(): Pick<ProposedDecision, 'actor' | 'surface'> {
  const actor: Actor = { kind: 'person', ...localPerson(), role: 'owner' }
  return { actor, surface: 'cli' }
}

/**
 * The session or the step of a run whose agent started this shell; null in a person's own shell.
 */
export function callingAgent({ env }: CommandContext): string | null {
  return env.SIGNALBOX_SESSION || env.SIGNALBOX_STEP || null
}

export function agentRefused(agent: string): SignalboxError {
  return new SignalboxError('E_ROLE', `an agent cannot decide for itself: this shell belongs to ${agent}`, {
    next: 'decide from a terminal of your own',
  })
}
