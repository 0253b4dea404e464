import { displayWidth, visibleText } from '../../text/index.js'

/** Who holds the keyboard, as the daemon tells every attached terminal. */
export interface InputState {
  holder: 'person' | 'signalbox' | 'nobody'
  isYours: boolean
  name?: string | undefined
}

/** What one who watches should know; null: there is nothing to say. */
export function statusText(
  { holder, isYours, name }: InputState,
  { isViewOnly, detach, take }: { isViewOnly: boolean; detach: string; take: string },
): string | null {
  if (isYours) return null
  if (holder === 'signalbox') return ' Signalbox is typing; keys are not passed on '
  const who = holder === 'nobody' ? 'nobody types' : `${visibleText(name ?? 'another terminal')} types`
  const keys = isViewOnly ? `${detach} detaches` : `${take} takes over · ${detach} detaches`
  return ` watching · ${who} · ${keys} `
}

/** One row over the last one of the screen, the cursor left where it was. */
export function drawStatus(text: string, { cols, rows }: { cols: number; rows: number }): string {
  let shown = ''
  for (const character of text) {
    if (displayWidth(shown + character) > cols) break
    shown += character
  }
  return `\u001b7\u001b[${rows};1H\u001b[0;7m${shown}\u001b[0m\u001b[K\u001b8`
}
