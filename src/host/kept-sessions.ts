import type { KeeperListener, KeeperPort, KeptSession } from '../keeper/index.js'
import type { LiveSession } from '../sessions/index.js'
import { openRecording } from '../terminal/recording/index.js'
import type { SessionQueue } from './session-scheduler.js'

/*
 * What happens to the terminals that the keeper kept while no host was there: a known session
 * catches up, an unknown program is ended.
 */

/**
 * Brings a session that ran without a host up to date: first the recorded bytes with their recorded
 * times, then the keeper's stream from exactly the byte at which the recording ended. No byte is
 * missed, and none is read twice.
 *
 * Unless the recording broke off (a full disk): then the bytes between its end and the keeper's
 * memory are lost, and the session continues after the gap. Its `recording.failed` event says so.
 */
export async function catchUp(
  session: LiveSession,
  kept: KeptSession,
  { keeper, queue }: { keeper: KeeperPort; queue: SessionQueue },
): Promise<void> {
  const listener = queue.listener(session)
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
    // The bytes in the keeper's memory are old, too: they are read before the session goes live.
    if (result.state === 'attached') return queue.caughtUp()
    // Since the recording was read, more was printed than the keeper holds in memory: read again
    // while the recording has new bytes.
    if (session.offset > before) continue
    const behind = await keeper.attach(kept.id, result.oldestOffset, listener)
    if (behind.state === 'attached') return queue.caughtUp()
  }
}

/** Ends a program whose terminal belongs to no session, and makes the keeper forget it. */
export async function discardKept(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  if (!kept.exit) {
    await keeper.signal(kept.id, 'SIGKILL')
    await exitOf(keeper, kept)
  }
  await keeper.forget(kept.id)
}

function exitOf(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => undefined
    const listener: KeeperListener = {
      output: ignore,
      resized: ignore,
      unrecorded: ignore,
      exited: () => resolve(),
      lagging: listen,
    }
    function listen(offset: number): void {
      keeper
        .attach(kept.id, offset, listener)
        .then(result => result.state === 'behind' && listen(result.oldestOffset), reject)
    }
    listen(kept.offset)
  })
}
