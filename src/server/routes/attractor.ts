import { z } from 'zod'
import { findRun } from '../../engine/index.js'
import { callerOf } from '../caller.js'
import { EventQueue, serverSentEvent, streamOf } from '../live/event-stream.js'
import { type Call, type Route, route } from '../route.js'
import { answer } from '../schemas/common.js'
import { diagnostic } from '../schemas/graphs.js'
import { checkpoint, usage } from '../schemas/runs.js'
import { startBase } from './run-start.js'

const HEARTBEAT_MS = 20_000

/** A body that is DOT has no room for these: they are parameters of the query. */
const createQuery = z.strictObject({
  project: z.string().optional().describe('the directory to run in; an empty one by default'),
  agent: z.string().optional(),
  model: z.string().optional(),
  trust: z.string().optional().describe('the hash that a refused request names'),
})

const createBody = z.union([
  z.strictObject({
    ...createQuery.shape,
    dot: z.string().min(1),
    inputs: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  z.string().min(1).describe('DOT, as text/vnd.graphviz'),
])

const status = z.object({
  id: z.string(),
  status: z.enum(['running', 'completed', 'failed', 'cancelled']),
  waiting: z.literal(true).optional(),
  current_node: z.string().nullable(),
  completed_nodes: z.array(z.string()),
  outcome: z.enum(['success', 'fail']).nullable(),
  reason: z.string().nullable(),
  usage,
  successor: z.string().optional(),
})

const question = z.object({
  id: z.string(),
  text: z.string(),
  type: z.enum(['YES_NO', 'MULTIPLE_CHOICE', 'FREEFORM', 'CONFIRMATION', 'MULTI_SELECT']),
  options: z.array(z.object({ key: z.string(), label: z.string() })),
  stage: z.string(),
  fingerprint: z.string(),
})

const done = answer('done', z.object({ id: z.string(), status: z.string() }))

/** Attractor's HTTP API, at the root. It calls a graph run a pipeline. */
export const attractorRoutes: readonly Route[] = [
  route({
    id: 'attractor.create',
    method: 'POST',
    path: '//pipelines',
    summary: 'Runs a graph, given as JSON or as text/vnd.graphviz.',
    access: 'approver',
    rate: 'session',
    query: createQuery,
    body: createBody,
    textBody: 'text/vnd.graphviz',
    answers: {
      201: answer(
        'the run',
        z.object({ id: z.string(), status: z.literal('running'), diagnostics: z.array(diagnostic) }),
      ),
    },
    handle: async call => {
      const pipeline = { ...call.query, ...(typeof call.body === 'string' ? { dot: call.body } : call.body) }
      return call.json(await call.parts.attractor.create(startBase(call), pipeline), 201)
    },
  }),
  route({
    id: 'attractor.status',
    method: 'GET',
    path: '//pipelines/:id',
    summary: 'The state of a run.',
    access: 'viewer',
    answers: { 200: answer('its state', status) },
    handle: async call => call.json(await call.parts.attractor.status(await idOf(call))),
  }),
  route({
    id: 'attractor.events',
    method: 'GET',
    path: '//pipelines/:id/events',
    summary: 'The events of a run under attractor’s names; resumable with Last-Event-ID.',
    access: 'viewer',
    query: z.strictObject({ since: z.string().max(40).optional() }),
    answers: { 200: { description: 'server-sent events', media: 'text/event-stream' } },
    handle: async call => {
      const id = await idOf(call)
      const since = call.header('last-event-id') ?? call.query.since ?? null
      const queue = new EventQueue()
      const stop = new AbortController()
      const { clock } = call.parts
      let timer = clock.setTimer(HEARTBEAT_MS, beat)
      function beat() {
        queue.pushEphemeral('heartbeat', serverSentEvent('heartbeat', '{}'))
        timer = clock.setTimer(HEARTBEAT_MS, beat)
      }
      const send = async () => {
        for await (const { id: at, event, at: time, data } of call.parts.attractor.events(id, {
          since,
          signal: stop.signal,
        }))
          queue.push(serverSentEvent(event, call.parts.text.json({ event, at: time, ...data }, 'rfc3339'), at))
        queue.finish()
      }
      void send().catch(error => {
        call.parts.log(`${call.requestId} ${error instanceof Error ? error.stack : error}`)
        queue.end('failed')
      })
      return streamOf(call, queue, null, () => {
        timer.cancel()
        stop.abort()
      })
    },
  }),
  route({
    id: 'attractor.cancel',
    method: 'POST',
    path: '//pipelines/:id/cancel',
    summary: 'Ends a run.',
    access: 'approver',
    answers: { 200: done },
    handle: async call => {
      const id = await idOf(call)
      await call.parts.attractor.cancel(id, { by: call.person.name })
      return call.json({ id, status: 'cancelled' })
    },
  }),
  route({
    id: 'attractor.graph',
    method: 'GET',
    path: '//pipelines/:id/graph',
    summary: 'The graph of the run as SVG, coloured by what happened.',
    access: 'viewer',
    answers: { 200: { description: 'the picture', media: 'image/svg+xml' } },
    handle: async call =>
      new Response(await call.parts.attractor.graph(await idOf(call)), {
        headers: { 'content-type': 'image/svg+xml; charset=utf-8' },
      }),
  }),
  route({
    id: 'attractor.questions',
    method: 'GET',
    path: '//pipelines/:id/questions',
    summary: 'The open questions of the run.',
    access: 'viewer',
    answers: { 200: answer('open gates', z.object({ questions: z.array(question) })) },
    handle: async call => call.json({ questions: await call.parts.attractor.questions(await idOf(call)) }),
  }),
  route({
    id: 'attractor.answer',
    method: 'POST',
    path: '//pipelines/:id/questions/:question/answer',
    summary: 'Answers a question, once.',
    access: 'approver',
    rate: 'decision',
    body: z.strictObject({
      value: z.string().optional(),
      text: z.string().optional(),
      fingerprint: z.string().optional(),
    }),
    answers: { 200: done },
    handle: async call => {
      const id = await idOf(call)
      const answers = Object.fromEntries(Object.entries(call.body).filter(([, value]) => value !== undefined))
      await call.parts.attractor.answer(id, call.params.question!, answers, callerOf(call, {}))
      return call.json({ id: call.params.question!, status: 'answered' })
    },
  }),
  route({
    id: 'attractor.checkpoint',
    method: 'GET',
    path: '//pipelines/:id/checkpoint',
    summary: 'The newest checkpoint.',
    access: 'viewer',
    answers: { 200: answer('the checkpoint', checkpoint) },
    handle: async call => call.json(await call.parts.attractor.checkpoint(await idOf(call))),
  }),
  route({
    id: 'attractor.context',
    method: 'GET',
    path: '//pipelines/:id/context',
    summary: 'The context of the run.',
    access: 'viewer',
    answers: { 200: answer('by key', z.record(z.string(), z.unknown())) },
    handle: async call => call.json(await call.parts.attractor.context(await idOf(call))),
  }),
]

/** An id may be given as a unique prefix. */
async function idOf({ host, params }: Pick<Call, 'host' | 'params'>): Promise<string> {
  return (await findRun(host.store, params.id!)).id
}
