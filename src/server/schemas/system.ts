import { z } from 'zod'
import { person } from './auth.js'
import { moment, position } from './common.js'

const agentFinding = z.object({
  title: z.string(),
  file: z.string().nullable(),
  version: z.string().nullable(),
  isVersionKnown: z.boolean().nullable(),
  triedWith: z.array(z.string()),
  signIn: z
    .object({ state: z.enum(['yes', 'no', 'unknown']), because: z.string(), next: z.string().optional() })
    .nullable(),
  authorities: z.array(z.string()),
})

export const finding = z.object({
  check: z.string(),
  level: z.enum(['ok', 'note', 'warning', 'error']),
  message: z.string(),
  next: z.string().optional(),
  agent: agentFinding.optional(),
  isFixable: z.boolean().optional().describe('`POST /doctor/fix/:check` can repair it'),
})

export const findings = z.object({ items: z.array(finding) })

export const setting = z.object({
  key: z.string(),
  about: z.string().describe('what it is for'),
  shown: z.string().describe('as a file would say it; a secret is "set" or "unset"'),
  origin: z.object({ source: z.string(), place: z.string().optional() }),
  accepts: z.object({
    type: z.enum(['boolean', 'integer', 'number', 'duration', 'string', 'enum', 'strings', 'table']),
    values: z.array(z.string()).readonly().optional().describe('of an enum, or the possible items of a list'),
    min: z.number().optional(),
    max: z.number().optional(),
    unit: z.enum(['ms', 's', 'min', 'h', 'd']).optional().describe('of a duration'),
    hasNone: z.boolean().describe('null is a value: no limit, no file'),
  }),
  editing: z
    .enum(['free', 'tighten', 'terminal'])
    .describe('what the dashboard may do: change it, make it stricter, or nothing'),
  isPending: z.boolean().describe('the daemon still works with another value; the next start applies this one'),
})

export const settings = z.object({
  items: z.array(setting),
  version: z.string(),
  canRestart: z.boolean().describe('`POST /restart` can replace the daemon'),
})

const telegram = z.object({ state: z.string(), detail: z.string().optional() })

const loopBlock = z
  .object({
    ms: z.int(),
    at: moment,
    session: z
      .object({ id: z.string(), ms: z.int() })
      .nullable()
      .describe('the session with the longest slice at that time'),
  })
  .nullable()

export const health = z
  .object({
    pid: z.int(),
    version: z.string(),
    node: z.string(),
    startedAt: moment,
    now: moment,
    address: z.string().nullable(),
    store: z.string(),
    storeBytes: z.int(),
    position,
    sessions: z.int(),
    catchingUp: z.int().describe('number of further sessions that the daemon has not read up to the present yet'),
    readers: z
      .object({ threads: z.int(), failures: z.int() })
      .describe('threads that read terminals, and how often one of them crashed or hung since the start'),
    panes: z.int(),
    runs: z.object({ driven: z.int(), open: z.int() }),
    streams: z.object({ events: z.int(), terminals: z.int() }),
    agents: z.array(z.string()),
    telegram,
    loop: z
      .object({ longest: loopBlock, recent: loopBlock })
      .describe('the longest time in which the daemon did nothing else, since its start and in the last five minutes'),
    disk: z.object({ freeMb: z.int(), leastMb: z.int() }),
    lockdownSince: moment.nullable(),
    isReadOnly: z.boolean(),
  })
  .meta({ id: 'Health' })

export const daemon = z.object({
  pid: z.int(),
  version: z.string(),
  build: z.number(),
  isDetached: z.boolean(),
  isLocked: z.boolean(),
  catchingUp: z.int().describe('number of sessions that the daemon has not read up to the present yet'),
})

export const lockdown = z.object({ since: moment, grants: z.int() })

/** The window in which one Telegram account can be paired. */
export const pairing = z.object({
  isOpen: z.boolean(),
  code: z.string().nullable(),
  expiresAt: moment.nullable(),
  candidate: z.object({ id: z.int(), name: z.string() }).nullable().describe('who sent the code'),
  closed: z.string().nullable().describe('why it was closed, if no person closed it'),
})

export const telegramBot = z.object({
  name: z.string().describe('without @'),
  hasWebhook: z.boolean().describe('another program gets its messages'),
})

export const paired = z.object({ person: person.extend({ telegram: z.array(z.int()) }) })
