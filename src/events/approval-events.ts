import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const milliseconds = z.number().nonnegative()

/** What was seen that proves a statement: a row, a transcript entry, a hook. The rooms that find evidence know its fields. */
const evidence = z.looseObject({ kind: z.string() })

/** SHA-256 over the previous value in the ledger and this event: `doctor` can tell that no event was changed or taken out. */
const chain = sha256.optional()

const actor = z.object({
  kind: z.enum(['person', 'grant', 'observed', 'auto']),
  id: z.string(),
  name: z.string(),
  role: z.enum(['viewer', 'approver', 'owner']),
})

const surface = z.enum(['cli', 'web', 'telegram', 'terminal', 'api'])

const subject = z.object({
  agent: z.string(),
  agentVersion: z.string().optional(),
  session: z.string().optional(),
  pane: z.string().optional(),
  subAgent: z.string().optional(),
  run: z.string().optional(),
  /** `run/node@visit#attempt` */
  effect: z.string().optional(),
  project: z.string(),
  cwd: z.string(),
  hostName: z.string(),
})

const option = z.object({
  key: z.string(),
  /** Exactly as the agent writes it. */
  label: z.string(),
  meaning: z.enum([
    'allow-once',
    'allow-session',
    'allow-always',
    'deny',
    'deny-with-text',
    'choice',
    'text',
    'cancel',
  ]),
  from: z.enum(['agent', 'signalbox']),
  danger: z.string().nullable(),
})

const question = z.object({ text: z.string(), header: z.string().optional(), multi: z.boolean() })

const request = z.object({
  tool: z.string(),
  /** JSON as the agent gave it, secrets redacted; null when only the screen told. */
  input: z.unknown(),
  text: z.string().nullable(),
  questions: z.array(question),
  options: z.array(option),
  freeText: z.enum(['none', 'optional', 'required']),
  plan: z.object({ path: z.string(), sha256, bytes: z.int().nonnegative() }).optional(),
  items: z.array(z.looseObject({ id: z.string() })).optional(),
})

const source = z.object({
  channel: z.string(),
  requestKey: z.string(),
  evidence: z.array(evidence),
  /** How structure and screen contradict each other. */
  mismatch: z.string().optional(),
})

const display = z.object({
  title: z.string(),
  blocks: z.array(z.looseObject({ kind: z.string() })),
  visible: z.array(z.object({ what: z.string(), count: z.int().positive() })),
  hash: sha256,
})

const deadline = z.object({
  at: milliseconds,
  owner: z.enum(['agent', 'graph', 'config']),
  /** `then` in spec/approvals.md §2: an object with a property of that name looks like a promise to `await`. */
  onExpiry: z.enum(['nothing', 'deny', 'default-edge', 'fail']),
})

/** In streams `approval/<id>`. */
export const approvalEvents = defineEvents({
  'approval.requested': {
    description: 'An agent, a graph or a pipeline asks a person to decide.',
    data: z.object({
      kind: z.enum(['permission', 'question', 'plan', 'gate', 'review', 'budget', 'auth']),
      subject,
      request,
      source,
      fingerprint: sha256,
      menuPrint: z.string().optional(),
      /** Which appearance of the request this is: two equal ones in a row are two approvals. */
      instance: z.string(),
      risk: z.object({ level: z.enum(['low', 'elevated', 'high']), reasons: z.array(z.string()) }),
      display,
      deadline: deadline.optional(),
      follows: z.string().optional(),
      chain,
    }),
  },
  'approval.seen': {
    description: 'The request was shown to a person.',
    data: z.object({ actor, surface, displayHash: sha256, whole: z.boolean(), chain }),
  },
  'approval.notified': {
    description: 'A person was told that a decision is needed.',
    data: z.object({ person: z.string(), channel: z.string(), message: z.string().optional(), chain }),
  },
  'approval.decided': {
    description: 'The request was decided, once and for all.',
    data: z.object({
      option: z.string(),
      choices: z.array(z.string()).optional(),
      text: z.string().max(16_000).optional(),
      note: z.string().max(2_000).optional(),
      editedInput: z.unknown().optional(),
      tier: z.string(),
      grantId: z.string().optional(),
      actor,
      surface,
      fingerprint: sha256,
      seen: z.object({ displayHash: sha256, whole: z.boolean() }),
      idempotencyKey: z.string(),
      chain,
    }),
  },
  'approval.refused': {
    description: 'A decision was not accepted, and nothing changed.',
    data: z.object({ actor, surface, code: z.string(), reason: z.string(), chain }),
  },
  'approval.delivering': {
    description: 'The decision is about to reach the agent: written before it does.',
    data: z.object({
      attempt: z.int().positive(),
      channel: z.string(),
      fence: z.int().nonnegative(),
      step: z.string(),
      chain,
    }),
  },
  'approval.applied': {
    description: 'The agent moved on as decided, or as someone answered in its own dialog.',
    data: z.object({
      evidence: z.array(evidence),
      waitedMs: milliseconds,
      deliveredMs: milliseconds.optional(),
      /** For an answer given in the agent's own dialog: who and what, as far as it was seen. */
      observed: z.object({ actor, surface, option: z.string().nullable() }).optional(),
      chain,
    }),
  },
  'approval.stale': {
    description: 'The request is no longer the one that was shown, or its end is not known.',
    data: z.object({
      reason: z.enum(['gone', 'changed', 'overtaken', 'unconfirmed', 'ambiguous', 'too-late']),
      evidence: z.array(evidence).optional(),
      chain,
    }),
  },
  'approval.expired': {
    description: 'Nobody decided in time.',
    data: z.object({ reason: z.string(), onExpiry: deadline.shape.onExpiry, chain }),
  },
  'approval.cancelled': {
    description: 'The request was withdrawn, or what asked has ended.',
    data: z.object({ reason: z.string(), chain }),
  },
})
