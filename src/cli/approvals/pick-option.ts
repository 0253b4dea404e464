import { SignalboxError } from '../../errors/index.js'
import type { ApprovalInfo, OptionInfo } from './approval-info.js'

/** The option that a person names: by its label as it stands, else without regard to case, else by a beginning that only one has. */
export function findOption(options: readonly OptionInfo[], wanted: string): OptionInfo {
  const low = (text: string) => text.trim().replace(/\s+/gu, ' ').toLowerCase()
  const attempts: ((option: OptionInfo) => boolean)[] = [
    option => option.label === wanted || option.key === wanted,
    option => low(option.label) === low(wanted),
    option => low(wanted) !== '' && low(option.label).startsWith(low(wanted)),
  ]
  for (const isMeant of attempts) {
    const found = options.filter(isMeant)
    if (found.length === 1) return found[0]!
    if (found.length > 1)
      throw new SignalboxError('E_APPROVAL_OPTION', `"${wanted}" could be: ${labels(found)}`, {
        next: 'write more of the label',
      })
  }
  throw new SignalboxError('E_APPROVAL_OPTION', `the request has no option "${wanted}"`, {
    next: `it offers: ${labels(options)}`,
  })
}

/** The option that plainly means yes once, or no; never one that does more. */
export function plainOption({ request }: ApprovalInfo, wants: 'allow' | 'deny'): OptionInfo {
  const meanings = wants === 'allow' ? ['allow-once'] : ['deny', 'cancel', 'deny-with-text']
  for (const meaning of meanings) {
    const found = request.options.filter(option => option.meaning === meaning)
    if (found.length === 1 || (found.length > 1 && wants === 'deny')) return found[0]!
  }
  throw new SignalboxError('E_APPROVAL_OPTION', `no option of this request plainly means ${wants}`, {
    next: `name one with --option; it offers: ${labels(request.options)}`,
  })
}

function labels(options: readonly OptionInfo[]): string {
  return options.map(option => option.label).join(' · ')
}
