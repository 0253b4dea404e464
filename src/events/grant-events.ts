import { z } from 'zod'
import { actor, chain, sha256, surface } from './approval-parts.js'
import { defineEvents } from './catalogue.js'

const milliseconds = z.number().nonnegative()

const scope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('session'), session: z.string() }),
  z.object({ kind: z.literal('run'), run: z.string() }),
  z.object({ kind: z.literal('node'), run: z.string(), node: z.string() }),
  z.object({ kind: z.literal('project'), project: z.string(), agent: z.string() }),
])

const match = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('same'), sharedFingerprint: sha256 }),
  z.object({ kind: z.literal('prefix'), words: z.array(z.string().min(1)).min(1) }),
  z.object({ kind: z.literal('path'), directory: z.string() }),
])

export const grantEvents = defineEvents({
  'grant.made': {
    description: 'A person allowed requests in advance, within limits.',
    data: z.object({
      scope,
      match,
      tools: z.array(z.string()).min(1),
      agent: z.string(),
      project: z.string(),
      agentVersion: z.string().optional(),
      launch: sha256.optional(),
      expiresAt: milliseconds,
      maxUses: z.int().positive(),
      /** Made by pattern, without a request: it holds until a person revokes it. */
      standing: z.literal(true).optional(),
      by: actor,
      surface,
      /** The approval that the person decided when making the grant. */
      approval: z.string(),
      note: z.string().max(2_000).optional(),
      /** Hash of the effective settings when the grant was made: it ends when they change. */
      settings: z.string().optional(),
      chain,
    }),
  },
  'grant.used': {
    description: 'The standing approval decided a request. Written together with the decision.',
    data: z.object({ approval: z.string(), chain }),
  },
  'grant.ended': {
    description: 'The standing approval no longer decides requests.',
    data: z.object({
      reason: z.enum(['time', 'uses', 'revoked', 'scope', 'agent version', 'clock', 'trust', 'config']),
      by: actor.optional(),
      chain,
    }),
  },
  'grant.paused': {
    description: 'All standing approvals are paused until they are resumed.',
    data: z.object({ by: actor, surface, chain }),
  },
  'grant.resumed': {
    description: 'Standing approvals that have not ended decide requests again.',
    data: z.object({ by: actor, surface, chain }),
  },
})
