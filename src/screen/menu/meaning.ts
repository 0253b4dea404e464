import type { MenuSpec } from '../pack/pack.js'
import type { OptionMeaning } from './menu.js'

/**
 * What choosing an option does. A pack's own words come first; otherwise the first word decides, in
 * English: a label that starts with *yes* allows, one that starts with *no* denies, and a remark
 * about later requests extends the permission.
 */
export function meaningOf(label: string, spec: MenuSpec | null): { meaning: OptionMeaning; danger: boolean } {
  for (const entry of spec?.meaning ?? []) {
    if (entry.label.test(label)) return { meaning: entry.meaning, danger: entry.danger }
  }
  return genericMeaning(label.replace(/[’‘]/g, "'").toLowerCase())
}

function genericMeaning(label: string): { meaning: OptionMeaning; danger: boolean } {
  const isAllow = /^(yes|allow|approve|proceed|trust|run|accept|always)\b/.test(label)
  const isDeny = /^(no|deny|reject|cancel|skip|quit|exit|don't|never|decline)\b/.test(label)
  if (isDeny) {
    if (/\b(tell|suggest|differently|feedback|instead|reason)\b/.test(label))
      return { meaning: 'deny-with-text', danger: false }
    return { meaning: /^cancel\b/.test(label) ? 'cancel' : 'deny', danger: false }
  }
  if (isAllow) {
    if (/\b(bypass|full access|auto mode|accept edits|everything)\b/.test(label))
      return { meaning: 'allow-always', danger: true }
    if (/\b(session|this file|for now)\b/.test(label)) return { meaning: 'allow-session', danger: true }
    if (/\b(always|don't ask|from now on|every time)\b/.test(label)) return { meaning: 'allow-always', danger: true }
    return { meaning: 'allow-once', danger: false }
  }
  if (/^(type|tell|other|something else|write)\b/.test(label)) return { meaning: 'text', danger: false }
  return { meaning: 'choice', danger: false }
}
