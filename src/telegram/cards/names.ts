import { basename } from 'node:path'
import type { SessionRecord } from '../../sessions/index.js'

/** `shop · demo · #2 label`: what a session is called in a chat. */
export function sessionTitle({ project, agent, number, label }: SessionRecord): string {
  return `${basename(project) || project} · ${agent} · #${number}${label ? ` ${label}` : ''}`
}

/** Data in the name of a message, so that a reply to it says all that is needed. */
export function askSubject(ask: Ask): string {
  return `ask.${Buffer.from(JSON.stringify(ask)).toString('base64url')}`
}

export function readAsk(subject: string | null): Ask | null {
  if (!subject?.startsWith('ask.')) return null
  return JSON.parse(Buffer.from(subject.slice(4), 'base64url').toString('utf8')) as Ask
}

/** What an answer by reply is for. */
export type Ask =
  | { for: 'reason'; approval: string; fingerprint: string; nonce: string }
  | { for: 'answer'; approval: string; fingerprint: string; nonce: string }
  | { for: 'run'; kind: RunKind; project: string; agent?: string; nonce: string }

export type RunKind = 'oneshot' | 'implement' | 'review'
