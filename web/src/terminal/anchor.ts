import type { Terminal } from '@xterm/xterm'

const NEAR_PX = 4

/**
 * A screen that is taller than its box shows its end: that is where an agent asks and where its
 * cursor is. `keep` leaves the box alone after a person has scrolled it.
 */
export function anchorOf(terminal: Terminal, box: HTMLElement): { set(): void; keep(): void } {
  let at = 0
  const set = () => {
    box.scrollTop = endOf(terminal, box) - box.clientHeight
    at = box.scrollTop
  }
  return { set, keep: () => Math.abs(box.scrollTop - at) <= NEAR_PX && set() }
}

/** The lower edge of the last row with text or the cursor, in pixels from the top of the screen. */
function endOf({ buffer, rows }: Terminal, box: HTMLElement): number {
  const shown = box.querySelector<HTMLElement>('.xterm-screen')
  if (!shown) return 0
  const { active } = buffer
  let last = rows - 1
  const isBlank = (row: number) => (active.getLine(active.baseY + row)?.translateToString(true) ?? '') === ''
  while (last > active.cursorY && isBlank(last)) last--
  return shown.offsetTop + ((last + 2) * shown.offsetHeight) / rows
}
