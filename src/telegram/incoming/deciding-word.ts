import type { ApprovalRecord } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { optionText } from '../../text/index.js'

/** Words that decide, in a reply that can only be a reason. */
const DECIDING =
  /^(?:y|yes|yep|yeah|ok|okay|sure|approved?|allow(?:ed)?|accept(?:ed)?|go(?: ahead| on)?|do it|lgtm|n|no|nope|deny|denied|reject(?:ed)?|cancel|stop|👍|👎|✅|❌)$/iu

/**
 * A reply to the card of a permission or of a plan denies it, with the text as the reason. A text
 * that names an option, an answer like yes or a number is not a reason: the person wanted to
 * choose.
 *
 * @throws SignalboxError `E_APPROVAL_OPTION`
 */
export function checkReason({ request }: ApprovalRecord, text: string): void {
  const word = plain(text)
  const names = request.options.flatMap(({ key, label }) => [plain(key), plain(label)])
  if (word !== '' && !/^[\d\s,;]+$/u.test(word) && !DECIDING.test(word) && !names.includes(word)) return
  const offers = request.options.map(({ label }) => optionText(label)).join(' · ')
  throw new SignalboxError('E_APPROVAL_OPTION', `nothing was decided: “${text.trim()}” is not a reason`, {
    next: `to choose, press a button (${offers}); to deny, reply with the reason in a sentence`,
  })
}

function plain(text: string): string {
  return text
    .trim()
    .replace(/[.!?]+$/u, '')
    .replace(/\s+/gu, ' ')
    .toLowerCase()
}
