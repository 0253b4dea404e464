import { plainLabel } from '../text/index.js'
import { isDenialMeaning } from './denial.js'
import type { ApprovalRecord } from './record.js'

/** The chosen option: for a permission its meaning, because agents word their menus differently. */
const MEANING_TEXTS: Readonly<Record<string, string>> = {
  'allow-once': 'Allowed once',
  'allow-session': 'Allowed for this session',
  'allow-always': 'Allowed always',
  deny: 'Denied',
  'deny-with-text': 'Denied',
  cancel: 'Cancelled',
}

interface Chosen {
  option?: string | undefined
  choices?: readonly string[] | undefined
  text?: string | undefined
}

/** A decision in the words of every surface: *Allowed once*, *Denied*, *Answered: Yellow*. */
export function decisionWords(
  { kind, request: { options } }: Pick<ApprovalRecord, 'kind' | 'request'>,
  { option = '', choices = [option], text }: Chosen,
): string {
  const chosen = options.filter(({ key }) => choices.includes(key))
  const meaning = chosen[0]?.meaning ?? ''
  if (kind === 'permission' || isDenialMeaning(meaning)) return MEANING_TEXTS[meaning] ?? 'Answered'
  const labels = chosen.map(({ label }) => plainLabel(label)).filter(label => label !== '')
  if (labels.length > 0) return `Answered: ${labels.join(', ')}`
  return text === undefined ? 'Answered' : 'Answered in your own words'
}
