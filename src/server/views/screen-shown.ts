import type { Host } from '../../host/index.js'
import type { Frame } from '../../terminal/index.js'

/**
 * The frame of a pane that was read last; null if it has ended or has shown nothing yet. A session
 * on a worker is asked for it.
 */
export async function screenShown(host: Host, id: string): Promise<Frame | null> {
  const read = host.panes?.screenOf(id) ?? host.local(id)?.frame
  return read ?? (await host.remote.whenLive(id))?.currentFrame() ?? null
}
