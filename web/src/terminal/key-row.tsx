import { useState } from 'preact/hooks'

const KEYS: [string, string, string][] = [
  ['Esc', '\u001b', 'Escape'],
  ['Tab', '\t', 'Tab'],
  ['↑', '\u001b[A', 'Up'],
  ['↓', '\u001b[B', 'Down'],
  ['←', '\u001b[D', 'Left'],
  ['→', '\u001b[C', 'Right'],
  ['⏎', '\r', 'Enter'],
]

/** Keys that a phone keyboard does not have. */
export function KeyRow({ onKeys }: { onKeys(keys: string): void }) {
  const [hasCtrl, setCtrl] = useState(false)
  return (
    <div class="key-row">
      {KEYS.map(([label, keys, name]) => (
        <button key={name} type="button" class="btn" aria-label={name} onClick={() => onKeys(keys)}>
          {label}
        </button>
      ))}
      <button type="button" class="btn" aria-pressed={hasCtrl} onClick={() => setCtrl(!hasCtrl)}>
        Ctrl
      </button>
      {hasCtrl &&
        ['C', 'D', 'R', 'L', 'O'].map(letter => (
          <button
            key={letter}
            type="button"
            class="btn"
            aria-label={`Control ${letter}`}
            onClick={() => {
              onKeys(String.fromCharCode(letter.charCodeAt(0) - 64))
              setCtrl(false)
            }}
          >
            {letter}
          </button>
        ))}
    </div>
  )
}
