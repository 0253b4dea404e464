import { SignalboxError } from '../errors/index.js'
import type { NotificationCenter } from '../notifications/index.js'
import { type PaneRegistry, SWITCHES, type SwitchChange, type SwitchName } from '../supervision/index.js'
import type { HostSettings } from './settings.js'

type Handles = Readonly<Record<SwitchName, { get(): boolean; set(isOn: boolean): void }>>

/** Switches that turn parts of a running host on and off. */
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

  /** Setting a switch to its current value does nothing. */
  set(name: string, isOn: boolean): void {
    const known = SWITCHES.find(word => word === name)
    if (known === undefined)
      throw new SignalboxError('E_INPUT', `unknown switch "${name}"`, { next: `one of ${SWITCHES.join(', ')}` })
    if (this.#handles[known].get() === isOn) return
    this.#handles[known].set(isOn)
    this.#onSet({ switch: known, isOn })
  }
}

/** Wires the switches to the parts of a running host. */
export function openSwitches(
  panes: PaneRegistry | null,
  notifications: NotificationCenter | null,
  settings: Pick<HostSettings, 'hooks'>,
  onSet: (change: SwitchChange) => void,
): Switches {
  return new Switches(
    {
      heuristics: {
        get: () => panes?.settings.heuristics.mode === 'auto',
        set: isOn => panes?.setSwitch('heuristics', isOn),
      },
      osc7501: {
        get: () => panes?.settings.osc7501.enabled === true,
        set: isOn => panes?.setSwitch('osc7501', isOn),
      },
      tmux: {
        get: () => panes?.settings.panes.sources.includes('tmux') === true,
        set: isOn => panes?.setSwitch('tmux', isOn),
      },
      notify: { get: () => notifications?.isEnabled === true, set: isOn => notifications?.setEnabled(isOn) },
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
