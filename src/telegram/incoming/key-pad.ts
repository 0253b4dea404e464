import { SignalboxError } from '../../errors/index.js'
import type { SessionPort } from '../../sessions/index.js'

const CURSOR: Readonly<Record<string, string>> = { '↑': 'A', '↓': 'B', '→': 'C', '←': 'D' }
const FIXED: Readonly<Record<string, string>> = { Esc: '\u001b', Tab: '\t', '⇧Tab': '\u001b[Z', Enter: '\r' }

/** The keys of the key pad, row by row. */
export const KEY_PAD: readonly (readonly string[])[] = [
  ['Esc', 'Tab', '⇧Tab'],
  ['←', '↑', '↓', '→'],
  ['1', '2', '3', '4', '5'],
  ['6', '7', '8', '9', '0'],
  ['Enter'],
]

/**
 * @throws SignalboxError `E_BUSY` while Signalbox or a person types, `E_INPUT` for a key that the
 * pad does not have
 */
export async function pressKey(live: SessionPort, key: string): Promise<void> {
  const cursor = CURSOR[key]
  const keys = cursor
    ? `\u001b${live.isApplicationCursor ? 'O' : '['}${cursor}`
    : (FIXED[key] ?? (/^\d$/.test(key) ? key : null))
  if (keys === null) throw new SignalboxError('E_INPUT', `Unknown key "${key}".`)
  if (!(await live.type(new TextEncoder().encode(keys))))
    throw new SignalboxError('E_BUSY', 'The keyboard of this session is in use.', { next: 'Try again later.' })
}
