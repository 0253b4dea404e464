import { basename } from 'node:path'
import type { SessionRecord } from '../../sessions/index.js'

/** `shop · demo · #2 label`: the name of a session in a chat. */
export function sessionTitle({ project, agent, number, label }: SessionRecord): string {
  return `${basename(project) || project} · ${agent} · #${number}${label ? ` ${label}` : ''}`
}
