import { z } from 'zod'
import { getRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { listPipelines, startPipeline } from '../../runs/index.js'
import { type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { pipelineList } from '../schemas/graphs.js'
import { run } from '../schemas/runs.js'
import { runView } from '../views/run-view.js'
import { budget, labels, limitsOf, startContext, trust } from './run-start.js'

/** Pipelines: those that ship with the program, and those that projects register. */
export const pipelineRoutes: readonly Route[] = [
  route({
    id: 'pipelines.list',
    method: 'GET',
    path: '/pipelines',
    summary: 'The pipelines that can be started by name, with those that a project registers.',
    access: 'viewer',
    query: z.strictObject({
      project: z.string().min(1).max(4096).optional().describe('a directory of the project; needs the role approver'),
    }),
    answers: { 200: answer('each with the schema of its input', pipelineList) },
    handle: async call => {
      const { project } = call.query
      if (project !== undefined && call.person.role === 'viewer')
        throw new SignalboxError('E_ROLE', 'the pipelines of a project need the role "approver"', {
          next: 'ask the owner',
        })
      const directory = project === undefined ? null : startContext(call, project).cwd
      return call.json({ items: await listPipelines(directory) })
    },
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
      const { host, params, body, json } = call
      const { id } = await startPipeline(startContext(call, body.project), params.name!, body.input ?? {}, {
        labels: { ...body.labels, surface: 'web' },
        limits: limitsOf(body.budget),
        trust: body.trust,
      })
      return json(await runView(call, await getRun(host.store, id)), 201)
    },
  }),
]
