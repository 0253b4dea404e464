import type { Clock } from '../clock/index.js'
import type { KeeperListener, KeeperPort, KeptSession } from '../keeper/index.js'
import type { SessionQueue } from '../panes/reader/index.js'
import { endProcesses, isOfStepOfRun } from '../process/index.js'
import type { LocalSession, SessionRecord } from '../sessions/index.js'
import { openRecording } from '../terminal/recording/index.js'
import type { Pause } from './catch-up-queue.js'

/** How much is read at once: less than a slice of time, also where a program prints megabytes. */
const PIECE_BYTES = 16 * 1024
const LEFTOVERS_GRACE_MS = 2_000

/*
 * Decides about terminals that the keeper kept while no host ran: a known session catches up, an
 * unknown program is ended.
 */

/**
 * Brings a session that ran without a host up to date: first the recorded bytes with their recorded
 * times, then the keeper's stream from exactly the byte at which the recording ended. No byte is
 * missed, and none is read twice. It reads in slices: `pause` lets others work. Returns how to
 * detach from the keeper's stream.
 *
 * Unless the recording broke off (a full disk): then the bytes between its end and the keeper's
 * memory are lost, and the session continues after the gap. Its `recording.failed` event says so.
 */
export async function catchUp(
  session: LocalSession,
  kept: KeptSession,
  { keeper, queue, pause }: { keeper: KeeperPort; queue: SessionQueue; pause: Pause },
): Promise<() => void> {
  let isOld = true
  const listener = queue.listener(session, () => isOld)
  const attached = async (detach: () => void) => {
    await queue.caughtUp()
    isOld = false
    return detach
  }
  const recording = await openRecording(kept.recording)
  let from = (await keeper.locate(kept.id, session.offset)) ?? undefined
  for (;;) {
    const before = session.offset
    let offset = from?.outputOffset ?? 0
    for await (const { event, position } of recording.events(from)) {
      from = position
      if (event.kind === 'output') {
        const end = offset + event.bytes.length
        for (let at = Math.max(session.offset, offset); at < end; at = session.offset) {
          await pause()
          session.output(event.bytes.subarray(at - offset, at - offset + PIECE_BYTES), event.t, at)
          await session.terminal.untilRead()
        }
        offset = end
      } else if (event.kind === 'resize' && offset >= session.offset) session.resized(event.cols, event.rows, event.t)
      else if (event.kind === 'input' && offset >= session.offset) session.typed(event.bytes, event.t)
      else if (event.kind === 'marker' && offset >= session.offset) session.marked?.(event.label)
      await pause()
    }
    const result = await keeper.attach(kept.id, session.offset, listener)
    // The bytes in the keeper's memory are old, too: they are read before the session goes live.
    if (result.state === 'attached') return attached(result.detach)
    // The program has printed more since the recording was read than the keeper holds in memory, so
    // the recording is read again while it has new bytes.
    if (session.offset > before) continue
    const behind = await keeper.attach(kept.id, result.oldestOffset, listener)
    if (behind.state === 'attached') return attached(behind.detach)
  }
}

/** Ends a program whose terminal belongs to no session, and makes the keeper forget it. */
export async function discardKeptSession(keeper: KeeperPort, kept: KeptSession): Promise<void> {
  if (!kept.exit) {
    await keeper.signal(kept.id, 'SIGKILL')
    await exitOf(keeper, kept)
  }
  await keeper.forget(kept.id)
}

/**
 * The keeper of a session was killed. A closed terminal sends SIGHUP to its programs; a session on
 * pipes, and the commands that ran for its agent, are found by their mark.
 */
export async function endSessionProcesses(
  { id, channel }: Pick<SessionRecord, 'id' | 'channel'>,
  clock: Clock,
): Promise<void> {
  if (channel === undefined) return
  await endProcesses({ leaders: [], isWanted: found => isOfStepOfRun(found, id), graceMs: LEFTOVERS_GRACE_MS, clock })
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
