import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { findRun, getRun, type Limits, runStream } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import {
  daemonContext,
  describeRun,
  exportAttractor,
  forkRun,
  loadGraph,
  oneshotFiles,
  type StartContext,
  startGraph,
  startOneshot,
  startPipeline,
} from '../../runs/index.js'
import { personName } from '../caller.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { run, runExport } from '../schemas/runs.js'
import { runView } from '../views/run-view.js'
import { redacted } from './run-details.js'

export const labels = z.record(z.string().regex(/^[\w.-]{1,60}$/), z.string().max(200)).default({})
const project = z.string().min(1).max(4096).describe('the directory that it works in')
export const budget = z.strictObject({ costUsd: z.number().positive().optional() }).optional()
const name = z.string().min(1).max(80)
export const placement = z
  .strictObject({
    worker: name.optional(),
    pool: name.optional(),
    labels: z.record(name, z.string().max(200)).optional(),
  })
  .optional()
  .describe('run it on a worker to which all of this applies')
export const sandbox = z
  .strictObject({ use: z.string(), network: z.enum(['off', 'filtered', 'on']).optional() })
  .optional()
  .describe('`use`: off, auto, bubblewrap, seatbelt, docker:<image> or podman:<image>; if absent: as in the settings')
export const trust = z
  .string()
  .optional()
  .describe('the hash of the inspected files, if the project is not trusted yet')

/** The input of every kind of run. */
const common = { project, labels, budget, trust, placement, sandbox }

const startBody = z.union([
  z.strictObject({
    graph: z
      .string()
      .max(1024 * 1024)
      .describe('DOT'),
    input: z.record(z.string(), z.string()).default({}),
    project,
    agent: z.string().optional(),
    model: z.string().optional(),
    labels,
    budget,
    trust,
    placement,
    sandbox,
  }),
  z.strictObject({
    oneshot: z.strictObject({
      task: z.string().min(1).max(100_000),
      agent: z.string().optional(),
      worker: z.string().optional(),
      auditor: z.string().optional(),
      model: z.string().optional(),
      maxIterations: z.int().min(1).max(100).optional(),
      worktree: z.boolean().optional(),
    }),
    ...common,
  }),
  z.strictObject({
    pipeline: z.string(),
    input: z.unknown().optional(),
    ...common,
  }),
])

const runAnswer = answer('the run', run)

export const runStartRoutes: readonly Route[] = [
  route({
    id: 'runs.start',
    method: 'POST',
    path: '/runs',
    summary: 'Starts a run of a graph, a oneshot, or a pipeline, in the daemon.',
    access: 'approver',
    rate: 'session',
    body: startBody,
    answers: { 201: runAnswer },
    handle: async call => {
      const id = await start(call)
      return call.json(await runView(call, await getRun(call.host.store, id)), 201)
    },
  }),
  route({
    id: 'runs.fork',
    method: 'POST',
    path: '/runs/:id/fork',
    summary: 'Creates a run that continues after a checkpoint of this run; `rewind` archives this run.',
    access: 'approver',
    rate: 'session',
    body: z.strictObject({ at: z.string().describe('node or node@visit'), rewind: z.boolean().default(false) }),
    answers: { 201: runAnswer },
    handle: async call => {
      const { store } = call.host
      const record = await findRun(store, call.params.id!)
      const { at, rewind: isRewind } = call.body
      const { id } = await forkRun(startContext(call, record.project), record, { at, isRewind, isDetached: true })
      return call.json(await runView(call, await getRun(store, id)), 201)
    },
  }),
  route({
    id: 'runs.export',
    method: 'GET',
    path: '/runs/:id/export',
    summary: 'The run as a bundle of its journal, or in the files of oneshot or attractor; redacted.',
    access: 'owner',
    query: z.strictObject({ format: z.enum(['bundle', 'oneshot', 'attractor']).default('bundle') }),
    answers: { 200: answer('the bundle', runExport) },
    handle: async call => {
      const { store } = call.host
      const record = await findRun(store, call.params.id!)
      const { format } = call.query
      const content =
        format === 'bundle'
          ? { events: await store.readStream(runStream(record.id)) }
          : { files: await filesOf(call, format, record.id) }
      return call.json(redacted(call, { format, run: await describeRun(call.host, record), ...content }), 200, {
        'content-disposition': `attachment; filename="${record.id}-${format}.json"`,
      })
    },
  }),
]

type StartCall = Call<unknown, z.output<typeof startBody>>

async function start(call: StartCall): Promise<string> {
  const { body } = call
  const context = startContext(call, body.project)
  const options = {
    labels: { ...body.labels, surface: 'web' },
    limits: limitsOf(body.budget),
    trust: body.trust,
    isDetached: true,
    sandbox: body.sandbox,
    ...(body.placement && { placement: placementOf(body.placement) }),
  }
  if ('graph' in body) {
    const { graph, input: inputs, agent, model } = body
    const loaded = await loadGraph(context, { text: graph, path: null, name: 'the graph' })
    return (await startGraph(context, loaded, { ...options, inputs, agent, model })).id
  }
  if ('oneshot' in body) {
    const { worktree: isInWorktree, worker, auditor, ...oneshot } = body.oneshot
    const roles = { worker: { agent: worker }, auditor: { agent: auditor } }
    return (await startOneshot(context, { ...options, ...oneshot, ...roles, isInWorktree, mayAsk: false })).id
  }
  return (await startPipeline(context, body.pipeline, body.input ?? {}, options)).id
}

export function placementOf({ worker, pool, labels }: NonNullable<z.output<typeof placement>>) {
  return { ...(worker && { worker }), ...(pool && { pool }), ...(labels && { labels }) }
}

export function limitsOf(given: z.output<typeof budget>): Limits | undefined {
  return given?.costUsd === undefined ? undefined : { costUsd: given.costUsd }
}

/** What starts of runs need of a request, apart from the project. */
export function startBase({ parts, host, person }: Pick<Call, 'parts' | 'host' | 'person'>) {
  const { env, clock } = parts
  return { store: host.store, home: parts.home(), env, clock, person: personName(person.id) }
}

/** The context of a run that a request starts in a project. @throws SignalboxError `E_INPUT` */
export function startContext(call: Pick<Call, 'parts' | 'host' | 'person'>, project: string): StartContext {
  return daemonContext(startBase(call), project)
}

async function filesOf(call: Call, format: 'oneshot' | 'attractor', id: string): Promise<Record<string, string>> {
  const { store, settings } = call.host
  const record = await getRun(store, id)
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-export-'))
  try {
    if (format === 'oneshot') {
      if (record.kind !== 'oneshot')
        throw new SignalboxError('E_STATE', `run ${id} is a ${record.kind}: it has no oneshot files`, {
          next: 'format=bundle',
        })
      const onError = (error: unknown) => call.parts.log(String(error))
      await oneshotFiles({ store, dataDirectory: settings.dataDirectory, onError }).export(id, directory)
    } else {
      if (record.kind !== 'graph')
        throw new SignalboxError('E_STATE', `run ${id} is a ${record.kind}: it has no attractor files`, {
          next: 'format=bundle',
        })
      await exportAttractor(store, record, { dataDirectory: settings.dataDirectory, output: directory })
    }
    const files: Record<string, string> = {}
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      files[relative(directory, path)] = await readFile(path, 'utf8')
    }
    return files
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
