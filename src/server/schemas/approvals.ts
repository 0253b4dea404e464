import { z } from 'zod'
import { eventSchema } from '../../events/index.js'
import { REQUEST_WORDS, type RequestState } from '../../text/index.js'
import { moment, page } from './common.js'
import { grant } from './grants.js'

const requested = eventSchema('approval.requested').shape
const applied = eventSchema('approval.applied').shape
const evidence = applied.evidence

/** The request as the log has it, with its decision and its outcome. */
export const approval = z
  .object({
    ...requested,
    deadline: requested.deadline.unwrap().extend({ at: moment }).optional(),
    id: z.string(),
    state: z.enum(['pending', 'decided', 'applied', 'stale', 'expired', 'cancelled']),
    version: z.int(),
    requestedAt: moment,
    decision: eventSchema('approval.decided').extend({ at: moment }).optional(),
    delivery: z.array(eventSchema('approval.delivering').extend({ at: moment })),
    joined: z
      .array(z.object({ channel: z.string(), requestKey: z.string(), toolUseId: z.string().optional() }))
      .optional(),
    screenOptions: requested.request.shape.options.optional(),
    seenBy: z.array(z.string()).optional(),
    outcome: z
      .object({
        at: moment,
        reason: z.string().optional(),
        followedBy: z.string().optional().describe('the request that replaces this one'),
        evidence: evidence.optional(),
        waitedMs: z.number().optional(),
        deliveredMs: z.number().optional(),
        observed: applied.observed.describe('the answer that a person gave in the agent’s own menu'),
      })
      .optional(),
    behind: z.string().optional().describe('the request whose menu must be answered first'),
  })
  .meta({ id: 'Approval' })

const batchResult = z.object({
  id: z.string(),
  state: z.enum(['decided', 'refused']),
  code: z.string().optional(),
  message: z.string().optional(),
})

export const batchResults = z.object({ items: z.array(batchResult) })

const times = z.object({ count: z.int(), medianMs: z.number().nullable(), p95Ms: z.number().nullable() })

const tally = z.object({
  name: z.string(),
  requests: z.int(),
  allowed: z.int(),
  denied: z.int(),
  toDecision: times,
})

const historyItem = z.object({
  id: z.string(),
  requestedAt: moment,
  project: z.string(),
  agent: z.string(),
  session: z.string().nullable(),
  run: z.string().nullable(),
  kind: z.string(),
  tool: z.string(),
  title: z.string().describe('what was asked, as one sentence'),
  what: z.string().nullable().describe('the command, the size of the change or the first line of what was asked'),
  risk: z.string(),
  state: z.string(),
  result: z.enum(Object.keys(REQUEST_WORDS) as [RequestState, ...RequestState[]]).describe('what became of it'),
  decidedAt: moment.nullable(),
  by: z.string().nullable(),
  surface: z.string().nullable(),
  option: z.string().nullable(),
  decided: z.string().nullable().describe('the decision in words: Allowed once, Denied'),
  isDenied: z.boolean(),
  note: z.string().nullable(),
  grant: z.string().nullable(),
  decisionMs: z.number().nullable().describe('from the request to the decision'),
  appliedMs: z.number().nullable().describe('from the decision until the agent or the run had it'),
  waitedMs: z.number().nullable().describe('from the request until it was decided anywhere, or closed'),
  reason: z.string().nullable(),
  why: z.string().nullable().describe('the reason in words'),
})

/** A page of the requests that wait no longer. */
export const approvalHistory = page(historyItem)
  .extend({
    total: z.int().describe('how many match, on all pages'),
    projects: z.array(z.string()).describe('of all requests that wait no longer'),
  })
  .meta({ id: 'ApprovalHistory' })

/** Who decided what and how fast; refusals and grants. */
export const approvalReport = z
  .object({
    requests: z.int(),
    states: z.record(z.string(), z.int()).describe('how many requests, by what became of them'),
    toDecision: times,
    toApplied: times,
    byPerson: z.array(tally),
    bySurface: z.array(tally),
    byTool: z.array(tally),
    byRisk: z.array(tally),
    denials: z.array(
      z.object({
        id: z.string(),
        tool: z.string(),
        by: z.string(),
        surface: z.string(),
        at: moment,
        note: z.string().nullable(),
      }),
    ),
    grants: z.array(grant.extend({ usedBy: z.array(z.object({ approval: z.string(), at: moment })) })),
    closed: z.array(z.object({ id: z.string(), state: z.string(), reason: z.string(), at: moment })),
    refused: z.array(
      z.object({
        id: z.string(),
        by: z.string(),
        surface: z.string(),
        code: z.string(),
        reason: z.string(),
        at: moment,
      }),
    ),
    items: z.array(historyItem),
  })
  .meta({ id: 'ApprovalReport' })
