import { z } from 'zod'
import { buildReport, readLedgerEvents } from '../../approvals/index.js'
import { addUsage, listRuns, NO_USAGE } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { csvCell } from '../../text/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { split, usageReport } from '../schemas/usage.js'
import { sessionDays } from '../views/session-spending.js'
import { recoveryTally, type Split, usageRows } from '../views/usage-view.js'

const DAY_MS = 86_400_000

const query = z.strictObject({
  range: z
    .string()
    .max(60)
    .default('30d')
    .describe('`7d`, `30d`, `90d`, `all`, or two dates: `2026-03-01..2026-03-31`'),
  by: z.array(split).max(6).default(['day']),
})

export const usageRoutes: readonly Route[] = [
  route({
    id: 'usage.get',
    method: 'GET',
    path: '/usage',
    summary: 'Cost and tokens of runs and sessions over time, outcomes of runs; how fast people decide.',
    access: 'viewer',
    query,
    answers: { 200: answer('rows, one for each value of the splits', usageReport) },
    handle: async call => {
      const { from, to, by, rows, unpriced } = await read(call)
      const report = buildReport(await readLedgerEvents(call.host.store), { since: from, until: to })
      const { requests: _, ...decisions } = report
      return call.json({
        since: from,
        until: to,
        by,
        rows,
        total: rows.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE),
        unpriced,
        budget: { dayUsd: call.parts.home().loaded.config.runs.day_usd },
        decisions,
        recoveries: await recoveryTally(call.host.store, await listRuns(call.host.store), { from, to }),
        position: await call.position(),
      })
    },
  }),
  route({
    id: 'usage.csv',
    method: 'GET',
    path: '/usage.csv',
    summary: 'The same, for a spreadsheet.',
    access: 'viewer',
    query,
    answers: { 200: { description: 'one line a row', media: 'text/csv' } },
    handle: async call => {
      const { by, rows } = await read(call)
      const head = [
        ...by,
        'input',
        'output',
        'cost_usd',
        'steps',
        'runs',
        'passed',
        'failed',
        'median_ms',
        'p95_ms',
        'unpriced',
      ]
      const lines = rows.map(({ key, usage: spent, steps, runs, passed, failed, medianMs, p95Ms, unpriced }) =>
        [
          ...by.map(split => key[split] ?? ''),
          ...[spent.input, spent.output, spent.costUsd ?? '', steps, runs, passed, failed, medianMs, p95Ms],
          unpriced.sessions + unpriced.runs,
        ].map(cell => csvCell(String(cell))),
      )
      const text = [head, ...lines].map(cells => `${cells.join(',')}\r\n`).join('')
      return new Response(text, {
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="usage.csv"',
        },
      })
    },
  }),
]

async function read(call: Call<z.output<typeof query>>) {
  const { store, clock } = call.host
  const by: Split[] = [...new Set(call.query.by)]
  const { from, to } = rangeOf(call.query.range, clock.now())
  const sessions = sessionDays(call.host, await call.host.records(), { from, to })
  const { rows, unpriced } = await usageRows(store, await listRuns(store), { from, to, by, sessions })
  rows.sort((a, b) => (JSON.stringify(a.key) < JSON.stringify(b.key) ? -1 : 1))
  return { from, to, by, rows, unpriced }
}

/** @throws SignalboxError `E_INPUT` */
function rangeOf(text: string, now: number): { from: number; to: number } {
  if (text === 'all') return { from: 0, to: now }
  const days = /^(\d{1,4})d$/.exec(text)
  if (days) return { from: now - Number(days[1]) * DAY_MS, to: now }
  const [first, last] = text.split(/\.\.|,/).map(part => Date.parse(part))
  if (first !== undefined && last !== undefined && first <= last) return { from: first, to: last + DAY_MS - 1 }
  throw new SignalboxError('E_INPUT', `invalid range "${text}"`, {
    next: 'use 7d, 30d, 90d, all, or 2026-03-01..2026-03-31',
  })
}
