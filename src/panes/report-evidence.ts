import type { AgentReport, AgentStatement } from '../agents/index.js'
import type { Awaiting } from '../screen/index.js'
import type { Claim, Evidence } from './evidence.js'

/** What a report is to a pane: evidence, the end of what its channel said before, or nothing. */
export type ReportEffect = { evidence: Evidence } | { withdraw: Evidence['authority'] } | null

/**
 * An agent's own words as evidence. `t` is when they were said, in seconds since the pane's start.
 *
 * Two things that look obvious are not so. A piece of text in a transcript is no claim: it may be read long after the turn ended. And a
 * tool that was denied is neither work nor rest: some agents stop there without another word and some go on, so the channel falls silent
 * and the screen decides.
 */
export function reportEffect({ channel, statement }: AgentReport, t: number): ReportEffect {
  const authority = channel === 'transcript' ? 'transcript' : 'hook'
  if (isSilence(statement)) return { withdraw: authority }
  const claim = statement.subAgent === undefined ? claimOf(statement) : helperClaim(statement)
  if (!claim) return null
  return { evidence: { authority, claim, t, expires: null, ref: `${channel}/${nameOf(statement)}` } }
}

function isSilence(statement: AgentStatement): boolean {
  if (statement.subAgent !== undefined) return false
  return statement.is === 'ended' || (statement.is === 'tool' && statement.state === 'denied')
}

function claimOf(statement: AgentStatement): Claim | null {
  switch (statement.is) {
    case 'session':
      return { is: 'starting' }
    case 'prompt':
    case 'working':
    case 'answered':
      return { is: 'working' }
    case 'tool':
      return { is: 'working', label: statement.tool }
    case 'request':
      return { is: 'blocked', awaiting: 'permission' }
    case 'waiting':
      return statement.kind === 'idle' ? { is: 'idle' } : { is: 'blocked', awaiting: AWAITING[statement.kind] }
    case 'turn-ended': {
      const { outcome, background = 0, text } = statement
      // A turn that leaves helpers behind is not over for the person.
      if (background > 0) return { is: 'working', label: `${background} in the background` }
      if (outcome === 'interrupted') return { is: 'stopped', by: 'interrupted' }
      return outcome === 'failed' ? { is: 'failed', reason: text ?? 'the agent reports a failure' } : { is: 'done' }
    }
    default:
      return null
  }
}

/** A helper that asks blocks the pane; whatever else it does is work. Its end is not the end of the conversation. */
function helperClaim(statement: AgentStatement): Claim | null {
  if (statement.is === 'request') return { is: 'blocked', awaiting: 'permission' }
  if (statement.is === 'tool' || statement.is === 'working' || statement.is === 'answered')
    return { is: 'working', ...(statement.is === 'tool' && { label: statement.tool }) }
  return null
}

const AWAITING: Readonly<Record<'permission' | 'question' | 'auth', Awaiting>> = {
  permission: 'permission',
  question: 'question',
  auth: 'auth',
}

function nameOf(statement: AgentStatement): string {
  if (statement.is === 'tool') return `tool-${statement.state}`
  if (statement.is === 'waiting') return `waiting-${statement.kind}`
  if (statement.is === 'turn-ended') return `turn-${statement.outcome}`
  return statement.is
}
