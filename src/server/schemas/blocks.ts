import { z } from 'zod'

const run = z.object({
  text: z.string(),
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  strike: z.boolean().optional(),
  code: z.boolean().optional(),
  link: z.string().optional(),
})
const runs = z.array(run)

export const tool = z.object({
  name: z.string(),
  kind: z.enum(['shell', 'edit', 'write', 'read', 'search', 'fetch', 'mcp', 'agent', 'other']),
  summary: z.string(),
  command: z.string().optional(),
  path: z.string().optional(),
  url: z.string().optional(),
})

const base = {
  id: z.string(),
  rows: z.tuple([z.int(), z.int()]).describe('first and last row id that it was read from'),
  provisional: z.boolean().describe('still growing'),
  missing: z.boolean().describe('rows above it scrolled away before they could be read'),
  source: z.enum(['screen', 'transcript', 'acp']),
}

/** A part of a message. */
export const block = z
  .discriminatedUnion('kind', [
    z.object({
      ...base,
      kind: z.literal('prose'),
      variant: z.enum(['paragraph', 'heading', 'quote']),
      runs,
    }),
    z.object({ ...base, kind: z.literal('code'), language: z.string(), lines: z.array(z.string()) }),
    z.object({
      ...base,
      kind: z.literal('list'),
      items: z.array(z.object({ depth: z.int(), number: z.int().nullable(), checked: z.boolean().nullable(), runs })),
    }),
    z.object({
      ...base,
      kind: z.literal('table'),
      header: z.array(runs),
      body: z.array(z.array(runs)),
      align: z.array(z.enum(['left', 'right', 'center'])),
    }),
    z.object({
      ...base,
      kind: z.literal('diff'),
      lines: z.array(z.object({ sign: z.enum(['+', '-', ' ', '@']), number: z.int().nullable(), text: z.string() })),
    }),
    z.object({ ...base, kind: z.literal('tool_call'), tool }),
    z.object({ ...base, kind: z.literal('tool_result'), lines: z.array(z.string()), ok: z.boolean().nullable() }),
    z.object({
      ...base,
      kind: z.literal('todo'),
      items: z.array(z.object({ text: z.string(), status: z.enum(['open', 'in_progress', 'done']) })),
    }),
    z.object({ ...base, kind: z.enum(['user', 'thought', 'notice', 'error']), text: z.string() }),
  ])
  .meta({ id: 'Block' })
