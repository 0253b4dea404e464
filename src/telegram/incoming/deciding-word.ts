import type { ApprovalRecord } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { plainLabel } from '../../text/index.js'

/** A yes, also with a condition. */
const YES = /^(?:y|yes|yep|yeah|ok|okay|sure|lgtm|👍|✅)(?!\p{L})/iu
/** These may also begin a reason (“allow empty names, too”): they decide only in a few words. */
const APPROVES = /^(?:approved?|allow(?:ed)?|accept(?:ed)?|go|do)(?: \S+){0,2}$/iu
/** Scripts that do not separate words with blanks. */
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{4}/u

/**
 * A reply to the card of a permission or of a plan denies it, with the text as the reason. A single
 * word, a number, the name of an option and a text that begins with a yes are not a reason: the
 * person wanted to choose.
 *
 * @throws SignalboxError `E_APPROVAL_OPTION`
 */
export function checkReason({ request }: ApprovalRecord, text: string): void {
  const word = plain(text)
  const names = request.options.flatMap(({ key, label }) => [plain(key), plain(label)])
  const isSentence = /\p{L}.*\s+\S*\p{L}/u.test(word) || WITHOUT_BLANKS.test(word)
  if (isSentence && !YES.test(word) && !APPROVES.test(word) && !names.includes(word)) return
  const offers = request.options.map(({ label }) => plainLabel(label)).join(' · ')
  throw new SignalboxError('E_APPROVAL_OPTION', `nothing was decided: “${shortened(text)}” is not a reason`, {
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

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/gu, ' ')
  return line.length > 60 ? `${line.slice(0, 60)}…` : line
}
