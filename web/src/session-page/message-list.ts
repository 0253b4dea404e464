import type { Message } from '../api/types'

/** A page may be open for days: earlier messages leave it, and are loaded again on request. */
const MESSAGES_KEPT = 100
/** Removed in one go: not with every message. */
const REMOVED_AT_ONCE = 20

/** With a new message, or a new version of a known one, which keeps the time of the first. */
export function withMessage(known: readonly Message[], message: Message): readonly Message[] {
  const at = known.findIndex(other => other.message === message.message)
  if (at < 0) return [...known, message]
  return known.with(at, { ...message, at: known[at]!.at })
}

/** The newest messages, if there are too many for a page. */
export function newestOf(messages: readonly Message[]): readonly Message[] {
  return messages.length < MESSAGES_KEPT + REMOVED_AT_ONCE ? messages : messages.slice(-MESSAGES_KEPT)
}
