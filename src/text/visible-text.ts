import { codePointMark, controlMark, hasSuspects, isControl, isHidden } from './hidden-characters.js'
import { stripAnsi } from './strip-ansi.js'

export interface VisibleTextOptions {
  /** `keep` line breaks (default), replace them by a `blank`, or `show` them. */
  newlines?: 'keep' | 'blank' | 'show'
  /** Default `blank`: the width of a tab depends on the terminal. */
  tabs?: 'keep' | 'blank' | 'show'
  /** `show` (default) prints ESC as `␛`; `remove` removes whole sequences. */
  escapes?: 'show' | 'remove'
}

/**
 * Makes text of an agent, a file or a tool safe for terminal output, logs and notifications:
 * nothing in the result can control a terminal, reorder the line or be invisible.
 */
export function visibleText(text: string, options: VisibleTextOptions = {}): string {
  const source = options.escapes === 'remove' ? stripAnsi(text) : text
  if (!hasSuspects(source)) return source
  const characters = Array.from(source)
  return characters
    .map((character, index) => {
      if (character === '\n') return { keep: '\n', blank: ' ', show: '␊' }[options.newlines ?? 'keep']
      if (character === '\t') return { keep: '\t', blank: ' ', show: '→' }[options.tabs ?? 'blank']
      // CR LF is one line end.
      if (character === '\r' && characters[index + 1] === '\n') return ''
      if (isControl(character)) return controlMark(character)
      return isHidden(characters, index) ? codePointMark(character) : character
    })
    .join('')
}

/** The label of an option on one line, with hidden characters made visible. */
export function optionText(label: string): string {
  return visibleText(label, { newlines: 'blank', tabs: 'blank' })
}

/** A label without the key at its start: `[A] Approve`, `Y) Yes`, `Y - Yes`. */
export function withoutKey(label: string): string {
  return label.trim().replace(/^(?:\[[^\]]\]\s+|\S\)\s+|\S - )/, '')
}

/** The label of an option as people read it: one line, no key, hidden characters made visible. */
export function plainLabel(label: string): string {
  return optionText(withoutKey(label))
}
