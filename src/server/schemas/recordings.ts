import { z } from 'zod'
import { moment, position } from './common.js'

export const recording = z
  .object({
    id: z.string(),
    session: z.string(),
    agent: z.string(),
    label: z.string().nullable(),
    project: z.string(),
    startedAt: moment,
    endedAt: moment.nullable(),
    bytes: z.int(),
  })
  .meta({ id: 'Recording' })

const marker = z.object({
  atMs: z.number(),
  kind: z.enum(['resize', 'marker', 'exit', 'change', 'message']),
  label: z.string(),
  detail: z
    .object({
      status: z.string(),
      phase: z.string(),
      authority: z.string(),
      rule: z.string(),
      awaiting: z.string().nullable(),
    })
    .optional()
    .describe('of a `change`'),
})

const decision = z.object({
  approval: z.string(),
  atMs: z.number(),
  title: z.string(),
  state: z.string(),
  decidedAtMs: z.number().nullable(),
  by: z.string().nullable(),
  option: z.string().nullable(),
})

/** What happened in a recording, in milliseconds since its start. */
export const recordingIndex = z.object({
  recording,
  durationMs: z.number(),
  cols: z.int(),
  rows: z.int(),
  markers: z.array(marker),
  decisions: z.array(decision),
  position,
})
