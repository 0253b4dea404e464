import { isDenialMeaning } from '../../approvals/index.js'
import type { Menu } from '../../screen/index.js'

/** The last keys of a person. */
export interface TypedKeys {
  text: string
  /**
   * A frame was read between these keys and the previous ones, so the menu shows the selection that
   * they applied to.
   */
  isSeen: boolean
}

/**
 * What a person answered in the agent's own menu, by the last key before it went: Esc, the number
 * or letter of an option, or Enter on the selected one. Null if the key does not show it.
 */
export function typedAnswer(
  menu: Menu | null,
  { text, isSeen }: TypedKeys,
): { option: string | null; result?: 'allowed' | 'denied' } | null {
  if (menu?.kind !== 'permission' && menu?.kind !== 'question') return null
  if (text === '\u001b') return { option: null, result: 'denied' }
  // What was answered is not known: several options may be ticked, or a text typed.
  if (menu.kind === 'question') return null
  const byKey = menu.options.find(
    ({ number, accelerator }) => text !== '' && (String(number) === text || accelerator === text),
  )
  const selected = text === '\r' && isSeen && menu.selected !== null ? menu.options[menu.selected] : undefined
  const option = byKey ?? selected
  if (!option) return null
  const { label, meaning } = option
  if (isDenialMeaning(meaning)) return { option: label, result: 'denied' }
  return meaning.startsWith('allow') ? { option: label, result: 'allowed' } : { option: label }
}
