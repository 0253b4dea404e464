import type { SupervisorSettings } from '../panes/index.js'

/** What can be switched off at run time. Each takes effect at once, and is an event. */
export const SWITCHES = ['heuristics', 'hooks', 'osc7501', 'notify', 'tmux'] as const
export type SwitchName = (typeof SWITCHES)[number]

export interface SwitchChange {
  switch: SwitchName
  isOn: boolean
  /** Only for this pane. */
  pane?: string
}

/** The settings of supervision, with the parts that switches change. */
export interface LiveSettings extends SupervisorSettings {
  panes: Mutable<SupervisorSettings['panes']>
  heuristics: Mutable<SupervisorSettings['heuristics']>
  osc7501: Mutable<SupervisorSettings['osc7501']>
}
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function copyOf(settings: SupervisorSettings): LiveSettings {
  const { panes, heuristics, osc7501 } = settings
  return { ...settings, panes: { ...panes }, heuristics: { ...heuristics }, osc7501: { ...osc7501 } }
}
