import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const person = z.object({ id: z.string(), name: z.string(), role: z.string() })

/** Logins over TCP. Failed ones are only counted: unknown callers must not fill the store. */
export const accessEvents = defineEvents({
  'access.granted': {
    description: 'A browser logged in with a login link or the passphrase.',
    data: z.object({ device: z.string(), name: z.string(), person }),
  },
  'access.revoked': {
    description: 'The access of a browser, of the API token, or of a link that shares a session was revoked.',
    data: z.object({
      what: z.enum(['device', 'token', 'all', 'share']),
      device: z.string().optional(),
      share: z.string().optional(),
      by: z.string(),
    }),
  },
  'access.shared': {
    description: 'A person made a link with which anyone may read one session until it expires.',
    data: z.object({ share: z.string(), session: z.string(), expiresAt: z.number(), by: z.string() }),
  },
  'access.confirmed': {
    description: 'A person confirmed their identity again (step-up).',
    data: z.object({ person, device: z.string().optional() }),
  },
  'host.locked': {
    description: 'A person locked the host down: logins are refused, and only denials are accepted.',
    data: z.object({ by: z.string(), grants: z.int().nonnegative() }),
  },
})
