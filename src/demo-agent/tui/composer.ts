import { graphemes, plural } from '../../text/index.js'
import type { Key } from './input-decoder.js'

/**
 * The input box: its text, the cursor position (in graphemes), and pastes that are shown as a chip.
 */
export interface Composer {
  text: string
  cursor: number
  pastes: string[]
  history: string[]
  recall: number | null
}

export const EMPTY_COMPOSER: Composer = { text: '', cursor: 0, pastes: [], history: [], recall: null }

/** A paste longer than this becomes `[pasted #1 · 12 lines]`; shorter ones are clearer in full. */
const CHIP_LINES = 5
const CHIP_CHARACTERS = 800

/** Edits the draft; keys that the composer does not handle change nothing. */
export function pressComposerKey(composer: Composer, key: Key): Composer {
  const cells = [...graphemes(composer.text)]
  const { cursor } = composer
  const put = (text: string): Composer => {
    const added = [...graphemes(text)]
    const next = [...cells.slice(0, cursor), ...added, ...cells.slice(cursor)]
    return { ...composer, text: next.join(''), cursor: cursor + added.length, recall: null }
  }
  const cut = (from: number, to: number): Composer => ({
    ...composer,
    text: [...cells.slice(0, from), ...cells.slice(to)].join(''),
    cursor: from,
  })
  const move = (to: number): Composer => ({ ...composer, cursor: Math.min(cells.length, Math.max(0, to)) })
  if (key.ctrl) {
    if (key.name === 'u') return { ...composer, text: '', cursor: 0, pastes: [] }
    if (key.name === 'a') return move(0)
    if (key.name === 'e') return move(cells.length)
    if (key.name === 'k') return cut(cursor, cells.length)
    if (key.name === 'w') return cut(wordStart(cells, cursor), cursor)
    if (key.name === 'left') return move(wordStart(cells, cursor))
    return composer
  }
  switch (key.name) {
    case 'text':
      return key.alt ? composer : put(key.text)
    case 'newline':
      return put('\n')
    case 'tab':
      return composer
    case 'paste':
      return paste(composer, key.text, put)
    case 'backspace':
      return cursor > 0 ? cut(cursor - 1, cursor) : composer
    case 'delete':
      return cut(cursor, cursor + 1)
    case 'left':
      return move(cursor - 1)
    case 'right':
      return move(cursor + 1)
    case 'home':
      return move(0)
    case 'end':
      return move(cells.length)
    case 'up':
      return recall(composer, -1)
    case 'down':
      return recall(composer, 1)
    default:
      return composer
  }
}

/** The complete text with the pastes in place of their chips. */
export function composedText(composer: Composer): string {
  return composer.text.replaceAll(
    /\[pasted #(\d+) · \d+ lines?\]/g,
    (chip, number) => composer.pastes[Number(number) - 1] ?? chip,
  )
}

export function clearComposer(composer: Composer, submitted: string): Composer {
  return { ...EMPTY_COMPOSER, history: submitted === '' ? composer.history : [...composer.history, submitted] }
}

function paste(composer: Composer, text: string, put: (text: string) => Composer): Composer {
  const lines = text.split('\n').length
  if (lines <= CHIP_LINES && text.length <= CHIP_CHARACTERS) return put(text.replaceAll('\t', '    '))
  const chip = `[pasted #${composer.pastes.length + 1} · ${plural(lines, 'line')}]`
  return { ...put(chip), pastes: [...composer.pastes, text] }
}

function recall(composer: Composer, by: 1 | -1): Composer {
  if (composer.recall === null && (by === 1 || composer.text !== '')) return composer
  const at = (composer.recall ?? composer.history.length) + by
  if (at < 0) return composer
  const text = composer.history[at] ?? ''
  return { ...composer, text, cursor: [...graphemes(text)].length, recall: at >= composer.history.length ? null : at }
}

function wordStart(cells: string[], cursor: number): number {
  let at = cursor
  while (at > 0 && cells[at - 1] === ' ') at -= 1
  while (at > 0 && cells[at - 1] !== ' ') at -= 1
  return at
}
