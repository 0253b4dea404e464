import type { MenuSpec } from '../pack/pack.js'
import type { OptionMeaning } from './menu.js'

/**
 * What choosing an option does. A pack's own words come first; otherwise the first word decides, in
 * English: a label that starts with *yes* allows, one that starts with *no* denies, and a remark
 * about later requests extends the permission.
 */
export function meaningOf(label: string, spec: MenuSpec | null): { meaning: OptionMeaning; danger: boolean } {
  const words = label.replace(/[’‘]/g, "'").toLowerCase()
  const known = spec?.meaning.find(entry => entry.label.test(label))
  // Whatever the pack says: an option that ends the questions is not for this once.
  if (known && !(known.meaning === 'allow-once' && STOPS_ASKING.test(words)))
    return { meaning: known.meaning, danger: known.danger }
  return genericMeaning(words)
}

/** The agent will not ask the next time. */
const STOPS_ASKING =
  /\b(always|(?:don't|do not|never|not|stop|without) ask(?:ing)?|from now on|every time|in (?:the )?future|remember (?:this|my))\b/

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
    if (STOPS_ASKING.test(label)) return { meaning: 'allow-always', danger: true }
    return { meaning: 'allow-once', danger: false }
  }
  if (/^(type|tell|other|something else|write)\b/.test(label)) return { meaning: 'text', danger: false }
  return { meaning: 'choice', danger: false }
}
