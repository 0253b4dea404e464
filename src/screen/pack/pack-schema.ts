import { z } from 'zod'
import { TERMINAL_VIEWS } from '../view.js'

/**
 * The format of a pack file (docs/packs.md), before its patterns are compiled. Unknown fields are
 * errors: a misspelt rule must not be ignored silently.
 */
const view = z.enum(TERMINAL_VIEWS)
const awaiting = z.enum([
  'permission',
  'question',
  'plan',
  'trust',
  'auth',
  'api_key',
  'choice',
  'picker',
  'input',
  'exit_confirm',
])
const facet = z.enum([
  'todo',
  'agents',
  'background',
  'queued',
  'context',
  'mode',
  'retry',
  'survey',
  'notice',
  'scrolled',
  'statusline',
  'update',
])
const menuKind = z.enum([
  'permission',
  'question',
  'plan',
  'trust',
  'auth',
  'api_key',
  'update',
  'limit',
  'resume',
  'survey',
  'picker',
  'confirm',
  'input',
  'other',
])
const meaning = z.enum([
  'allow-once',
  'allow-session',
  'allow-always',
  'deny',
  'deny-with-text',
  'choice',
  'text',
  'cancel',
])
const outcome = z.enum(['done', 'interrupted', 'denied', 'failed'])

const colour = z.enum(['default', 'any', 'page', 'own', 'mark'])

const style = z.strictObject({
  at: z.int().min(0).optional(),
  fg: colour.optional(),
  bg: colour.optional(),
  band: z.boolean().optional(),
  joined: z.boolean().optional(),
  bold: z.boolean().optional(),
  dim: z.boolean().optional(),
  italic: z.boolean().optional(),
  inverse: z.boolean().optional(),
})

const row = { line: z.string(), style: style.optional() }

const name = z.string().regex(/^[\w-]+$/, 'letters, digits, dashes and underscores')

const region = z.discriminatedUnion('kind', [
  z.strictObject({
    name,
    kind: z.literal('box'),
    top: z.string(),
    body: z.string(),
    bottom: z.string(),
    without: z.string().optional(),
  }),
  z.strictObject({
    name: z.string(),
    kind: z.literal('gutter'),
    body: z.string(),
    bottom: z.string(),
    ignore: z.string().optional(),
  }),
  z.strictObject({
    name,
    kind: z.literal('open_box'),
    body: z.string(),
    below: z.enum(['indented', 'footer', 'blank']).default('indented'),
    footer: z.string().optional(),
  }),
  z.strictObject({ name, kind: z.enum(['tail', 'head']), n: z.int().min(1) }),
  z.strictObject({
    name,
    kind: z.enum(['above', 'below']),
    of: z.string(),
    n: z.int().min(1),
    stop: z.enum(['blank', 'rule', 'none']).default('none'),
  }),
  z.strictObject({ name, kind: z.literal('between'), after: z.string(), before: z.string() }),
  z.strictObject({ name, kind: z.literal('after_last'), match: z.string() }),
  z.strictObject({ name, kind: z.enum(['title', 'progress']) }),
])

const condition = z.strictObject({ region: z.string(), line: z.string() })

const rule = z.strictObject({
  id: z.string().regex(/^[\w.-]+$/, 'letters, digits, dots, dashes and underscores'),
  disabled: z.boolean().default(false),
  view: view.optional(),
  facet: facet.optional(),
  skip: z.string().optional(),
  priority: z.int().default(500),
  region: z.string(),
  line: z.string().optional(),
  text: z.string().optional(),
  all: z.array(condition).default([]),
  any: z.array(condition).default([]),
  none: z.array(condition).default([]),
  composer: z.enum(['live', 'absent', 'any']).default('any'),
  cursor: z.enum(['on_row', 'in_region', 'any']).default('any'),
  style: style.optional(),
  busy: z.boolean().optional(),
  awaiting: awaiting.optional(),
  close: z.string().optional(),
  confidence: z.number().min(0).max(1).default(0.85),
  capture: z.record(z.string(), z.enum(['string', 'int', 'count', 'duration', 'time'])).default({}),
  structural: z.boolean().default(false),
  since: z.string().optional(),
  until: z.string().optional(),
})

const menu = z.strictObject({
  kind: menuKind,
  question: z.string().optional(),
  title: z.string().optional(),
  option: z.string().optional(),
  column: z.int().min(0).optional(),
  origin: z.enum(['agent', 'user']).default('agent'),
  esc: z.enum(['deny', 'cancel']).optional(),
  amend: z.string().optional(),
  toggle: z.string().default(' '),
  confirm: z.string().default('\r'),
  /** Chooses an option that takes a reason when there is none, if `confirm` does nothing then. */
  unreasoned: z.string().optional(),
  /** The dialog does not contain what it asks about, such as a change that is drawn above it. */
  elsewhere: z.boolean().default(false),
  choose: z.enum(['arrows', 'accelerator']).default('arrows'),
  meaning: z.array(z.strictObject({ label: z.string(), meaning, danger: z.boolean().default(false) })).default([]),
})

const blockKind = z.enum(['prose', 'tool_call', 'tool_result', 'todo', 'user', 'thought', 'notice', 'error'])
const firstMore = { first: z.string(), more: z.string().optional(), style: style.optional() }

const fixture = z.strictObject({
  cast: z.string().regex(/^[\w.-]+\.cast$/, 'a file name that ends in .cast'),
  at: z.number().min(0),
  version: z.string().optional(),
  expect: z.strictObject({
    view: view.optional(),
    accept: z.array(view).default([]),
    busy: z.boolean().nullable().optional(),
    awaiting: z
      .union([awaiting, z.literal('none')])
      .nullable()
      .optional(),
    options: z.array(z.string()).optional(),
  }),
  known: z.string().optional(),
})

/** `fixtures/fixtures.toml` next to a pack. */
export const fixtureFileSchema = z.strictObject({ fixture: z.array(fixture).default([]) })

export const packSchema = z.strictObject({
  pack: z.literal(1),
  agent: z.string().regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and dashes'),
  /** This file is complete by itself: the files below it are ignored. */
  standalone: z.boolean().default(false),
  /** Parts that the file does not describe are read by structure, as without a pack. */
  base: z.literal('structure').optional(),
  versions: z.string().default('*'),
  evidence: z.array(z.string()).default([]),
  locale: z.string().default('en'),
  terminator: z.enum(['required', 'optional', 'none']).default('none'),
  idle_ms: z.int().min(0).max(10_000).default(0),
  detect: z
    .strictObject({
      argv0: z.array(z.string()).default([]),
      banner: z.string().optional(),
      title: z.string().optional(),
    })
    .prefault({}),
  glyphs: z.record(z.string(), z.string()).default({}),
  text: z
    .strictObject({
      indent: z.int().min(0).default(0),
      width: z.union([z.string().regex(/^cols(-\d+)?$/), z.int().min(1)]).default('cols'),
      scrollbar: z.boolean().default(false),
    })
    .prefault({}),
  input: z
    .strictObject({
      mode: z.enum(['bulk', 'typed', 'paste']).default('typed'),
      pace_ms: z.number().min(0).default(2),
      settle_ms: z.number().min(0).default(250),
      literal: z.strictObject({ '!': z.string().max(4).optional(), '/': z.string().max(4).optional() }).default({}),
      submit: z.string().default('\r'),
      newline: z.string().default('\n'),
      clear: z.string().default('\u0015'),
      interrupt: z.array(z.string()).default(['\u001b']),
      interrupt_presses: z.int().min(1).default(1),
      queue: z.boolean().default(false),
      exit: z.array(z.string()).default(['\u0003', '\u0003']),
    })
    .prefault({}),
  env: z
    .strictObject({ unset: z.array(z.string()).default([]), set: z.record(z.string(), z.string()).default({}) })
    .prefault({}),
  region: z.array(region).default([]),
  terminators: z.array(z.strictObject({ ...row, outcome })).default([]),
  blocks: z
    .array(
      z.strictObject({
        kind: blockKind,
        ...firstMore,
        next: z.string().optional(),
        after: z.array(blockKind).optional(),
        tight: z.boolean().default(false),
        weak: z.boolean().default(false),
        queued: z.string().optional(),
        strip: z.int().min(0).default(0),
        running: z.string().optional(),
        failed: z.string().optional(),
      }),
    )
    .default([]),
  chrome: z.array(z.union([z.strictObject(row), z.strictObject(firstMore)])).default([]),
  volatile: z.array(z.strictObject({ line: z.string() })).default([]),
  queued: z.array(z.strictObject(row)).default([]),
  commands: z.string().optional(),
  panels: z.array(z.strictObject({ name: z.string(), ...firstMore })).default([]),
  menus: z.array(menu).default([]),
  danger: z
    .array(
      z.strictObject({ id: z.string(), match: z.string(), rule: z.array(z.enum(['never-auto', 'never-default'])) }),
    )
    .default([]),
  fixtures: z.array(fixture).default([]),
  rule: z.array(rule).default([]),
})

export type PackFile = z.infer<typeof packSchema>
export type RuleFile = z.infer<typeof rule>
