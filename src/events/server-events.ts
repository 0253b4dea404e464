import { z } from 'zod'
import { defineEvents } from './catalogue.js'

export const serverEvents = defineEvents({
  'server.started': {
    description: 'A server of a shared store started.',
    data: z.object({
      /** Counts its starts. */
      epoch: z.int().positive(),
      engine: z.string(),
      version: z.string(),
    }),
  },
  'server.listening': {
    description: 'A server of a shared store can be reached by workers.',
    data: z.object({
      epoch: z.int().positive(),
      address: z.string(),
      /** The SHA-256 of its public key, for a certificate that no authority signed. */
      pin: z.string().optional(),
    }),
  },
})
