import type { LiveSession } from '../../sessions/index.js'
import { type Frame, frameToAnsi, type Row, rowToAnsi } from '../../terminal/index.js'

const SCROLLBACK_MAX = 2_000

/**
 * A session's terminal as it is now, for a viewer that joins: bytes that draw its screen on an
 * empty terminal, and their position in the stream of bytes. With scrollback, the rows above are
 * printed first and scrolled off the screen.
 */
export function snapshotOf(session: LiveSession, { hasScrollback }: { hasScrollback: boolean }) {
  const { emulator } = session.screen
  const frame = emulator.currentFrame()
  const modes = {
    bracketedPaste: emulator.isBracketedPaste,
    applicationCursor: emulator.isApplicationCursor,
    alternate: frame.buffer === 'alternate',
  }
  const above = hasScrollback && !modes.alternate ? scrollbackOf(session, frame) : ''
  const enter = hasScrollback && modes.alternate ? '\u001b[?1049h' : ''
  return {
    type: 'snapshot' as const,
    cols: frame.cols,
    rows: frame.rows,
    seq: session.offset,
    title: frame.title,
    modes,
    data: above + enter + frameToAnsi(frame) + keyModes(modes),
  }
}

function scrollbackOf(session: LiveSession, { history, rows }: Frame): string {
  const first = Math.max(history.firstId, history.lastId - SCROLLBACK_MAX + 1)
  if (history.lastId < first) return ''
  const lines: Row[] = session.screen.emulator.readRows(first, history.lastId)
  return `${lines.map(row => `${rowToAnsi(row)}\u001b[0m\r\n`).join('')}${'\r\n'.repeat(Math.max(0, rows - 1))}`
}

/** The program's keyboard modes: without them arrows and pastes change their form. */
function keyModes(modes: { bracketedPaste: boolean; applicationCursor: boolean }): string {
  return `\u001b[?2004${modes.bracketedPaste ? 'h' : 'l'}\u001b[?1${modes.applicationCursor ? 'h' : 'l'}`
}
