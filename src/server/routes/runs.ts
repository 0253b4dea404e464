import { z } from 'zod'
import { findRun, listRuns } from '../../engine/index.js'
import { cancelRun, pauseRun, resumeInDaemon } from '../../runs/index.js'
import { hasWords } from '../../text/index.js'
import { type Route, route } from '../route.js'
import { answer, listAnswer, listQuery } from '../schemas/common.js'
import { RUN_STATUS, run } from '../schemas/runs.js'
import { pageOf } from '../views/page.js'
import { runView } from '../views/run-view.js'
import { startContext } from './run-start.js'
import { hubOf } from './workers.js'

const runAnswer = answer('the run', run)

/** Runs: listing, pausing, moving, cancelling, resuming. */
export const runRoutes: readonly Route[] = [
  route({
    id: 'runs.list',
    method: 'GET',
    path: '/runs',
    summary: 'Runs, newest first.',
    access: 'viewer',
    query: z.strictObject({
      ...listQuery,
      status: z.array(z.enum(RUN_STATUS)).default([]),
      kind: z.array(z.string()).default([]),
      project: z.array(z.string()).default([]),
      label: z.array(z.string()).default([]).describe('`name` or `name=value`'),
      all: z.string().optional().describe('also archived ones'),
      q: z.string().max(200).optional(),
    }),
    answers: { 200: listAnswer(run) },
    handle: async call => {
      const { query, host } = call
      const wants = (asked: readonly string[], value: string) => asked.length === 0 || asked.includes(value)
      const records = (await listRuns(host.store)).filter(
        record =>
          (query.all !== undefined || !record.isArchived) &&
          wants(query.status, record.status) &&
          wants(query.kind, record.kind) &&
          wants(query.project, record.project) &&
          query.label.every(label => hasLabel(record.labels, label)) &&
          hasWords(query.q, [record.title, record.id, record.kind, record.project]),
      )
      const page = await pageOf(call, records, query)
      return call.json({ ...page, items: await Promise.all(page.items.map(record => runView(call, record))) })
    },
  }),
  route({
    id: 'runs.get',
    method: 'GET',
    path: '/runs/:id',
    summary: 'One run.',
    access: 'viewer',
    answers: { 200: runAnswer },
    handle: async call => call.json(await runView(call, await findRun(call.host.store, call.params.id!))),
  }),
  route({
    id: 'runs.cancel',
    method: 'POST',
    path: '/runs/:id/cancel',
    summary: 'Ends a run, and the runs it started.',
    access: 'approver',
    body: z.strictObject({ reason: z.string().max(2_000).default('cancelled') }),
    answers: { 200: runAnswer },
    handle: async call => {
      const { host, params, body, person, json } = call
      const { id } = await findRun(host.store, params.id!)
      await cancelRun(host, id, { by: person.name, reason: body.reason })
      return json(await runView(call, await findRun(host.store, id)))
    },
  }),
  route({
    id: 'runs.pause',
    method: 'POST',
    path: '/runs/:id/pause',
    summary: 'Pauses a run, and the runs it started; it can be resumed.',
    access: 'approver',
    body: z.strictObject({ reason: z.string().max(2_000).default('paused by a person') }),
    answers: { 200: runAnswer },
    handle: async call => {
      const { host, params, body, person, json } = call
      const { id } = await findRun(host.store, params.id!)
      await pauseRun(host, id, { by: person.name, reason: body.reason })
      return json(await runView(call, await findRun(host.store, id)))
    },
  }),
  route({
    id: 'runs.move',
    method: 'POST',
    path: '/runs/:id/move',
    summary: 'Moves a run to another worker; steps in progress are done again there.',
    access: 'owner',
    body: z.strictObject({
      to: z.string().max(80).optional().describe('a worker; any other one by default'),
      lossy: z.boolean().default(false).describe('also if its worker is away, with what it has not saved'),
    }),
    answers: { 200: runAnswer },
    handle: async call => {
      const { host, parts, params, body, person, json } = call
      const { id } = await findRun(host.store, params.id!)
      await hubOf(parts).placer.move(id, { to: body.to, by: person.name, isLossy: body.lossy })
      return json(await runView(call, await findRun(host.store, id)))
    },
  }),
  route({
    id: 'runs.resume',
    method: 'POST',
    path: '/runs/:id/resume',
    summary: 'Resumes a paused or failed run in the daemon.',
    access: 'approver',
    answers: { 200: runAnswer },
    handle: async call => {
      const { host, params, person, json } = call
      const record = await findRun(host.store, params.id!)
      await resumeInDaemon(startContext(call, record.project), record, person.name)
      return json(await runView(call, await findRun(host.store, record.id)))
    },
  }),
]

function hasLabel(labels: Readonly<Record<string, string>>, asked: string): boolean {
  const [name = '', value] = asked.split('=')
  return value === undefined ? Object.hasOwn(labels, name) : labels[name] === value
}
