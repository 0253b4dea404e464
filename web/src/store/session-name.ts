import { baseName } from '../api/format'
import type { Session } from '../api/types'

/**
 * The name of a session: its label, else what its first prompt asked for, else agent and project.
 */
export function sessionName({ label, title, agent, cwd }: Pick<Session, 'label' | 'title' | 'agent' | 'cwd'>): string {
  return label ?? title ?? `${agent} in ${baseName(cwd)}`
}
