import { z } from 'zod'
import { defineEvents } from './catalogue.js'

const person = z.object({ id: z.string(), name: z.string(), role: z.string() })

/** Who was let in over TCP, in stream `host`. Who was not is counted and logged, never stored: strangers must not fill the store. */
export const accessEvents = defineEvents({
  'access.granted': {
    description: 'A browser was let in with a link or the passphrase.',
    data: z.object({ device: z.string(), name: z.string(), person }),
  },
  'access.revoked': {
    description: 'A browser or the token of scripts is not let in any more.',
    data: z.object({ what: z.enum(['device', 'token', 'all']), device: z.string().optional(), by: z.string() }),
  },
  'access.confirmed': {
    description: 'A person proved once more to be there.',
    data: z.object({ person, device: z.string().optional() }),
  },
  'host.locked': {
    description: 'Somebody shut everything: nobody is let in, and nothing but denials is taken.',
    data: z.object({ by: z.string(), grants: z.int().nonnegative() }),
  },
})
