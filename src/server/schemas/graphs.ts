import { z } from 'zod'
import { moment, position } from './common.js'

export const diagnostic = z.object({
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  message: z.string(),
  file: z.string().nullable(),
  line: z.int().nullable(),
  column: z.int().nullable(),
  node: z.string().optional(),
  edge: z.string().optional(),
  fix: z.string().optional(),
})

export const graphCheck = z.object({
  valid: z.boolean(),
  nodes: z.int(),
  edges: z.int(),
  diagnostics: z.array(diagnostic),
})

export const graphList = z.object({
  items: z.array(
    z.object({
      file: z.string(),
      project: z.string(),
      runs: z.int(),
      lastRun: z.string(),
      at: moment,
      nodes: z.int(),
    }),
  ),
  position,
})

export const runGraph = z.object({
  name: z.string(),
  nodes: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      handler: z.string(),
      attributes: z.record(z.string(), z.string()),
      status: z.string(),
      visits: z.int(),
      ms: z.number(),
    }),
  ),
  edges: z.array(
    z.object({
      id: z.string(),
      from: z.string(),
      to: z.string(),
      label: z.string(),
      condition: z.string(),
      taken: z.int(),
    }),
  ),
})

/** The parts of JSON Schema that a form is made from. */
const inputField = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
})

export const pipelineList = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      displayName: z.string(),
      description: z.string(),
      inputSchema: z.looseObject({
        properties: z.record(z.string(), inputField).optional(),
        required: z.array(z.string()).optional(),
      }),
    }),
  ),
})
