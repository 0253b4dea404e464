import { z } from 'zod'
import { getRun } from '../../engine/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { pipelineList } from '../schemas/graphs.js'
import { run } from '../schemas/runs.js'
import { runView } from '../views/run-view.js'
import { absent, budget, labels, trust } from './run-start.js'

/** Pipelines that have a name. */
export const pipelineRoutes: readonly Route[] = [
  route({
    id: 'pipelines.list',
    method: 'GET',
    path: '/pipelines',
    summary: 'Pipelines that can be started by their name.',
    access: 'viewer',
    answers: { 200: answer('each with the schema of its input', pipelineList) },
    handle: async ({ parts, json }) => json({ items: (await parts.extras.pipelines?.list()) ?? [] }),
  }),
  route({
    id: 'pipelines.start',
    method: 'POST',
    path: '/pipelines/:name/runs',
    summary: 'Starts a run of a pipeline.',
    access: 'approver',
    rate: 'session',
    body: z.strictObject({
      input: z.unknown().optional(),
      project: z.string().min(1).max(4096),
      labels,
      budget,
      trust,
    }),
    answers: { 201: answer('the run', run) },
    handle: async call => {
      const { parts, host, params, body, person, json } = call
      if (!parts.extras.pipelines) throw absent('pipelines')
      const id = await parts.extras.pipelines.start(params.name!, {
        input: body.input ?? {},
        project: body.project,
        person: person.id === 'owner' ? 'local' : person.id,
        labels: { ...body.labels, surface: 'web' },
        maxCostUsd: body.budget?.costUsd,
        trust: body.trust,
      })
      return json(await runView(call, await getRun(host.store, id)), 201)
    },
  }),
]
