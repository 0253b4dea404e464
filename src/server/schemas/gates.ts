import { z } from 'zod'

/** `request.input` of a gate that asks about a plan. */
export const planGate = z.object({
  gate: z.literal('plan'),
  goal: z.string().nullable(),
  plan_path: z.string().nullable(),
  plan_hash: z.string(),
  plan_markdown: z.string(),
  version: z.int().describe('which plan of this run it is, from 1'),
  validation: z.object({ valid: z.boolean(), issues: z.array(z.string()), severity: z.string() }),
  tasks: z.array(z.object({ number: z.string(), title: z.string().nullable() })),
  key_files: z.array(z.string()),
  is_salvaged: z.boolean().describe('the agent said the plan and did not write it to a file'),
  rejections: z.array(z.string()).describe('what people said about the previous plans'),
  diff: z.string().nullable().describe('unified diff against the previous version; null for the first'),
})

/** `request.input` of a gate that asks which items of a review to fix. */
export const itemsGate = z.object({
  gate: z.literal('items'),
  pass: z.int(),
  of: z.int(),
  summary: z.string(),
  items: z.array(
    z.object({
      number: z.int(),
      severity: z.enum(['critical', 'major', 'minor', 'none']),
      file: z.string(),
      line: z.int().nullable(),
      title: z.string(),
      issue: z.string(),
      why: z.string(),
      fix: z.string(),
      type: z.string().optional(),
      disposition: z.string(),
      reason: z.string(),
    }),
  ),
})
