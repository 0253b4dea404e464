import type { Device } from './auth/devices.js'

export const ROLES = ['viewer', 'approver', 'owner'] as const
export type Role = (typeof ROLES)[number]

export interface Person {
  id: string
  name: string
  role: Role
}

export const OWNER: Person = { id: 'owner', name: 'owner', role: 'owner' }

/** Who asks, as the server found out. What a client says of itself is never asked. */
export type Credential =
  /** The owner's own socket: the file system let nobody else in. */
  | { kind: 'socket'; person: Person }
  | { kind: 'token'; person: Person }
  | { kind: 'device'; person: Person; device: Device }
  /** An agent's hook: good for hooks alone, and checked by the inbox. */
  | { kind: 'hook'; person: null }
  | { kind: 'nobody'; person: null }

export type Surface = 'cli' | 'web' | 'api'

export function surfaceOf({ kind }: Credential): Surface {
  return kind === 'socket' ? 'cli' : kind === 'device' ? 'web' : 'api'
}

export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
