import { type Context, Hono } from 'hono'
import { z } from 'zod'
import {
  type ApprovalRecord,
  behindOf,
  buildReport,
  type DecisionRequest,
  decideBatch,
  denyAll,
  readLedgerEvents,
  reportRows,
} from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { Host } from '../../host/index.js'
import { readBody } from '../body.js'
import { grantRoutes } from './approvals-grants.js'
import { actorBody, insideSession, personOf } from './approvals-person.js'

/** How often a waiting decision is looked at where no live session tells of changes. */
const LOOK_MS = 100
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

const surface = z.enum(['cli', 'api']).default('cli')

const decisionBody = z.strictObject({
  fingerprint: z.string().min(12),
  option: z.string().optional(),
  choices: z.array(z.string()).max(50).optional(),
  text: z.string().optional(),
  note: z.string().optional(),
  editedInput: z.unknown().optional(),
  grant: grantBody.optional(),
  seen: z.strictObject({ displayHash: z.string(), whole: z.boolean() }),
  idempotencyKey: z.string(),
  actor: actorBody,
  surface,
  /** The person confirmed once more that it is they who decide: only the owner's own socket is believed. */
  confirmed: z.boolean().default(false),
  insideSession,
  waitMs: z.int().min(0).max(WAIT_MAX_MS).default(0),
})

const batchBody = z.strictObject({
  items: z.array(z.strictObject({ id: z.string(), fingerprint: z.string() })).min(1),
  note: z.string().max(2_000).optional(),
  actor: actorBody,
  surface,
  insideSession,
})

const denyAllBody = z.strictObject({
  session: z.string().optional(),
  run: z.string().optional(),
  note: z.string().max(2_000).optional(),
  actor: actorBody,
  surface,
  insideSession,
})

const seenBody = z.strictObject({ displayHash: z.string(), whole: z.boolean(), actor: actorBody, surface })

export function approvalRoutes(host: Host): Hono {
  const app = new Hono()
  const { ledger } = host

  app.get('/approvals', async context => {
    const records = await ledger.list({ isOpenOnly: context.req.query('all') === undefined })
    const behind = behindOf(records)
    const items = records
      .filter(record => isAskedFor(record, context))
      .map(record => ({ ...record, ...(behind.has(record.id) && { behind: behind.get(record.id) }) }))
    return context.json({ items, position: await host.store.head() })
  })

  app.get('/approvals/report', async context => {
    const since = timeOf(context, 'from') ?? timeOf(context, 'since')
    const until = timeOf(context, 'to')
    const run = context.req.query('run')
    const person = context.req.query('person')
    const report = buildReport(await readLedgerEvents(host.store), {
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(run !== undefined && { run }),
      ...(person !== undefined && { person }),
    })
    if (context.req.query('format') !== 'csv') return context.json(report)
    return context.body(`${reportRows(report).join('\r\n')}\r\n`, 200, { 'content-type': 'text/csv; charset=utf-8' })
  })

  app.post('/approvals/decisions', async context => {
    const { items, ...body } = await readBody(context, batchBody)
    const named = await Promise.all(items.map(async item => ({ ...item, id: (await ledger.find(item.id)).id })))
    return context.json({ items: await decideBatch(ledger, named, deciderOf(body)) })
  })

  app.post('/approvals/deny-all', async context => {
    const { session, run, ...body } = await readBody(context, denyAllBody)
    const results = await denyAll(
      ledger,
      deciderOf(body),
      ({ subject }) =>
        (session === undefined || subject.session === session) && (run === undefined || subject.run === run),
    )
    return context.json({ items: results })
  })

  app.get('/approvals/:id', async context => context.json(await ledger.find(context.req.param('id'))))

  app.get('/approvals/:id/wait', async context => {
    const { id } = await ledger.find(context.req.param('id'))
    const timeoutMs = Math.min(Number(context.req.query('timeoutMs') ?? WAIT_MAX_MS) || 0, WAIT_MAX_MS)
    return context.json(await afterDecision(host, id, timeoutMs))
  })

  app.post('/approvals/:id/seen', async context => {
    const { actor, ...seen } = await readBody(context, seenBody)
    const { id } = await ledger.find(context.req.param('id'))
    await ledger.seen(id, { ...seen, actor: personOf(actor) })
    return context.json({ ok: true })
  })

  app.post('/approvals/:id/decision', async context => {
    const { waitMs, actor, confirmed, grant, ...rest } = await readBody(context, decisionBody)
    const { id } = await ledger.find(context.req.param('id'))
    const decision = defined({
      ...rest,
      actor: personOf(actor),
      confirmedAt: confirmed ? host.clock.now() : undefined,
      grant: grant && defined(grant),
    }) as DecisionRequest
    await ledger.decide(id, decision)
    return context.json(await afterDecision(host, id, waitMs))
  })

  app.route('/', grantRoutes(host))
  return app
}

/** The record once the agent has moved on, or as it is when the time is over. */
async function afterDecision(host: Host, id: string, waitMs: number): Promise<ApprovalRecord> {
  const deadline = host.clock.monotonic() + waitMs
  let record = await host.ledger.find(id)
  while (record.state === 'decided' && host.clock.monotonic() < deadline) {
    const session = record.subject.session ? host.live(record.subject.session) : null
    // A session that this host does not have is applied by another one; the log tells.
    await (session?.changed(LOOK_MS) ?? new Promise<void>(resolve => void host.clock.setTimer(LOOK_MS, resolve)))
    record = await host.ledger.find(id)
  }
  return record
}

function deciderOf({ actor, ...rest }: z.output<typeof batchBody> | Omit<z.output<typeof batchBody>, 'items'>) {
  const { note, surface: from, insideSession: inside } = rest
  return {
    actor: personOf(actor),
    surface: from,
    ...(note !== undefined && { note }),
    ...(inside !== undefined && { insideSession: inside }),
  }
}

function isAskedFor({ state, kind, risk, subject }: ApprovalRecord, context: Context): boolean {
  const wants = (name: string, value: string | undefined) => {
    const asked = context.req.query(name)
    return asked === undefined || asked === value
  }
  return (
    wants('state', state) &&
    wants('kind', kind) &&
    wants('risk', risk.level) &&
    wants('session', subject.session) &&
    wants('run', subject.run)
  )
}

/** Milliseconds since the epoch, or a date. */
function timeOf(context: Context, name: string): number | undefined {
  const text = context.req.query(name)
  if (text === undefined) return undefined
  const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isFinite(time)) return time
  throw new SignalboxError('E_INPUT', `${name} is neither a date nor milliseconds: "${text}"`)
}

/** Without the fields that are not there: a field that is undefined is not an absent one to the ledger's types. */
function defined<T extends Record<string, unknown>>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}
