import type { Device } from './auth/devices.js'

export const ROLES = ['viewer', 'approver', 'owner'] as const
export type Role = (typeof ROLES)[number]

export interface Person {
  id: string
  name: string
  role: Role
}

export const OWNER: Person = { id: 'owner', name: 'owner', role: 'owner' }

/**
 * Who sent a request, as the server established. Nothing that a client claims about itself counts.
 */
export type Credential =
  /** The owner's socket: its file mode keeps other users out. */
  | { kind: 'socket'; person: Person }
  | { kind: 'token'; person: Person }
  | { kind: 'device'; person: Person; device: Device }
  /** An agent's hook: valid for hooks only; the inbox checks its token. */
  | { kind: 'hook'; person: null }
  | { kind: 'anonymous'; person: null }

export type Surface = 'cli' | 'web' | 'api'

export function surfaceOf({ kind }: Credential): Surface {
  return kind === 'socket' ? 'cli' : kind === 'device' ? 'web' : 'api'
}

export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
