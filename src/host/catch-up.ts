import type { KeeperPort, KeptSession } from '../keeper/index.js'
import type { LiveSession } from '../sessions/index.js'
import { openRecording } from '../terminal/recording/index.js'
import type { SessionQueue } from './session-scheduler.js'

/**
 * Brings a session that lived on without a host to the present: recorded bytes with their recorded times, then the keeper's stream from
 * exactly the byte where the recording ended. Nothing is missed and nothing is seen twice.
 *
 * Unless the recording broke off (a full disk): then what lies between its end and the keeper's memory is gone, and the session goes on
 * behind the gap. Its `recording.failed` event says so.
 */
export async function catchUp(
  session: LiveSession,
  kept: KeptSession,
  { keeper, lane }: { keeper: KeeperPort; lane: SessionQueue },
): Promise<void> {
  const listener = lane.listener(session)
  for (;;) {
    const before = session.offset
    const recording = await openRecording(kept.recording)
    let offset = 0
    for await (const { event } of recording.events()) {
      if (event.kind === 'output') {
        const end = offset + event.bytes.length
        if (end > session.offset) {
          const skip = Math.max(0, session.offset - offset)
          session.output(event.bytes.subarray(skip), event.t, offset + skip)
        }
        offset = end
      } else if (event.kind === 'resize' && offset >= session.offset) session.resized(event.cols, event.rows, event.t)
      else if (event.kind === 'input' && offset >= session.offset) session.typed(event.bytes)
    }
    const result = await keeper.attach(kept.id, session.offset, listener)
    // What the keeper had in memory is old too: it is read before anybody calls the session live.
    if (result.state === 'attached') return lane.caughtUp()
    // More was printed since the recording was read than the keeper holds in memory: read on, as long as there is something to read.
    if (session.offset > before) continue
    const behind = await keeper.attach(kept.id, result.oldestOffset, listener)
    if (behind.state === 'attached') return lane.caughtUp()
  }
}
