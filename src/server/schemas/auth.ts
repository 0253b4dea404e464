import { z } from 'zod'
import { moment, role } from './common.js'

export const person = z.object({ id: z.string(), name: z.string(), role })

export const login = z.object({
  device: z.string(),
  key: z.string().describe('32 bytes, base64url'),
  person,
  expiresAt: moment,
})

export const me = z.object({
  person,
  credential: z.enum(['socket', 'token', 'device']),
  device: z.string().optional(),
  expiresAt: moment.optional(),
  isReadOnly: z.boolean(),
  isDemo: z.boolean().optional().describe('scripted agents in a temporary home directory'),
  isConfirmed: z.boolean(),
  hasPassphrase: z.boolean(),
  proof: z
    .object({ why: z.string(), by: z.enum(['code', 'passphrase', 'none']) })
    .optional()
    .describe('what the caller must prove itself by before it may decide, and why; absent: by nothing'),
})

export const device = z.object({
  id: z.string(),
  name: z.string(),
  person,
  createdAt: moment,
  lastUsedAt: moment,
  expiresAt: moment,
  isThis: z.boolean(),
})

export const deviceList = z.object({ items: z.array(device) })

export const confirmation = z.object({ until: moment })

export const loginLink = z.object({ url: z.string(), address: z.string(), role })

export const tokenFile = z.object({ file: z.string() })
