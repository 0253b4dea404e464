import { displayWidth, visibleText } from '../../text/index.js'

/** Who types, as the daemon reports to every attached terminal. */
export interface InputState {
  holder: 'person' | 'signalbox' | 'nobody'
  isYours: boolean
  name?: string | undefined
}

/** The status line of a watching terminal; null for the one that types. */
export function statusText(
  { holder, isYours, name }: InputState,
  { isViewOnly, detach, take }: { isViewOnly: boolean; detach: string; take: string },
): string | null {
  if (isYours) return null
  if (holder === 'signalbox') return ' Signalbox is typing; your keys are not sent '
  const who = holder === 'nobody' ? 'nobody is typing' : `${visibleText(name ?? 'another terminal')} is typing`
  const keys = isViewOnly ? `${detach} detaches` : `${take} takes over · ${detach} detaches`
  return ` watching · ${who} · ${keys} `
}

/** Draws the line over the last row; the cursor stays. */
export function drawStatus(text: string, { cols, rows }: { cols: number; rows: number }): string {
  let shown = ''
  for (const character of text) {
    if (displayWidth(shown + character) > cols) break
    shown += character
  }
  return `\u001b7\u001b[${rows};1H\u001b[0;7m${shown}\u001b[0m\u001b[K\u001b8`
}
