import { SignalboxError } from '../errors/index.js'
import type { EventData } from '../events/index.js'
import { isDenialMeaning } from './denial.js'
import { ANY, type GrantRecord, type GrantRequest, isCovered, matchOf } from './grants.js'
import type { Actor, Surface } from './policy.js'
import type { ApprovalRecord } from './record.js'

/*
 * Standing approvals: "always allow `npm test` in this project, until I revoke it". They are grants
 * that a person makes by pattern instead of with a request, without end and without a limit of
 * uses. Everything else holds as for every grant: they never cover what is rated high or what only
 * a person may decide; pause, revoke and lockdown end them.
 */

interface StandingRequest {
  project: string
  /** Null: every agent. */
  agent: string | null
  match: Exclude<NonNullable<GrantRequest['match']>, { kind: 'same' }>
  note?: string | undefined
}

/** Far enough in the future that a grant never ends by its time. */
const NO_EXPIRY = Date.UTC(9999, 0)
const NO_USE_LIMIT = 1_000_000_000

/** @throws SignalboxError `E_INPUT` for a pattern that is too wide or not plain. */
export function standingGrant(
  { project, agent, match, note }: StandingRequest,
  { by, surface }: { by: Actor; surface: Surface },
): EventData<'grant.made'> {
  const checked = matchOf({ subject: { project } }, { match })
  if (typeof checked === 'string')
    throw new SignalboxError('E_INPUT', `this pattern cannot be allowed: ${checked}`, {
      next: 'name the command with its first argument, such as "npm test", or a directory of the project',
    })
  return {
    scope: { kind: 'project', project, agent: agent ?? ANY },
    match: checked,
    tools: [ANY],
    agent: agent ?? ANY,
    project,
    expiresAt: NO_EXPIRY,
    maxUses: NO_USE_LIMIT,
    standing: true,
    by,
    surface,
    approval: '',
    ...(note !== undefined && { note }),
  }
}

/** The requests that it would have allowed since then, newest first. Pure. */
export function previewStanding(
  made: EventData<'grant.made'>,
  records: readonly ApprovalRecord[],
  { now, since }: { now: number; since: number },
): { covered: ApprovalRecord[]; denied: number } {
  const grant: GrantRecord = { ...made, id: 'preview', version: 0, madeAt: now, uses: 0 }
  const covered = records
    .filter(record => record.requestedAt >= since && isCovered(record, grant, now))
    .sort((a, b) => b.requestedAt - a.requestedAt)
  const wasDenied = ({ request, decision }: ApprovalRecord) =>
    request.options.some(({ key, meaning }) => key === decision?.option && isDenialMeaning(meaning))
  return { covered, denied: covered.filter(wasDenied).length }
}
