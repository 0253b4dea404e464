import { z } from 'zod'
import {
  type ApprovalRecord,
  blockersOf,
  buildReport,
  DECISIONS,
  decideBatch,
  denyAll,
  denyBatch,
  type HistoryFilter,
  historyItemOf,
  isInHistory,
  type ProposedDecision,
  readLedgerEvents,
  reportRows,
  waitForRecord,
} from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { callerFields, callerOf, idempotencyKey } from '../caller.js'
import { type Route, route } from '../route.js'
import { approval, approvalHistory, approvalReport, batchResults } from '../schemas/approvals.js'
import { answer, listAnswer, listQuery, okAnswer } from '../schemas/common.js'
import { pageOf, pageOfViews } from '../views/page.js'

const WAIT_MAX_MS = 30_000

const match = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('same') }),
  z.strictObject({ kind: z.literal('prefix'), words: z.array(z.string()).min(1).max(20) }),
  z.strictObject({ kind: z.literal('path'), directory: z.string() }),
])

const grantBody = z.strictObject({
  scope: z.enum(['session', 'run', 'node', 'project']),
  forMs: z.number().positive().optional(),
  uses: z.int().positive().optional(),
  match: match.optional(),
  note: z.string().max(2_000).optional(),
})

const waitMs = z.coerce.number().int().min(0).max(WAIT_MAX_MS)

const displayHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
  .describe('`display.hash` of the request that was shown')

const decisionBody = z.strictObject({
  fingerprint: z.string().min(12).describe('of the request that was shown'),
  option: z.string().optional(),
  choices: z.array(z.string()).max(50).optional(),
  text: z.string().optional(),
  note: z.string().optional(),
  editedInput: z.unknown().optional(),
  thenInterrupt: z.boolean().optional().describe('with a denial: interrupts the turn after the agent got the answer'),
  grant: grantBody.optional(),
  seen: z.strictObject({ displayHash, whole: z.boolean() }),
  idempotencyKey: z.string().optional(),
  ...callerFields,
  /** The person confirmed their identity. Accepted on the owner's socket only. */
  confirmed: z.boolean().default(false),
  waitMs: waitMs.optional(),
})

const batchBody = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), fingerprint: z.string() })).min(1),
  answer: z.enum(['allow-once', 'deny']).default('allow-once').describe('allowing has conditions, denying has none'),
  note: z.string().max(2_000).optional(),
  ...callerFields,
})

const denyAllBody = z.strictObject({
  session: z.string().optional(),
  run: z.string().optional(),
  note: z.string().max(2_000).optional(),
  ...callerFields,
})

const seenBody = z.strictObject({ displayHash: displayHash.optional(), whole: z.boolean(), ...callerFields })

const approvalAnswer = answer('the request, and what became of it', approval)
const batchAnswer = answer('the result of each', batchResults)

const historyQuery = {
  from: z.string().optional().describe('asked at this time or later'),
  since: z.string().optional().describe('the same as `from`'),
  to: z.string().optional().describe('asked before this time'),
  session: z.string().optional(),
  run: z.string().optional(),
  project: z.string().optional().describe('its directory, or the name of it'),
  person: z.string().optional().describe('who decided, by id or name'),
  decision: z.array(z.enum(DECISIONS)).default([]),
  q: z.string().max(500).optional().describe('every word occurs in what was asked, by whom, or in the decision'),
}

export const approvalRoutes: readonly Route[] = [
  route({
    id: 'approvals.list',
    method: 'GET',
    path: '/approvals',
    summary: 'Lists requests for a decision, newest first; by default the open ones.',
    access: 'viewer',
    query: z.strictObject({
      ...listQuery,
      all: z.string().optional().describe('with closed ones'),
      state: z.array(z.string()).default([]),
      kind: z.array(z.string()).default([]),
      risk: z.array(z.string()).default([]),
      session: z.array(z.string()).default([]),
      run: z.array(z.string()).default([]),
    }),
    answers: { 200: listAnswer(approval) },
    handle: async call => {
      const { query, host } = call
      const isOpenOnly =
        query.all === undefined && query.state.every(state => state === 'pending' || state === 'decided')
      const records = [...(await host.ledger.list({ isOpenOnly }))].sort((a, b) => b.requestedAt - a.requestedAt)
      const blockers = blockersOf(records)
      const wants = (asked: readonly string[], value: string | undefined) =>
        asked.length === 0 || (value !== undefined && asked.includes(value))
      const wanted = records.filter(
        ({ state, kind, risk, subject }) =>
          wants(query.state, state) &&
          wants(query.kind, kind) &&
          wants(query.risk, risk.level) &&
          wants(query.session, subject.session) &&
          wants(query.run, subject.run),
      )
      const page = await pageOf(call, wanted, query)
      return call.json({ ...page, items: page.items.map(record => withBlocker(record, blockers)) })
    },
  }),
  route({
    id: 'approvals.history',
    method: 'GET',
    path: '/approvals/history',
    summary: 'Lists requests that wait no longer, with what became of them, newest first.',
    access: 'viewer',
    query: z.strictObject({ ...listQuery, ...historyQuery }),
    answers: { 200: answer('a page', approvalHistory) },
    handle: async call => {
      const { query, host } = call
      const records = await host.ledger.list({ isOpenOnly: false })
      const past = records.filter(({ state }) => state !== 'pending').sort((a, b) => b.requestedAt - a.requestedAt)
      const filter = filterOf(query)
      const wanted = past.filter(record => isInHistory(record, filter))
      const projects = [...new Set(past.map(({ subject }) => subject.project))].sort()
      const page = await pageOfViews(call, wanted, query, historyItemOf)
      return call.json({ ...page, total: wanted.length, projects })
    },
  }),
  route({
    id: 'approvals.report',
    method: 'GET',
    path: '/approvals/report',
    summary: 'Reports who decided what and how fast, with refusals and standing approvals.',
    access: 'viewer',
    query: z.strictObject({ ...historyQuery, format: z.enum(['json', 'csv']).default('json') }),
    answers: {
      200: {
        description: 'the report, or one line for each request',
        schema: approvalReport,
        media: 'text/csv',
      },
    },
    handle: async ({ host, query, json }) => {
      const report = buildReport(await readLedgerEvents(host.store), filterOf(query))
      if (query.format !== 'csv') return json(report)
      return new Response(`${reportRows(report).join('\r\n')}\r\n`, {
        headers: { 'content-type': 'text/csv; charset=utf-8' },
      })
    },
  }),
  route({
    id: 'approvals.decide-batch',
    method: 'POST',
    path: '/approvals/decisions',
    summary: 'Allows several similar requests once each, or denies several.',
    access: 'approver',
    rate: 'decision',
    body: batchBody,
    answers: { 200: batchAnswer },
    handle: async call => {
      const { items, answer: chosen, note, ...claimed } = call.body
      const { ledger } = call.host
      const named = await Promise.all(items.map(async item => ({ ...item, id: (await ledger.find(item.id)).id })))
      const by = { ...callerOf(call, claimed), ...(note !== undefined && { note }) }
      return call.json({ items: await (chosen === 'deny' ? denyBatch : decideBatch)(ledger, named, by) })
    },
  }),
  route({
    id: 'approvals.deny-all',
    method: 'POST',
    path: '/approvals/deny-all',
    summary: 'Denies every open request, or those of one session or run.',
    access: 'approver',
    rate: 'decision',
    body: denyAllBody,
    answers: { 200: batchAnswer },
    handle: async call => {
      const { session, run, note, ...claimed } = call.body
      const results = await denyAll(
        call.host.ledger,
        { ...callerOf(call, claimed), ...(note !== undefined && { note }) },
        ({ subject }) =>
          (session === undefined || subject.session === session) && (run === undefined || subject.run === run),
      )
      return call.json({ items: results })
    },
  }),
  route({
    id: 'approvals.get',
    method: 'GET',
    path: '/approvals/:id',
    summary: 'Returns one request.',
    access: 'viewer',
    answers: { 200: approvalAnswer },
    handle: async ({ host, params, json }) => {
      const record = await host.ledger.find(params.id!)
      return json(withBlocker(record, blockersOf(await host.ledger.list({ isOpenOnly: true }))))
    },
  }),
  route({
    id: 'approvals.proof',
    method: 'GET',
    path: '/approvals/:id/proof',
    summary: 'Says whether this server accepted the decision of a request, or another process wrote it.',
    access: 'viewer',
    answers: { 200: answer('whether it is proven', z.object({ isProven: z.boolean() })) },
    handle: async ({ host, params, json }) =>
      json({ isProven: await host.ledger.isProven(await host.ledger.find(params.id!)) }),
  }),
  route({
    id: 'approvals.wait',
    method: 'GET',
    path: '/approvals/:id/wait',
    summary: 'Waits until a decision is applied, or until the timeout.',
    access: 'viewer',
    query: z.strictObject({ timeoutMs: z.coerce.number().int().min(0).default(WAIT_MAX_MS) }),
    answers: { 200: approvalAnswer },
    handle: async ({ host, params, query, json }) => {
      const { id } = await host.ledger.find(params.id!)
      return json(await afterDecision(host, id, Math.min(query.timeoutMs, WAIT_MAX_MS)))
    },
  }),
  route({
    id: 'approvals.seen',
    method: 'POST',
    path: '/approvals/:id/seen',
    summary: 'Records that the request was shown to this person.',
    access: 'viewer',
    isWrite: false,
    body: seenBody,
    answers: { 200: okAnswer },
    handle: async call => {
      const { ledger } = call.host
      const { displayHash, whole, ...claimed } = call.body
      const record = await ledger.find(call.params.id!)
      const { actor, surface } = callerOf(call, claimed)
      await ledger.seen(record.id, { displayHash: displayHash ?? record.display.hash, whole, actor, surface })
      return call.json({ ok: true })
    },
  }),
  route({
    id: 'approvals.decide',
    method: 'POST',
    path: '/approvals/:id/decision',
    summary: 'Decides a request once; with `waitMs`, waits until the decision is applied.',
    access: 'approver',
    rate: 'decision',
    query: z.strictObject({ waitMs: waitMs.optional() }),
    body: decisionBody,
    answers: { 200: approvalAnswer },
    handle: async call => {
      const { host, body, query } = call
      const { waitMs: wait, confirmed, actor, surface, insideSession, idempotencyKey: key, ...rest } = body
      const { id } = await host.ledger.find(call.params.id!)
      const decision = defined({
        ...rest,
        grant: rest.grant && defined(rest.grant),
        ...callerOf(call, { actor, surface, insideSession, confirmed }),
        idempotencyKey: idempotencyKey(call, key),
      }) as ProposedDecision
      await host.ledger.decide(id, decision)
      return call.json(await afterDecision(host, id, query.waitMs ?? wait ?? 0))
    },
  }),
]

function withBlocker(
  record: ApprovalRecord,
  blockers: ReadonlyMap<string, string>,
): ApprovalRecord & { behind?: string } {
  const blocker = blockers.get(record.id)
  return blocker === undefined ? record : { ...record, behind: blocker }
}

/** The record once the decision has been applied, or as it is after `waitMs`. */
async function afterDecision({ store, clock, ledger }: Host, id: string, timeoutMs: number): Promise<ApprovalRecord> {
  return waitForRecord({ store, clock }, await ledger.find(id), ({ state }) => state !== 'decided', { timeoutMs })
}

function filterOf(query: z.output<z.ZodObject<typeof historyQuery>>): HistoryFilter {
  const { from, since, to, q, decision, session, run, project, person } = query
  return {
    since: timeOf('from', from ?? since),
    until: timeOf('to', to),
    decisions: decision,
    words: q,
    ...{ session, run, project, person },
  }
}

/** Milliseconds since the epoch, or a date. */
function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isFinite(time)) return time
  throw new SignalboxError('E_INPUT', `${name} must be a date or milliseconds, not "${text}"`)
}

/** Removes undefined fields: the ledger's types distinguish them from absent ones. */
function defined<T extends Record<string, unknown>>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
