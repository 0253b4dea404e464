import { hasLetterKeys, isDeveloper, isScreenReader, terminalFontSize, theme } from '../store/prefs'
import { Panel } from '../ui/panel'
import { Segments } from '../ui/tabs'

/** Preferences of this browser. */
export function AppearanceTab() {
  return (
    <Panel title="Appearance" note="saved in this browser">
      <div class="pad stack wide">
        <div class="field">
          <span class="label">Theme</span>
          <div>
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
          </div>
        </div>
        <label class="row">
          <input
            type="checkbox"
            checked={hasLetterKeys.value}
            onChange={event => (hasLetterKeys.value = event.currentTarget.checked)}
          />
          Single-key shortcuts
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={isScreenReader.value}
            onChange={event => (isScreenReader.value = event.currentTarget.checked)}
          />
          Screen-reader mode for terminals
        </label>
        <label class="row">
          <input
            type="checkbox"
            checked={isDeveloper.value}
            onChange={event => (isDeveloper.value = event.currentTarget.checked)}
          />
          Developer mode: show how Signalbox reads screens (Explain, phases, sources, raw events)
        </label>
        <div class="field" style={{ maxWidth: '220px' }}>
          <label for="font-size">Terminal font size</label>
          <input
            id="font-size"
            class="input"
            type="number"
            min={8}
            max={24}
            value={terminalFontSize.value}
            onChange={event => (terminalFontSize.value = event.currentTarget.valueAsNumber || 13)}
          />
        </div>
      </div>
    </Panel>
  )
}
