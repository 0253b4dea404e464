import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import {
  Artifacts,
  addUsage,
  checkpointsOf,
  findRun,
  graphOf,
  graphWorkflow,
  MAIN,
  NO_USAGE,
  type RunRecord,
  readRun,
  runStream,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { handlerOf, labelOf } from '../../graph/index.js'
import { describeRun, runDirectory } from '../../runs/index.js'
import type { StoredEvent } from '../../store/index.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import {
  artifact,
  artifacts,
  checkpoint,
  nodeVisit,
  runContext,
  runGates,
  runLog,
  runNodes,
  timeline,
} from '../schemas/runs.js'
import { readRunLog } from '../views/run-log.js'
import { type NodeVisit, visitsOf } from '../views/run-nodes.js'
import { toJson } from '../wire/index.js'

const LOG_LINES = 1_000
const LAST_LINES = 5_000

/** Details of a run: nodes, timeline, log, context, checkpoints, gates, artifacts. */
export const runDetailRoutes: readonly Route[] = [
  route({
    id: 'runs.nodes',
    method: 'GET',
    path: '/runs/:id/nodes',
    summary: 'The nodes of a run with their visits.',
    access: 'viewer',
    answers: { 200: answer('in the order of the graph', runNodes) },
    handle: async call => {
      const { record, visits } = await visitsOfRun(call)
      const known = await graphNodes(call, record)
      const names = [...new Set([...known.keys(), ...visits.map(({ node }) => node)])]
      const items = names.map(node => nodeSummary(node, known.get(node) ?? null, visits, call.host.clock.now()))
      return call.json({ items, position: await call.position() })
    },
  }),
  route({
    id: 'runs.visit',
    method: 'GET',
    path: '/runs/:id/nodes/:node/visits/:visit',
    summary: 'One visit of a node: prompt, answer, outcome, evidence, usage, session.',
    access: 'viewer',
    answers: { 200: answer('the visit', nodeVisit) },
    handle: async call => {
      const { record, visits } = await visitsOfRun(call)
      const number = Number(call.params.visit)
      const found = visits.find(({ node, visit }) => node === call.params.node && visit === number)
      if (!found)
        throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no visit ${call.params.visit} of that node`, {
          next: 'GET …/nodes lists them',
        })
      const directory = runDirectory(call.host.settings.dataDirectory, record.id)
      return call.json(redacted(call, await withPrompts(found, directory)))
    },
  }),
  route({
    id: 'runs.timeline',
    method: 'GET',
    path: '/runs/:id/timeline',
    summary: 'Visits, attempts and gates on a timeline.',
    access: 'viewer',
    answers: { 200: answer('visits in the order of their start', timeline) },
    handle: async call => {
      const { record, visits: all } = await visitsOfRun(call)
      // Inputs and results are part of the visit's own operation.
      const visits = all.map(visit => ({
        ...visit,
        attempts: visit.attempts.map(attempt => ({ ...attempt, input: null, result: null })),
      }))
      const { createdAt: startedAt, endedAt } = record
      return call.json(redacted(call, { startedAt, endedAt, visits, position: await call.position() }))
    },
  }),
  route({
    id: 'runs.log',
    method: 'GET',
    path: '/runs/:id/log',
    summary: 'The log of a run and its agents, line by line; NDJSON with `Accept: application/x-ndjson`.',
    access: 'viewer',
    query: z.strictObject({
      node: z.string().optional(),
      level: z.enum(['info', 'warning', 'error']).optional(),
      after: z.coerce.number().int().min(0).default(0).describe('lines to skip'),
      limit: z.coerce.number().int().min(1).max(LOG_LINES).default(200),
      last: z.coerce.number().int().min(1).max(LAST_LINES).optional().describe('only the newest lines'),
    }),
    answers: { 200: answer('lines', runLog) },
    handle: async call => {
      const { record, events } = await journalOf(call)
      const { node, level, after, limit, last } = call.query
      const directory = runDirectory(call.host.settings.dataDirectory, record.id)
      const all = await readRunLog(events, directory, { node, level })
      if (call.header('accept')?.includes('application/x-ndjson'))
        return new Response(all.map(line => `${toJson(redacted(call, line), 'rfc3339')}\n`).join(''), {
          headers: { 'content-type': 'application/x-ndjson' },
        })
      const begin = last === undefined ? after : Math.max(0, all.length - last)
      const end = last === undefined ? after + limit : all.length
      const items = redacted(call, all.slice(begin, end))
      return call.json({ items, next: end < all.length ? end : null, begin, position: await call.position() })
    },
  }),
  route({
    id: 'runs.context',
    method: 'GET',
    path: '/runs/:id/context',
    summary: 'The context of the main branch.',
    access: 'viewer',
    query: z.strictObject({ all: z.string().optional().describe('include keys of the engine') }),
    answers: { 200: answer('by key', runContext) },
    handle: async call => {
      const { record } = await journalOf(call)
      const work = await graphWork(call, record)
      const entries = Object.entries(work.cursors.get(MAIN)?.context ?? {})
      const context = Object.fromEntries(
        call.query.all === undefined ? entries.filter(([key]) => !key.startsWith('internal.')) : entries,
      )
      return call.json({ context: redacted(call, context), position: await call.position() })
    },
  }),
  route({
    id: 'runs.checkpoint',
    method: 'GET',
    path: '/runs/:id/checkpoint',
    summary: 'The newest checkpoint, from which a fork can continue.',
    access: 'viewer',
    answers: { 200: answer('the checkpoint', checkpoint) },
    handle: async call => {
      const { record, events } = await journalOf(call)
      await graphWork(call, record)
      const newest = checkpointsOf(events).at(-1)
      if (!newest) throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no checkpoint yet`, { next: 'wait' })
      return call.json(redacted(call, newest.checkpoint))
    },
  }),
  route({
    id: 'runs.gates',
    method: 'GET',
    path: '/runs/:id/gates',
    summary: 'The gates of a run, with their answers.',
    access: 'viewer',
    answers: { 200: answer('oldest first', runGates) },
    handle: async call => {
      const { events } = await journalOf(call)
      const opened = events.filter(({ type }) => type === 'gate.opened')
      const items = await Promise.all(
        opened.map(async ({ data, at }) => {
          const approval = await call.host.ledger.get(String(data.approval))
          return approval ? [{ gate: String(data.gate), openedAt: at, approval }] : []
        }),
      )
      return call.json({ items: items.flat(), position: await call.position() })
    },
  }),
  route({
    id: 'runs.artifacts',
    method: 'GET',
    path: '/runs/:id/artifacts',
    summary: 'Values of a run that are too large for its journal.',
    access: 'viewer',
    answers: { 200: answer('oldest first', artifacts) },
    handle: async call => {
      const { record } = await journalOf(call)
      return call.json({ items: artifactsOf(call, record).list(), position: await call.position() })
    },
  }),
  route({
    id: 'runs.artifact',
    method: 'GET',
    path: '/runs/:id/artifacts/:name',
    summary: 'One artifact, by its id or name.',
    access: 'viewer',
    answers: { 200: answer('the value', artifact) },
    handle: async call => {
      const { record } = await journalOf(call)
      const stored = artifactsOf(call, record)
      const found = stored.list().findLast(({ id, name }) => id === call.params.name || name === call.params.name)
      if (!found)
        throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no artifact "${call.params.artifact}"`, {
          next: 'GET …/artifacts lists them',
        })
      return call.json(redacted(call, { id: found.id, name: found.name, value: stored.get(found.id) ?? null }))
    },
  }),
]

export async function journalOf({ host, params }: Pick<Call, 'host' | 'params'>) {
  const record = await findRun(host.store, params.id!)
  return { record, events: (await host.store.readStream(runStream(record.id))) as StoredEvent[] }
}

async function visitsOfRun(call: Pick<Call, 'host' | 'params'>): Promise<{ record: RunRecord; visits: NodeVisit[] }> {
  const { record, events } = await journalOf(call)
  return { record, visits: visitsOf(events, await describeRun(call.host, record)) }
}

/** @throws SignalboxError `E_STATE` for a run that is not one of a graph. */
export async function graphWork({ host }: Pick<Call, 'host'>, record: RunRecord) {
  if (record.kind !== 'graph')
    throw new SignalboxError('E_STATE', `run ${record.id} is a ${record.kind}: it has no graph`, {
      next: 'GET …/nodes shows its steps',
    })
  return (await readRun(host.store, record.id, graphWorkflow)).run.work
}

async function graphNodes(call: Call, record: RunRecord): Promise<Map<string, { label: string; handler: string }>> {
  if (record.kind !== 'graph') return new Map()
  const { input } = await graphWork(call, record)
  const graph = graphOf(input)
  return new Map(
    [...graph.nodes.values()].map(node => [node.id, { label: labelOf(graph, node), handler: handlerOf(node) }]),
  )
}

function nodeSummary(
  node: string,
  known: { label: string; handler: string } | null,
  all: readonly NodeVisit[],
  now: number,
) {
  const visits = all.filter(visit => visit.node === node)
  const attempts = visits.flatMap(visit => visit.attempts)
  return {
    node,
    label: known?.label ?? node,
    handler: known?.handler ?? visits.at(-1)?.handler ?? null,
    status: visits.at(-1)?.status ?? ('idle' as const),
    visits: visits.length,
    attempts: attempts.length,
    ms: visits.reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? now) - startedAt), 0),
    usage: attempts.reduce((sum, { usage }) => (usage ? addUsage(sum, usage) : sum), NO_USAGE),
  }
}

function artifactsOf({ host }: Pick<Call, 'host'>, record: RunRecord): Artifacts {
  return new Artifacts(join(runDirectory(host.settings.dataDirectory, record.id), 'artifacts'))
}

/** Redacts secrets in every text, at any depth. */
export function redacted<T>({ host }: Pick<Call, 'host'>, value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? host.redactor.redact(part) : part)),
  ) as T
}

/** Characters of a prompt that are shown; the run's export contains all. */
const SHOWN_MAX = 256 * 1024

/** Agents' prompts are in a file of their step, which is deleted with the run's files. */
async function withPrompts(visit: NodeVisit, directory: string): Promise<NodeVisit> {
  const attempts = await Promise.all(
    visit.attempts.map(async attempt => {
      const file = join(directory, 'steps', attempt.step.replaceAll('/', '~'), 'prompt.md')
      const prompt = await readFile(file, 'utf8').catch(() => null)
      if (prompt === null || (typeof attempt.input !== 'object' && attempt.input !== undefined)) return attempt
      const shown = prompt.length > SHOWN_MAX ? `${prompt.slice(0, SHOWN_MAX)}…` : prompt
      return { ...attempt, input: { ...attempt.input, prompt: shown } }
    }),
  )
  return { ...visit, attempts }
}
