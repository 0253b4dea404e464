/** A question of the bot that a person answers by a reply to it. */
type ReplyQuestion =
  | { for: 'reason'; approval: string; fingerprint: string; nonce: string }
  | { for: 'answer'; approval: string; fingerprint: string; nonce: string }
  | { for: 'run'; kind: 'oneshot' | 'implement' | 'review'; project: string; agent?: string; nonce: string }

const PREFIX = 'ask.'

/** The subject of a question's message: it carries the question for the reply. */
export function questionSubject(question: ReplyQuestion): string {
  return `${PREFIX}${Buffer.from(JSON.stringify(question)).toString('base64url')}`
}

/** Null when the subject is not a question. */
export function questionOfSubject(subject: string | null): ReplyQuestion | null {
  if (!subject?.startsWith(PREFIX)) return null
  return JSON.parse(Buffer.from(subject.slice(PREFIX.length), 'base64url').toString('utf8')) as ReplyQuestion
}
