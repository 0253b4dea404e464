import type { Payload, TerminalView } from './view.js'

export type Awaiting =
  | 'permission'
  | 'question'
  | 'plan'
  | 'trust'
  | 'auth'
  | 'api_key'
  | 'choice'
  | 'picker'
  | 'input'
  | 'exit_confirm'

/** What one frame shows, and why. */
export interface Observation<V extends TerminalView = TerminalView> {
  view: V
  payload: Payload[V]
  confidence: number
  /** A pack rule matched; otherwise only structure. */
  anchored: boolean
  /** `claude/working.spinner`, `generic/menu`, `none` */
  rule: string
  /** The agent or a tool works and nothing is asked; null when this frame does not show it. */
  busy: boolean | null
  awaiting: Awaiting | null
  /** Null without a live input box. */
  composer: Composer | null
  /** Other visible structures. They never change the view by themselves. */
  facets: Facet[]
  /** The text of the newest echoed prompt. */
  user: string | null
  terminator: Terminator | null
  /** Other views that this screen can mean. */
  ambiguous: TerminalView[]
  evidence: ScreenEvidence[]
}

export interface Composer {
  empty: boolean
  draft: string
  placeholder: string
  shell: boolean
  pasted: number
  queued: string[]
  completion: { items: string[]; selected: number } | null
  /** The first and last row of the box, edges included. */
  rows: [number, number]
}

export interface Terminator {
  row: number
  outcome: 'done' | 'interrupted' | 'denied' | 'failed'
}

export type FacetName =
  | 'todo'
  | 'agents'
  | 'background'
  | 'queued'
  | 'context'
  | 'mode'
  | 'retry'
  | 'survey'
  | 'notice'
  | 'scrolled'
  | 'statusline'
  | 'update'

export interface Facet {
  name: FacetName
  data: Record<string, unknown>
}

export interface ScreenEvidence {
  region: string
  rows: [number, number]
  text: string
}
