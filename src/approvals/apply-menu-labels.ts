import type { Menu } from '../screen/index.js'

/** Wraps and runs of blanks are the width's doing, not the label's. */
export function folded(label: string): string {
  return label.replace(/\s+/gu, ' ').trim()
}

/** Equal for labels that a person could take for each other. */
export function lookAlike(label: string): string {
  return folded(label.normalize('NFKC')).toLowerCase()
}

export function selectedLabel(menu: Menu): string | undefined {
  return menu.options[menu.selected ?? -1]?.label
}

export function arrowKey(menu: Menu, step: 1 | -1): string {
  if (menu.layout === 'horizontal') return step > 0 ? '\u001b[C' : '\u001b[D'
  return step > 0 ? '\u001b[B' : '\u001b[A'
}

/** What may be typed into a field of one row: no key that does something else there, no end of line. */
export function fieldText(text: string): string {
  return folded(text.replace(/[\u0000-\u001f\u007f-\u009f]+/gu, ' '))
}
