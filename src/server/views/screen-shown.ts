import type { Host } from '../../host/index.js'
import type { Frame } from '../../terminal/index.js'

/**
 * The screen of a pane: the frame that was read last, or, for a session of a previous daemon that
 * has printed nothing since, the terminal as it is. Null for a pane that has ended or has shown
 * nothing yet.
 */
export function screenShown(host: Host, id: string): Frame | null {
  const read = host.panes?.screenOf(id)
  if (read) return read
  const live = host.live(id)
  return live && live.offset > 0 ? live.screen.emulator.currentFrame() : null
}
