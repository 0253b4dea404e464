import { z } from 'zod'
import { approvalReport } from './approvals.js'
import { moment, position } from './common.js'
import { unpriced, usage } from './runs.js'

export const split = z.enum(['day', 'agent', 'model', 'project', 'pipeline', 'version', 'node'])

const row = z.object({
  key: z.partialRecord(split, z.string()).describe('one value for each split'),
  usage,
  runCostUsd: z.number().nullable().describe('of `usage.costUsd`, what runs cost: the rest is that of sessions'),
  steps: z.int(),
  runs: z.int(),
  passed: z.int(),
  failed: z.int(),
  medianMs: z.number(),
  p95Ms: z.number(),
  unpriced,
})

export const usageReport = z.object({
  since: moment,
  until: moment,
  by: z.array(split),
  rows: z.array(row),
  total: usage,
  unpriced,
  budget: z.object({ dayUsd: z.number().nullable() }).describe('`runs.day_usd`; null: no limit'),
  decisions: approvalReport.omit({ requests: true }),
  recoveries: z
    .array(z.object({ verdict: z.string(), count: z.int() }))
    .describe('steps that died or were interrupted, by the verdict of their recovery'),
  position,
})
