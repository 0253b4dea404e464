import { codePointMark, controlMark, hasSuspects, isControl, isHidden } from './hidden-characters.js'
import { stripAnsi } from './strip-ansi.js'

export interface VisibleTextOptions {
  /** `keep` line breaks, put a `blank` in their place (one-line output), or `show` them. Default `keep`. */
  newlines?: 'keep' | 'blank' | 'show'
  /** Default `blank`: a tab's width is the terminal's business. */
  tabs?: 'keep' | 'blank' | 'show'
  /** `show` puts `␛` for the escape and leaves its rest readable; `remove` takes whole sequences away. Default `show`. */
  escapes?: 'show' | 'remove'
}

/**
 * Text of an agent, a file or a tool, made safe for our own terminal output, logs and notifications: nothing in the result can
 * control a terminal, reorder the line or be invisible.
 */
export function visibleText(text: string, options: VisibleTextOptions = {}): string {
  const source = options.escapes === 'remove' ? stripAnsi(text) : text
  if (!hasSuspects(source)) return source
  const characters = Array.from(source)
  return characters
    .map((character, index) => {
      if (character === '\n') return { keep: '\n', blank: ' ', show: '␊' }[options.newlines ?? 'keep']
      if (character === '\t') return { keep: '\t', blank: ' ', show: '→' }[options.tabs ?? 'blank']
      // A line end of another system is a line end.
      if (character === '\r' && characters[index + 1] === '\n') return ''
      if (isControl(character)) return controlMark(character)
      return isHidden(characters, index) ? codePointMark(character) : character
    })
    .join('')
}
