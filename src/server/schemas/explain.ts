import { z } from 'zod'
import { tool } from './blocks.js'
import { moment } from './common.js'
import { supervisedPane } from './panes.js'

const rows = z.tuple([z.int(), z.int()]).describe('first and last row')

/** What a screen showed; times are seconds since the recording started. */
const change = z.object({
  t: z.number(),
  view: z.string(),
  confidence: z.number(),
  authority: z.string(),
  rule: z.string(),
  payload: z.unknown().describe('details of the view'),
  settled: z.boolean(),
  claim: z.string().nullable(),
  busy: z.boolean().nullable(),
  awaiting: z.string().nullable(),
  composer: z.object({ empty: z.boolean(), draft: z.string() }).nullable(),
  facets: z.array(z.unknown()),
  terminator: z.unknown(),
  ambiguous: z.array(z.string()),
  phase: z.string(),
  status: z.string(),
  title: z.string(),
  frame: z.object({ seq: z.int(), cause: z.string(), torn: z.boolean() }).nullable(),
  contradicts: z.array(z.object({ authority: z.string(), says: z.string(), rule: z.string() })),
})

const exit = z.int().nullable().optional()

const claim = z.discriminatedUnion('is', [
  z.object({ is: z.literal('starting') }),
  z.object({ is: z.literal('working'), label: z.string().optional() }),
  z.object({ is: z.literal('blocked'), awaiting: z.string(), approval: z.string().optional() }),
  z.object({ is: z.literal('done'), background: z.int().optional(), exit }),
  z.object({ is: z.literal('failed'), reason: z.string(), exit }),
  z.object({ is: z.literal('idle'), fresh: z.boolean().optional() }),
  z.object({ is: z.literal('stopped'), by: z.enum(['interrupted', 'denied']) }),
  z.object({ is: z.literal('exited'), code: z.int().nullable(), signal: z.string().nullable() }),
])

const evidence = z.object({
  authority: z.string(),
  says: claim,
  rule: z.string(),
  t: z.number(),
  age: z.number(),
  expires: z.number().nullable(),
  verdict: z.enum(['won', 'agrees', 'contradicts', 'expired']),
})

const rule = z.object({
  id: z.string(),
  view: z.string(),
  priority: z.number(),
  region: z.string(),
  matched: z.boolean(),
  why: z.string().describe('`holds`, or the first condition that failed'),
  rows: rows.optional(),
  text: z.string().optional(),
})

const menu = z.object({
  hash: z.string(),
  kind: z.string(),
  origin: z.enum(['agent', 'user']),
  layout: z.enum(['vertical', 'horizontal', 'inline', 'typed']),
  title: z.string().optional(),
  question: z.string(),
  body: z.array(z.string()),
  tool: tool.optional(),
  options: z.array(
    z.object({
      index: z.int(),
      number: z.int().optional(),
      label: z.string(),
      detail: z.string().optional(),
      accelerator: z.string().optional(),
      selected: z.boolean(),
      checked: z.boolean().nullable(),
      meaning: z.string(),
      danger: z.boolean(),
    }),
  ),
  selected: z.int().nullable(),
  multi: z.boolean(),
  tabs: z.array(z.object({ label: z.string(), state: z.enum(['open', 'answered', 'submit']), current: z.boolean() })),
  page: z.object({ n: z.int(), of: z.int() }).optional(),
  text: z
    .object({ option: z.int().nullable(), value: z.string(), placeholder: z.string(), secret: z.boolean() })
    .nullable(),
  more: z.object({ above: z.boolean(), below: z.boolean() }),
  isCut: z.boolean(),
  isElsewhere: z.literal(true).optional(),
  footer: z.array(z.object({ keys: z.string(), verb: z.string() })),
  danger: z.array(z.string()),
  keys: z.object({
    choose: z.enum(['arrows', 'accelerator']),
    confirm: z.string(),
    toggle: z.string(),
    unreasoned: z.string().optional(),
  }),
  rows,
})

const statusEntry = z.object({
  t: z.number(),
  event: z.string(),
  source: z.string(),
  from: z.string(),
  to: z.string(),
  reason: z.string().describe('`applied`, or why the event was refused'),
})

/** What the supervision of panes knows: every report of the last hour. */
const supervision = z.object({
  pane: supervisedPane,
  reports: z.array(
    z.object({
      t: z.number(),
      lastT: z.number(),
      at: moment,
      lastAt: moment.describe('of several equal reports in a row, the last'),
      count: z.int(),
      source: z.string(),
      says: z.string(),
      ref: z.string(),
      effect: z.string().describe('`running → done`, or why nothing changed'),
    }),
  ),
  status: z.array(statusEntry.extend({ at: moment })),
  screen: z.array(z.string()),
})

/** Why a session is read as it is, from its screen and from other reports. */
export const screenExplanation = z.object({
  reading: change.extend({ sinceS: z.number(), age: z.number() }),
  evidence: z.array(evidence).describe('from the highest authority to the lowest'),
  frame: z.object({
    regions: z.array(z.object({ name: z.string(), rows, text: z.string() })),
    rules: z.array(rule),
    menus: z.array(z.object({ live: z.boolean(), proofs: z.array(z.string()), failed: z.string().nullable(), menu })),
  }),
  history: z.array(change),
  status: z.array(statusEntry),
  counters: z.object({
    frames: z.int(),
    anchored: z.int(),
    structural: z.int(),
    unknown: z.int(),
    flicker: z.int(),
  }),
})

/** A pane of tmux has a supervision only; a session its screen, and one while live. */
export const explanation = z.union([
  screenExplanation.extend({ supervision: supervision.optional() }),
  z.object({ supervision }),
])
