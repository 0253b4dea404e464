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
  print: string
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
  more: { above: boolean; below: boolean }
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
