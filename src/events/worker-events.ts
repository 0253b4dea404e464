import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const labels = z.record(z.string(), z.string())

export const workerEvents = defineEvents({
  'worker.invited': {
    description:
      'The owner made a link with which one machine can join as a worker. Only the hash of its token is kept.',
    data: z.object({ pool: z.string(), labels, until: z.number(), by: z.string() }),
  },
  'worker.invite-used': {
    description: 'A machine joined with the link; it cannot be used again.',
    data: z.object({ worker: z.string() }),
  },
  'worker.joined': {
    description: 'A machine joined as a worker. From now on it proves its identity with this key.',
    data: z.object({ name: z.string(), pool: z.string(), labels, key: z.string() }),
  },
  'worker.connected': {
    description: 'A worker connected, or connected again.',
    data: z.object({
      /** Identifies one start of the worker's program. */
      boot: z.string(),
      version: z.string(),
      maxSteps: z.int().positive(),
      maxSessions: z.int().nonnegative().optional(),
      /** The agents that it found. */
      agents: z.array(z.string()),
      /** By its own settings. */
      pool: z.string().optional(),
      labels: labels.optional(),
    }),
  },
  'worker.away': {
    description:
      'The server has not heard from a worker for the time of its lease. It gets no further runs; those that it has stay.',
    data: z.object({ since: z.number() }),
  },
  'worker.lost': {
    description: 'A worker is considered gone for good. Its runs move to other workers.',
    data: z.object({ reason: z.string(), by: z.string().optional() }),
  },
  'worker.drained': {
    description: 'A worker takes no further runs, or takes them again.',
    data: z.object({ isDraining: z.boolean(), by: z.string() }),
  },
  'worker.refused': {
    description: 'A worker asked for something, or reported something, that it has no right to. At most one a minute.',
    data: z.object({
      /** The call, or the type of the event. */
      what: z.string(),
      /** How often since the last such event. */
      times: z.int().positive(),
    }),
  },
  'worker.removed': {
    description: 'A worker was removed: its key is no longer valid.',
    data: z.object({ by: z.string() }),
  },
})
