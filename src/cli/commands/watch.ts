import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { paneEvents } from '../watch/pane-events.js'
import { goToPane, joinTmux } from '../watch/tmux.js'
import { type PaneFilter, printOnce, streamJson, streamPlain, watchRaw } from '../watch/watch-lines.js'
import { matchesFilter } from '../watch/watch-rows.js'

export async function run(context: CommandContext, { options }: InputOf<'watch'>): Promise<number> {
  const { config } = openHome(context).loaded
  const client = await DaemonClient.connect(context)
  const hasTmux = !options.sessions && (await joinTmux(context, client, config.panes.tmux_socket))
  if (options.tmux && !hasTmux)
    throw new SignalboxError('E_INPUT', 'there is no tmux to watch', {
      next: config.panes.sources.includes('tmux') ? 'install tmux' : 'add "tmux" to panes.sources',
    })
  const { filter = '' } = options
  const wants: PaneFilter = pane =>
    (!options.tmux || pane.source === 'tmux') &&
    (!options.sessions || pane.source === 'session') &&
    (filter === '' || matchesFilter(pane, filter))
  const isJson = options.json === true
  const open = (signal: AbortSignal) =>
    paneEvents(context, client, signal, async next => hasTmux && joinTmux(context, next, config.panes.tmux_socket))
  if (options.raw) await watchRaw(context, client, { wants, isJson, isOnce: options.once === true, open })
  else if (options.once) await printOnce(context, client, wants, isJson)
  else await follow(context, client, wants, { open, isJson, isPlain: options.plain === true })
  return EXIT.ok
}

type OpenEvents = (signal: AbortSignal) => ReturnType<typeof paneEvents>

async function follow(
  context: CommandContext,
  client: DaemonClient,
  wants: PaneFilter,
  { open, isJson, isPlain }: { open: OpenEvents; isJson: boolean; isPlain: boolean },
): Promise<void> {
  const stop = new AbortController()
  const events = open(stop.signal)
  try {
    if (isJson) await streamJson(context, events, wants)
    else if (isPlain || !context.isInteractive) await streamPlain(context, events, wants)
    else {
      const { LiveWatch } = await import('../watch/watch-live.js')
      const { notify } = openHome(context).loaded.config
      const notifyBy = notify.enabled ? notify.terminal : []
      const watch = new LiveWatch(context, client, { wants, notifyBy, go: pane => goToPane(context, client, pane) })
      await watch.run(events)
    }
  } finally {
    stop.abort()
  }
}
