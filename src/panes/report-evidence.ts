import type { AgentReport, AgentStatement } from '../agents/index.js'
import type { Awaiting } from '../screen/index.js'
import type { Claim, Evidence } from './evidence.js'

/** The effect of a report on a pane: evidence, withdrawing the channel's earlier claim, or none. */
export type ReportEffect = { evidence: Evidence } | { withdraw: Evidence['authority'] } | null

/**
 * Converts an agent's report to evidence. `t` is when it was made, in seconds since the pane's
 * start.
 *
 * Two things that look obvious are not. Text in a transcript is not a claim: it may be read long
 * after the turn ended. And a denied tool is neither work nor idle: some agents stop there without
 * another report and some continue, so the channel falls silent and the screen decides.
 */
export function reportEffect({ channel, statement }: AgentReport, t: number): ReportEffect {
  const authority = channel === 'transcript' ? 'transcript' : 'hook'
  if (isSilence(statement)) return { withdraw: authority }
  const claim = statement.subAgent === undefined ? claimOf(statement) : subAgentClaim(statement)
  if (!claim) return null
  return { evidence: { authority, claim, t, expires: null, ref: `${channel}/${nameOf(statement)}` } }
}

function isSilence(statement: AgentStatement): boolean {
  if (statement.subAgent !== undefined) return false
  return statement.kind === 'ended' || (statement.kind === 'tool' && statement.state === 'denied')
}

function claimOf(statement: AgentStatement): Claim | null {
  switch (statement.kind) {
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
      return statement.waitsFor === 'idle' ? { is: 'idle' } : { is: 'blocked', awaiting: AWAITING[statement.waitsFor] }
    case 'turn-ended': {
      const { outcome, background = 0, text } = statement
      // A turn that leaves sub-agents running has not ended for the person.
      if (background > 0) return { is: 'working', label: `${background} in the background` }
      if (outcome === 'interrupted') return { is: 'stopped', by: 'interrupted' }
      return outcome === 'failed' ? { is: 'failed', reason: text ?? 'the agent reports a failure' } : { is: 'done' }
    }
    default:
      return null
  }
}

/**
 * A sub-agent that asks blocks the pane; everything else that it does is work, and its end does not
 * end the turn.
 */
function subAgentClaim(statement: AgentStatement): Claim | null {
  if (statement.kind === 'request') return { is: 'blocked', awaiting: 'permission' }
  if (statement.kind === 'tool' || statement.kind === 'working' || statement.kind === 'answered')
    return { is: 'working', ...(statement.kind === 'tool' && { label: statement.tool }) }
  return null
}

const AWAITING: Readonly<Record<'permission' | 'question' | 'auth', Awaiting>> = {
  permission: 'permission',
  question: 'question',
  auth: 'auth',
}

function nameOf(statement: AgentStatement): string {
  if (statement.kind === 'tool') return `tool-${statement.state}`
  if (statement.kind === 'waiting') return `waiting-${statement.waitsFor}`
  if (statement.kind === 'turn-ended') return `turn-${statement.outcome}`
  return statement.kind
}
