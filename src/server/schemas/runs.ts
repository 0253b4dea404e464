import { z } from 'zod'
import { moment } from './common.js'

export const usage = z
  .object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number().optional(),
    cacheWrite: z.number().optional(),
    reasoning: z.number().optional(),
    costUsd: z.number().optional(),
    isEstimate: z.boolean().optional(),
  })
  .meta({ id: 'Usage' })

export const RUN_STATUS = [
  'queued',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'rejected',
  'cancelled',
] as const

export const run = z
  .object({
    id: z.string(),
    version: z.int(),
    kind: z.string(),
    title: z.string(),
    project: z.string(),
    cwd: z.string(),
    person: z.string(),
    labels: z.record(z.string(), z.string()),
    status: z.enum(RUN_STATUS),
    reason: z.string().nullable(),
    createdAt: moment,
    startAt: moment.nullable(),
    startedAt: moment.nullable(),
    updatedAt: moment,
    endedAt: moment.nullable(),
    wakeAt: moment.nullable(),
    step: z.string().nullable().describe('the newest step: node@visit#attempt'),
    steps: z.int(),
    progress: z
      .object({ unit: z.enum(['nodes', 'rounds']), done: z.int(), of: z.int() })
      .nullable()
      .describe(
        'how far an open run is: nodes of its graph that have ended, or rounds of a oneshot; of `of`, as many as there can be',
      ),
    gates: z.record(z.string(), z.string()).describe('open gates by name, each with its approval'),
    usage,
    parent: z.string().nullable(),
    from: z.looseObject({ run: z.string(), as: z.string() }).nullable(),
    isArchived: z.boolean(),
  })
  .meta({ id: 'Run' })

export const runStep = z.object({
  step: z.string(),
  node: z.string(),
  visit: z.int(),
  attempt: z.int(),
  branch: z.string().nullable(),
  effect: z.string(),
  startedAt: moment,
  endedAt: moment.nullable(),
  status: z.enum(['open', 'ok', 'failed', 'silent', 'cancelled', 'lost', 'cut']),
  reason: z.string().nullable(),
  input: z.unknown(),
  result: z.unknown(),
  pid: z.int().nullable(),
  session: z.string().nullable(),
  agentSession: z.string().nullable(),
  usage: usage.nullable(),
  recovery: z
    .object({ verdict: z.string(), evidence: z.array(z.looseObject({ source: z.string(), says: z.string() })) })
    .nullable(),
})

export const nodeVisit = z
  .object({
    node: z.string(),
    visit: z.int(),
    branch: z.string().nullable(),
    handler: z.string().nullable(),
    startedAt: moment,
    endedAt: moment.nullable(),
    status: z.enum(['running', 'waiting', 'success', 'fail', 'partial_success', 'retry', 'skipped']),
    outcome: z.string().nullable(),
    notes: z.string().nullable(),
    failureReason: z.string().nullable(),
    failureClass: z.string().nullable(),
    commit: z.string().nullable(),
    edge: z.object({ to: z.string(), edge: z.string().nullable(), reason: z.string() }).nullable(),
    retries: z.array(z.object({ attempt: z.int(), reason: z.string(), at: moment })),
    gates: z.array(z.object({ gate: z.string(), approval: z.string(), openedAt: moment, endedAt: moment.nullable() })),
    attempts: z.array(runStep),
  })
  .meta({ id: 'NodeVisit' })

/** A node with what happened at it, as lists and graphs show it. */
export const runNode = z.object({
  node: z.string(),
  label: z.string(),
  handler: z.string().nullable(),
  status: z.string().describe('of its newest visit; `idle` where there was none'),
  visits: z.int(),
  attempts: z.int(),
  ms: z.number(),
  usage,
})

export const logLine = z.object({
  at: moment,
  level: z.enum(['info', 'warning', 'error']),
  node: z.string().nullable(),
  step: z.string().nullable(),
  source: z.enum(['run', 'agent']),
  type: z.string(),
  text: z.string(),
})

export const diagnostic = z.looseObject({
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  line: z.int().nullable().optional(),
  column: z.int().nullable().optional(),
})
