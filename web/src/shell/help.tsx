import { hasLetterKeys } from '../store/prefs'
import { Dialog } from '../ui/dialog'
import { isHelpOpen } from './keyboard'
import { STOPS } from './nav'

const KEYS: [string[], string][] = [
  [['j'], 'next'],
  [['k'], 'previous'],
  [['Enter'], 'open'],
  [['a'], 'allow once; asks first when the risk is elevated'],
  [['d'], 'deny, with a reason'],
  [['x'], 'select for a batch'],
  [['e'], 'explain the reading'],
  [['.'], 'actions'],
  [['/'], 'search'],
  [['Ctrl', 'k'], 'go anywhere'],
  [['Esc'], 'close'],
  [['Ctrl', 'Shift', '.'], 'leave the terminal'],
]

export function HelpDialog() {
  if (!isHelpOpen.value) return null
  return (
    <Dialog title="Keys" onClose={() => (isHelpOpen.value = false)}>
      <div class="stack wide">
        <dl class="kv" style={{ gridTemplateColumns: '140px 1fr', rowGap: '9px' }}>
          {KEYS.map(([keys, meaning]) => (
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
          {STOPS.map(({ key, label }) => (
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
          Single letters are keys
        </label>
      </div>
    </Dialog>
  )
}
