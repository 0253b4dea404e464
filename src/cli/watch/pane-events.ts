import { SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, PaneStreamEvent } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'

/**
 * The changes of all panes, beginning with a list of them. If the daemon is replaced, the events of
 * the next one follow, again beginning with a list.
 * @param onReplaced called with the next daemon before its events.
 * @throws SignalboxError `E_DAEMON_GONE` if no other daemon starts in time.
 */
export async function* paneEvents(
  context: CommandContext,
  client: DaemonClient,
  signal: AbortSignal,
  onReplaced: (client: DaemonClient) => Promise<unknown>,
): AsyncGenerator<InMilliseconds<PaneStreamEvent>> {
  for (let daemon = client; ; ) {
    let cause: unknown
    try {
      yield* daemon.events<PaneStreamEvent>('/panes/stream', signal)
    } catch (error) {
      if (!(error instanceof SignalboxError && error.code === 'E_DAEMON_GONE')) throw error
      cause = error
    }
    if (signal.aborted) return
    const next = await DaemonClient.next(context, signal)
    if (signal.aborted) return
    if (!next)
      throw new SignalboxError('E_DAEMON_GONE', 'the daemon has stopped', { next: 'run the command again', cause })
    daemon = next
    await onReplaced(daemon)
  }
}
