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
    gates: z.record(z.string(), z.string()).describe('open gates by name, each with its approval'),
    usage,
    parent: z.string().nullable(),
    from: z.looseObject({ run: z.string(), as: z.string() }).nullable(),
    isArchived: z.boolean(),
  })
  .meta({ id: 'Run' })
