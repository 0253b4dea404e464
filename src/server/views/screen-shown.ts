import type { Host } from '../../host/index.js'
import type { Frame } from '../../terminal/index.js'

/**
 * What a pane shows: the frame that was read last; of a session that was taken over from a daemon before and has written nothing since, its
 * terminal as it stands. Null for a pane that is gone or has not shown anything yet.
 */
export function screenShown(host: Host, id: string): Frame | null {
  const read = host.board?.screenOf(id)
  if (read) return read
  const live = host.live(id)
  return live && live.offset > 0 ? live.screen.emulator.currentFrame() : null
}
