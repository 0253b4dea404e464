import type { Signal } from '@preact/signals'
import {
  hasLetterKeys,
  isDeveloper,
  isScreenReader,
  isWelcomed,
  skippedSteps,
  terminalFontSize,
  theme,
} from '../store/prefs'
import { go } from '../store/router'
import { Panel } from '../ui/panel'
import { Segments } from '../ui/tabs'

/** Preferences of this browser. */
export function AppearanceTab() {
  return (
    <Panel title="Appearance" note="saved at once, in this browser">
      <ul class="controls">
        <li>
          <span class="grow">Theme</span>
          <Segments
            label="Theme"
            value={theme.value}
            choices={[
              { value: 'system', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
            onChange={value => (theme.value = value)}
          />
        </li>
        <Choice id="letter-keys" of={hasLetterKeys} label="Single-key shortcuts" hint="? lists them." />
        <Choice
          id="screen-reader"
          of={isScreenReader}
          label="Screen-reader mode for terminals"
          hint="Terminals announce what they print."
        />
        <li>
          <label class="grow" for="font-size">
            Terminal font size
          </label>
          <input
            id="font-size"
            class="input"
            type="number"
            min={8}
            max={24}
            value={terminalFontSize.value}
            onChange={event => (terminalFontSize.value = event.currentTarget.valueAsNumber || 13)}
          />
        </li>
        <li>
          <div class="grow">
            <span>First steps</span>
            <p class="tiny dim">Agents, notifications and your phone, on the page “Needs you”.</p>
          </div>
          <button type="button" class="btn" onClick={showFirstSteps}>
            Show them again
          </button>
        </li>
        <Choice
          id="developer"
          of={isDeveloper}
          label="Developer mode"
          hint="Shows how Signalbox reads screens: explanations, phases, sources, raw events, and the keys of settings."
        />
      </ul>
    </Panel>
  )
}

function showFirstSteps(): void {
  skippedSteps.value = []
  isWelcomed.value = false
  go('/')
}

function Choice({ id, of, label, hint }: { id: string; of: Signal<boolean>; label: string; hint: string }) {
  return (
    <li>
      <div class="grow">
        <label for={id}>{label}</label>
        <p class="tiny dim">{hint}</p>
      </div>
      <input
        id={id}
        type="checkbox"
        role="switch"
        class="switch"
        checked={of.value}
        aria-checked={of.value}
        onChange={event => (of.value = event.currentTarget.checked)}
      />
    </li>
  )
}
