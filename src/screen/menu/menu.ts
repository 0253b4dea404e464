import type { MenuSpec } from '../pack/pack.js'
import type { ToolRef } from '../view.js'

export type MenuKind =
  | 'permission'
  | 'question'
  | 'plan'
  | 'trust'
  | 'auth'
  | 'api_key'
  | 'update'
  | 'limit'
  | 'resume'
  | 'survey'
  | 'picker'
  | 'confirm'
  | 'input'
  | 'other'

export type OptionMeaning =
  | 'allow-once'
  | 'allow-session'
  | 'allow-always'
  | 'deny'
  | 'deny-with-text'
  | 'choice'
  | 'text'
  | 'cancel'

export interface MenuOption {
  index: number
  number?: number
  label: string
  detail?: string
  accelerator?: string
  selected: boolean
  checked: boolean | null
  meaning: OptionMeaning
  danger: boolean
}

/** Proofs that the menu takes keys now (liveness.ts), and since when it has been seen. */
interface LiveProof {
  proofs: string[]
  since: number
  afterInput: boolean
}

export interface Menu {
  /** A hash of kind, question, body and labels; not of selection, width or position. */
  hash: string
  kind: MenuKind
  origin: 'agent' | 'user'
  layout: 'vertical' | 'horizontal' | 'inline' | 'typed'
  title?: string
  question: string
  /** The rows between header and question, as text. */
  body: string[]
  tool?: ToolRef
  options: MenuOption[]
  selected: number | null
  multi: boolean
  tabs: { label: string; state: 'open' | 'answered' | 'submit'; current: boolean }[]
  page?: { n: number; of: number }
  text: { option: number | null; value: string; placeholder: string; secret: boolean } | null
  /** Options that the list does not show now. */
  more: { above: boolean; below: boolean }
  /** The screen does not show the whole text above the options. */
  isCut: boolean
  /** The dialog does not contain what it asks about, such as a change that is drawn above it. */
  isElsewhere?: true
  footer: { keys: string; verb: string }[]
  danger: string[]
  /** How the agent accepts an answer here; a pack may override the defaults. */
  keys: {
    choose: 'arrows' | 'accelerator'
    confirm: string
    toggle: string
    /** Replaces `confirm` for a denial that could have a reason and has none. */
    unreasoned?: string
  }
  rows: [number, number]
  live: LiveProof
}

/**
 * What choosing an option does. A pack's own words come first; otherwise the first word decides, in
 * English: a label that starts with *yes* allows, one that starts with *no* denies, and a remark
 * about later requests extends the permission.
 */
export function meaningOf(label: string, spec: MenuSpec | null): { meaning: OptionMeaning; danger: boolean } {
  const words = label.replace(/[’‘]/g, "'").toLowerCase()
  const known = spec?.meaning.find(entry => entry.label.test(label))
  // Whatever the pack says: an option that ends the questions is not *allow once*.
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
