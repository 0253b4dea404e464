import { userInfo } from 'node:os'
import type { Actor, ProposedDecision } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { isMarked } from '../../process/index.js'
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
  return env.SIGNALBOX_SESSION || env.SIGNALBOX_STEP || (isMarked() ? 'a session' : null)
}

/**
 * Refuses to start the daemon from an agent's shell: it would inherit the agent's environment.
 * @throws SignalboxError `E_ROLE`
 */
export function refuseToServe(context: CommandContext): void {
  const agent = callingAgent(context)
  if (agent !== null)
    throw new SignalboxError('E_ROLE', `an agent cannot start the daemon: this shell belongs to ${agent}`, {
      next: 'start it from a terminal of your own: signalbox serve',
    })
}

export function agentRefused(agent: string): SignalboxError {
  return new SignalboxError('E_ROLE', `an agent cannot decide for itself: this shell belongs to ${agent}`, {
    next: 'decide from a terminal of your own',
  })
}
