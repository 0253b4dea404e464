import { SignalboxError } from '../errors/index.js'
import type { SupervisorSettings } from '../panes/index.js'
import type { NotifyCenter } from './notify-center.js'
import type { PaneBoard } from './panes-board.js'
import type { HostSettings } from './settings.js'

/** What can be switched off while it runs. Each takes effect at once, and is an event. */
export const SWITCHES = ['heuristics', 'hooks', 'osc7501', 'notify', 'tmux'] as const
export type SwitchName = (typeof SWITCHES)[number]

export interface SwitchChange {
  switch: SwitchName
  isOn: boolean
  /** Only for this pane. */
  pane?: string
}

/** The settings of supervision with the parts that switches change. */
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

type Handles = Readonly<Record<SwitchName, { get(): boolean; set(isOn: boolean): void }>>

/** The switches of a host: what each is now, and how it is turned. */
export class Switches {
  readonly #handles: Handles
  readonly #onSet: (change: SwitchChange) => void

  constructor(handles: Handles, onSet: (change: SwitchChange) => void) {
    this.#handles = handles
    this.#onSet = onSet
  }

  list(): { switch: SwitchName; isOn: boolean }[] {
    return SWITCHES.map(name => ({ switch: name, isOn: this.#handles[name].get() }))
  }

  /** Turning a switch to where it is says nothing. */
  set(name: string, isOn: boolean): void {
    const known = SWITCHES.find(word => word === name)
    if (known === undefined)
      throw new SignalboxError('E_INPUT', `there is no switch "${name}"`, { next: `one of ${SWITCHES.join(', ')}` })
    if (this.#handles[known].get() === isOn) return
    this.#handles[known].set(isOn)
    this.#onSet({ switch: known, isOn })
  }
}

/** The switches over the parts of a running host. */
export function openSwitches(
  board: PaneBoard | null,
  notices: NotifyCenter | null,
  settings: Pick<HostSettings, 'hooks'>,
  onSet: (change: SwitchChange) => void,
): Switches {
  return new Switches(
    {
      heuristics: {
        get: () => board?.settings.heuristics.mode === 'auto',
        set: isOn => board?.setSwitch('heuristics', isOn),
      },
      osc7501: {
        get: () => board?.settings.osc7501.enabled === true,
        set: isOn => board?.setSwitch('osc7501', isOn),
      },
      tmux: {
        get: () => board?.settings.panes.sources.includes('tmux') === true,
        set: isOn => board?.setSwitch('tmux', isOn),
      },
      notify: { get: () => notices?.isEnabled === true, set: isOn => notices?.setEnabled(isOn) },
      hooks: {
        get: () => settings.hooks.isEnabled,
        set: isOn => {
          settings.hooks.isEnabled = isOn
        },
      },
    },
    onSet,
  )
}
