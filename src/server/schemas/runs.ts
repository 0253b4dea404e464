import { z } from 'zod'
import { checkpointFile } from '../../events/index.js'
import { approval } from './approvals.js'
import { moment, position } from './common.js'
import { storedEvent } from './events.js'

/** Whose use the cost leaves out, as its price is unknown. */
export const unpriced = z
  .object({ sessions: z.int(), runs: z.int() })
  .describe('how many used tokens without a known price, which the cost leaves out')

export const usage = z
  .object({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number().optional(),
    cacheWrite: z.number().optional(),
    reasoning: z.number().optional(),
    costUsd: z.number().optional(),
    isEstimate: z.boolean().optional(),
    isPartial: z.boolean().optional().describe('a part has no known price: the cost is the least that it can be'),
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
    reason: z.string().nullable().describe('a code, or the words of a person'),
    why: z.string().nullable().describe('the reason as a sentence'),
    isUndriven: z.boolean().describe('it has work to do, and no process drives it'),
    next: z.string().nullable().describe('the command that continues it'),
    createdAt: moment,
    startAt: moment.nullable(),
    startedAt: moment.nullable(),
    updatedAt: moment,
    endedAt: moment.nullable(),
    wakeAt: moment.nullable(),
    step: z.string().nullable().describe('the newest step: node@visit#attempt'),
    steps: z.int(),
    progress: z
      .object({
        unit: z.enum(['nodes', 'rounds']),
        done: z.int(),
        of: z.int(),
        node: z.string().nullable().describe('the name of the node that works'),
      })
      .nullable()
      .describe(
        'progress of an open run: nodes of its graph that have ended, or rounds of a oneshot; `of` is the maximum',
      ),
    gates: z.record(z.string(), z.string()).describe('open gates by name, with the approval of each'),
    usage,
    parent: z.string().nullable(),
    from: z.object({ run: z.string(), as: z.enum(['fork', 'rewind', 'restart']) }).nullable(),
    placement: z
      .object({ worker: z.string(), pool: z.string(), labels: z.record(z.string(), z.string()) })
      .partial()
      .nullable()
      .describe('which workers may perform it; null: only the server'),
    sandbox: z
      .object({ use: z.string(), network: z.enum(['off', 'filtered', 'on']).optional() })
      .nullable()
      .describe('the sandbox of its agents and commands; null: none'),
    worker: z.string().nullable().describe('the worker that has it'),
    workerName: z.string().nullable(),
    epoch: z.int().describe('how many workers have had it'),
    isArchived: z.boolean(),
  })
  .meta({ id: 'Run' })

/** What was found of a step that died; the agents that find it add fields of their own. */
const evidence = z.looseObject({ source: z.string(), says: z.string() })

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
  input: z.unknown().describe('in the form of the effect'),
  result: z.unknown().describe('in the form of the effect'),
  pid: z.int().nullable(),
  session: z.string().nullable(),
  agentSession: z.string().nullable(),
  usage: usage.nullable(),
  recovery: z.object({ verdict: z.string(), evidence: z.array(evidence) }).nullable(),
})

const nodeStatus = z.enum([
  ...(['running', 'paused', 'interrupted', 'waiting', 'success', 'fail'] as const),
  ...(['partial_success', 'retry', 'skipped', 'cancelled'] as const),
])

export const nodeVisit = z
  .object({
    node: z.string(),
    visit: z.int(),
    branch: z.string().nullable(),
    handler: z.string().nullable(),
    startedAt: moment,
    endedAt: moment.nullable(),
    status: nodeStatus,
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

/** A node with its visits, as lists and graphs show it. */
export const runNode = z.object({
  node: z.string(),
  label: z.string(),
  handler: z.string().nullable(),
  status: nodeStatus.or(z.literal('idle')).describe('of its newest visit; `idle` before the first'),
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
  raw: z.string().optional().describe('of a tool call: its input as the agent sent it'),
})

export const runNodes = z.object({ items: z.array(runNode), position })

export const timeline = z.object({
  startedAt: moment,
  endedAt: moment.nullable(),
  visits: z.array(nodeVisit),
  position,
})

export const runLog = z.object({
  items: z.array(logLine),
  next: z.int().nullable(),
  begin: z.int().describe('how many lines come before the first item'),
  position,
})

export const runContext = z.object({ context: z.record(z.string(), z.unknown()), position })

export const runGates = z.object({
  items: z.array(z.object({ gate: z.string(), openedAt: moment, approval })),
  position,
})

export const artifacts = z.object({
  items: z.array(z.object({ id: z.string(), name: z.string(), size: z.int(), storedAt: moment })),
  position,
})

export const artifact = z.object({ id: z.string(), name: z.string(), value: z.unknown() })

export const checkpoint = checkpointFile.meta({ id: 'Checkpoint' })

export const runDiff = z.object({
  branch: z.string().nullable().describe('where the run commits'),
  commits: z.int().describe('how many commits lie between the two'),
  from: z.string().nullable(),
  to: z.string().nullable(),
  diff: z.string(),
  isCut: z.boolean(),
  hidden: z.array(z.string()).describe('changed files that are not shown, because they usually hold credentials'),
})

/** Either the events of the journal (`bundle`), or files by their path. */
export const runExport = z.object({
  format: z.enum(['bundle', 'oneshot', 'attractor']),
  run: run.omit({ version: true, progress: true }),
  events: z.array(storedEvent).optional(),
  files: z.record(z.string(), z.string()).optional(),
})
