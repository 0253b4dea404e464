import type { Menu } from '../../screen/index.js'

/** Line wraps and repeated blanks depend on the width of the screen, not on the label. */
export function withoutWraps(label: string): string {
  return label.replace(/\s+/gu, ' ').trim()
}

/** Equal for labels that a person could confuse. */
export function confusableForm(label: string): string {
  return withoutWraps(label.normalize('NFKC')).toLowerCase()
}

export function selectedLabel(menu: Menu): string | undefined {
  return menu.options[menu.selected ?? -1]?.label
}

export function arrowKey(menu: Menu, step: 1 | -1): string {
  if (menu.layout === 'horizontal') return step > 0 ? '\u001b[C' : '\u001b[D'
  return step > 0 ? '\u001b[B' : '\u001b[A'
}

/** A text for a field of one row: without control characters and line ends. */
export function fieldText(text: string): string {
  return withoutWraps(text.replace(/[\u0000-\u001f\u007f-\u009f]+/gu, ' '))
}
