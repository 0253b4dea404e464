import type { Observation, Pack } from '../screen/index.js'
import type { StatusRecord } from '../terminal/index.js'
import type { Claim } from './evidence.js'

/** The claim that an observation makes; null if it makes none. */
export function claimOf(observation: Observation): Claim | null {
  const { awaiting } = observation
  // A REPL, debugger, pager or editor at its own prompt waits for its user as a shell does: it is
  // idle, and asks no question.
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
      // The remaining views are parts of a turn. Many frames do not show whether the agent works
      // (`busy` null): then it does. A frame that shows that it does not makes no claim.
      return observation.busy === false ? null : { is: 'working' }
  }
}

/** The claim of an OSC 7501 status report; null if the program has withdrawn everything. */
export function statusClaim(record: StatusRecord | null): Claim | null {
  if (!record) return null
  switch (record.state) {
    case 'working':
      return { is: 'working', ...(record.msg !== null && { label: record.msg }) }
    case 'blocked':
      return { is: 'blocked', awaiting: record.kind ?? 'choice' }
    case 'done':
      return { is: 'done' }
    case 'error':
      return { is: 'failed', reason: record.msg ?? 'the program reports an error' }
    default:
      return { is: 'idle' }
  }
}

/**
 * The claim of a terminal title, by the pack's `title` rules. Positive evidence only: a title that
 * looks idle proves nothing, because agents keep their idle title while they are blocked.
 */
export function titleClaim(title: string, pack: Pack): { claim: Claim; ref: string } | null {
  for (const rule of pack.rules) {
    if (rule.region !== 'title' || !rule.line?.test(title)) continue
    const ref = `${pack.agent}/${rule.id}`
    if (rule.awaiting) return { claim: { is: 'blocked', awaiting: rule.awaiting }, ref }
    if (rule.busy) return { claim: { is: 'working' }, ref }
  }
  return null
}
