import { z } from 'zod'
import { actor, authentication, chain, sha256, surface } from './approval-parts.js'
import { defineEvents } from './catalogue.js'

const milliseconds = z.number().nonnegative()

/** What proves a statement: a row, a transcript entry, a hook. Finders add fields. */
const evidence = z.looseObject({
  kind: z.string(),
  /** How the agent got it, for a `note`. */
  way: z.string().optional(),
})

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
  /** What the agent's menu says about it below or beside its label. */
  detail: z.string().optional(),
  /** Which of several questions it answers, counted from 0. */
  question: z.int().nonnegative().optional(),
  /** Text that goes with the option. `text`, `reason`: required. `count`, `note`: optional. */
  takes: z.enum(['text', 'reason', 'count', 'note']).optional(),
  /** It cannot be chosen together with others. */
  isAlone: z.boolean().optional(),
})

const question = z.object({ text: z.string(), header: z.string().optional(), multi: z.boolean() })

const request = z.object({
  tool: z.string(),
  /** The agent's JSON, secrets redacted; null if only the screen reported the request. */
  input: z.unknown(),
  text: z.string().nullable(),
  questions: z.array(question),
  options: z.array(option),
  freeText: z.enum(['none', 'optional', 'required']),
  plan: z.object({ path: z.string(), sha256, bytes: z.int().nonnegative() }).optional(),
  items: z.array(z.looseObject({ id: z.string() })).optional(),
  /** The files that the request names: as given, and with links resolved. */
  targets: z.array(z.object({ path: z.string(), real: z.string(), access: z.enum(['read', 'write']) })).optional(),
  /** For a tool of an MCP server: a hash of the command that starts the server. */
  launch: sha256.optional(),
})

const source = z.object({
  channel: z.string(),
  requestKey: z.string(),
  evidence: z.array(evidence),
  /** How the agent's report and its screen contradict each other. */
  mismatch: z.string().optional(),
  /** The agent's own id of the request, and the turn it belongs to. */
  toolUseId: z.string().optional(),
  turn: z.string().optional(),
  /** What the channel can do beyond choosing an option. */
  can: z.array(z.enum(['edit', 'deny', 'text', 'hold'])).optional(),
})

const risk = z.object({ level: z.enum(['low', 'elevated', 'high']), reasons: z.array(z.string()) })

const display = z.object({
  title: z.string(),
  blocks: z.array(
    z.looseObject({
      /** `label`: words of Signalbox; `value`: words of the agent. */
      kind: z.string(),
      text: z.string().optional(),
      /** What is suspicious about the text. */
      finding: z.string().optional(),
      /** For a look-alike: the character that it imitates. */
      reading: z.string().optional(),
    }),
  ),
  /** Hidden or look-alike characters that were made visible, by kind. */
  findings: z.array(z.object({ what: z.string(), count: z.int().positive() })),
  hash: sha256,
  /** The display was too large and was cut, so that no person has seen all of it here. */
  isCut: z.boolean().optional(),
})

const deadline = z.object({
  at: milliseconds,
  owner: z.enum(['agent', 'graph', 'config']),
  /** Not called `then`: `await` takes an object with a method of that name for a promise. */
  onExpiry: z.enum(['nothing', 'deny', 'default-edge', 'fail']),
})

export const approvalEvents = defineEvents({
  'approval.requested': {
    description: 'An agent, a graph or a pipeline asks a person to decide.',
    data: z.object({
      kind: z.enum(['permission', 'question', 'plan', 'gate', 'review', 'budget', 'auth']),
      subject,
      request,
      source,
      fingerprint: sha256,
      menuHash: z.string().optional(),
      /** Tells equal requests apart: two in a row are two approvals. */
      instance: z.string(),
      risk,
      display,
      deadline: deadline.optional(),
      follows: z.string().optional(),
      /** The fingerprint without the session; a grant for “the same request” compares it. */
      sharedFingerprint: sha256.optional(),
      /** How often the session asked for the same within ten minutes, if that is a loop. */
      repeats: z.int().positive().optional(),
      /** Files that were written since the session's last request about them. */
      changed: z.array(z.string()).optional(),
      /** Why neither a grant nor a batch may decide it: a person must see all of it. */
      neverAuto: z.string().optional(),
      /**
       * Why keys may not allow it in the agent's dialog: it does not show the whole request, or
       * another request may be behind it.
       */
      terminalOnly: z.string().optional(),
      chain,
    }),
  },
  'approval.joined': {
    description: 'Another channel (a further hook, the menu on screen) reported the same request.',
    data: z.object({
      channel: z.string(),
      requestKey: z.string(),
      evidence: z.array(evidence),
      toolUseId: z.string().optional(),
      menuHash: z.string().optional(),
      /** The options that the menu offers; the fingerprint covers the request's own. */
      screenOptions: z.array(option).optional(),
      mismatch: z.string().optional(),
      /** As in the request; null: the dialog now shows all of it. */
      terminalOnly: z.string().nullable().optional(),
      /** Set together with a mismatch: what surfaces show from now on, and its risk. */
      risk: risk.optional(),
      display: display.optional(),
      chain,
    }),
  },
  'approval.seen': {
    description: 'A surface showed the request to a person.',
    data: z.object({ actor, surface, displayHash: sha256, whole: z.boolean(), chain }),
  },
  'approval.decided': {
    description: 'The request was decided. A request is decided at most once.',
    data: z.object({
      option: z.string(),
      choices: z.array(z.string()).optional(),
      text: z.string().max(16_000).optional(),
      note: z.string().max(2_000).optional(),
      editedInput: z.unknown().optional(),
      editedHash: sha256.optional(),
      tier: z.string(),
      /** The turn is interrupted once the denial has reached the agent. */
      thenInterrupt: z.boolean().optional(),
      grantId: z.string().optional(),
      madeGrant: z.string().optional(),
      actor,
      surface,
      fingerprint: sha256,
      seen: z.object({ displayHash: sha256, whole: z.boolean() }),
      idempotencyKey: z.string(),
      auth: authentication,
      /** Proves that the daemon accepted the decision: a host delivers no other to its sessions. */
      signature: z.string().optional(),
      chain,
    }),
  },
  'approval.refused': {
    description: 'A decision was rejected; nothing changed.',
    data: z.object({ actor, surface, code: z.string(), reason: z.string(), chain }),
  },
  'approval.delivering': {
    description: 'The decision is about to be delivered to the agent. Written before the delivery.',
    data: z.object({
      attempt: z.int().positive(),
      channel: z.string(),
      fence: z.int().nonnegative(),
      step: z.string(),
      chain,
    }),
  },
  'approval.applied': {
    description: 'The agent continued as decided, or as a person answered in its own dialog.',
    data: z.object({
      evidence: z.array(evidence),
      waitedMs: milliseconds,
      deliveredMs: milliseconds.optional(),
      /** For an answer in the agent's own dialog: who answered what, as far as it is known. */
      observed: z
        .object({
          actor,
          surface,
          option: z.string().nullable(),
          /** Left out where only the end of the dialog is known. */
          result: z.enum(['allowed', 'denied']).optional(),
        })
        .optional(),
      chain,
    }),
  },
  'approval.stale': {
    description: 'The request on screen is no longer the one that was shown, or its outcome is unknown.',
    data: z.object({
      reason: z.enum(['gone', 'changed', 'overtaken', 'unconfirmed', 'ambiguous', 'too-late', 'unproven']),
      evidence: z.array(evidence).optional(),
      /** The request that supersedes this one: the agent reported it in more detail. */
      followedBy: z.string().optional(),
      chain,
    }),
  },
  'approval.expired': {
    description: 'No decision arrived before the deadline.',
    data: z.object({ reason: z.string(), onExpiry: deadline.shape.onExpiry, chain }),
  },
  'approval.cancelled': {
    description: 'The request was withdrawn, or the session or run that asked has ended.',
    data: z.object({ reason: z.string(), chain }),
  },
})
