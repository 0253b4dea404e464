import { hasLetterKeys, isDeveloper } from '../store/prefs'
import { Dialog } from '../ui/dialog'
import { isHelpOpen } from './keyboard'
import { PAGES } from './nav'

const KEYS: [string[], string][] = [
  [['j'], 'next item'],
  [['k'], 'previous item'],
  [['Enter'], 'open'],
  [['a'], 'allow once; asks for confirmation unless the risk is low'],
  [['d'], 'deny'],
  [['D'], 'deny with a reason'],
  [['x'], 'select for a batch'],
  [['e'], 'explain the status of a session'],
  [['.'], 'more actions'],
  [['/'], 'search'],
  [['Ctrl', 'k'], 'go anywhere'],
  [['Esc'], 'close'],
  [['Ctrl', 'Shift', '.'], 'leave the terminal'],
]

export function HelpDialog() {
  if (!isHelpOpen.value) return null
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => (isHelpOpen.value = false)}>
      <div class="stack wide">
        <dl class="kv" style={{ gridTemplateColumns: '140px 1fr', rowGap: '9px' }}>
          {KEYS.filter(([[key]]) => key !== 'e' || isDeveloper.value).map(([keys, meaning]) => (
            <>
              <dt key={meaning}>
                {keys.map(key => (
                  <kbd key={key} style={{ marginRight: '4px' }}>
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{meaning}</dd>
            </>
          ))}
          {PAGES.map(({ key, label }) => (
            <>
              <dt key={label}>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>go to {label}</dd>
            </>
          ))}
        </dl>
        <label class="row small">
          <input
            type="checkbox"
            checked={hasLetterKeys.value}
            onChange={event => (hasLetterKeys.value = event.currentTarget.checked)}
          />
          Single-key shortcuts
        </label>
      </div>
    </Dialog>
  )
}
