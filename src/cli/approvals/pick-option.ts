import { denyingOption } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { plainLabel, withoutKey } from '../../text/index.js'

interface OptionInfo {
  key: string
  label: string
  meaning: string
  takes?: string | undefined
  /** What the agent's own menu calls this option, if that is something else. */
  menuLabel?: string | undefined
  from?: string | undefined
}

/**
 * The author of a graph names a gate's options: they have no meaning but their label. Only those of
 * Signalbox are read so; an agent's question is never answered by what its option is called.
 */
const GATE_LABELS = {
  allow: /^(?:approve|accept|allow|yes)\b/i,
  deny: /^(?:revise|reject|deny|decline|no)\b/i,
}

/**
 * The option that a person names: by label, by another case, by a unique beginning. A number is
 * never the beginning of another number: 80 is not 8080. Both labels of an option count, because
 * the person may have read either: otherwise *yes* would be the only option that starts with it,
 * “Yes, always”, where the request calls the menu's “Yes” *Allow once*.
 *
 * @returns the option, with the label that was meant
 */
export function findOption<T extends OptionInfo>(options: readonly T[], wanted: string): T {
  const low = (text: string) => text.trim().replace(/\s+/gu, ' ').toLowerCase()
  const attempts: ((label: string, option: T) => boolean)[] = [
    (label, { key }) => label === wanted || key === wanted,
    label => low(label) === low(wanted),
    label => isBeginning(low(wanted), low(label)),
  ]
  for (const isMeant of attempts) {
    const found = options.flatMap(option => {
      const label = [option.label, option.menuLabel].find(each => each !== undefined && isMeant(each, option))
      return label === undefined ? [] : [{ ...option, label }]
    })
    if (found.length === 1) return found[0]!
    if (found.length > 1)
      throw new SignalboxError('E_APPROVAL_OPTION', `"${wanted}" matches several options: ${labels(found)}`, {
        next: 'give more of the label',
      })
  }
  throw new SignalboxError('E_APPROVAL_OPTION', `the request has no option "${wanted}"`, {
    next: `the request offers: ${labels(options)}`,
  })
}

function isBeginning(word: string, label: string): boolean {
  const isCutNumber = /\d$/u.test(word) && /^\d/u.test(label.slice(word.length))
  return word !== '' && label.startsWith(word) && !isCutNumber
}

/** The option that allows once, or denies; at a graph's gate the only one that is called so. */
export function plainOption<T extends OptionInfo>(options: readonly T[], wants: 'allow' | 'deny'): T {
  const once = options.filter(({ meaning }) => meaning === 'allow-once')
  const found = wants === 'deny' ? denyingOption(options) : once.length === 1 ? once[0] : undefined
  if (found) return found
  const named = options.filter(
    ({ meaning, from, label }) =>
      meaning === 'choice' && from === 'signalbox' && GATE_LABELS[wants].test(withoutKey(label)),
  )
  if (named.length === 1) return named[0]!
  throw new SignalboxError('E_APPROVAL_OPTION', `this request has no plain option to ${wants}`, {
    next: `name one with --option; the request offers: ${labels(options)}`,
  })
}

function labels(options: readonly OptionInfo[]): string {
  return options.map(({ label }) => plainLabel(label)).join(' · ')
}
