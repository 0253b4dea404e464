import type { Observation } from '../screen/index.js'
import type { Claim } from './evidence.js'

/** What an observation claims; null when it cannot tell. */
export function claimOf(observation: Observation): Claim | null {
  const { awaiting } = observation
  // A REPL, a debugger, a pager or an editor at its own prompt waits for its user as a shell does: it rests, and calls nobody.
  if (awaiting && awaiting !== 'exit_confirm' && observation.view !== 'idle_prompt') return { is: 'blocked', awaiting }
  switch (observation.view) {
    case 'startup':
      return { is: 'starting' }
    case 'unknown':
      return null
    case 'auth_required':
      return { is: 'blocked', awaiting: 'auth' }
    case 'error':
      return { is: 'failed', reason: (observation as Observation<'error'>).payload.message }
    case 'background_task':
      return { is: 'done', background: (observation as Observation<'background_task'>).payload.count }
    case 'idle_prompt': {
      const { fresh, lastTurn } = (observation as Observation<'idle_prompt'>).payload
      if (lastTurn === 'interrupted' || lastTurn === 'denied') return { is: 'stopped', by: lastTurn }
      if (lastTurn === 'done') return { is: 'done' }
      return { is: 'idle', fresh }
    }
    default:
      return observation.busy === null ? { is: 'working' } : observation.busy ? { is: 'working' } : null
  }
}
