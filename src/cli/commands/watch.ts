import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { PaneSwitches } from '../../server/index.js'
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
  if (options.tmux && !hasTmux) throw await tmuxProblem(client, config.panes.sources.includes('tmux'))
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

/** Why there are no tmux panes, and what to do about it. */
async function tmuxProblem(client: DaemonClient, isSource: boolean): Promise<SignalboxError> {
  const problem = (message: string, next: string) => new SignalboxError('E_INPUT', message, { next })
  if (!isSource) return problem('tmux is not a source of panes', 'add "tmux" to panes.sources')
  const { items } = await client.get<PaneSwitches>('/panes/switches')
  const isOn = items.some(item => item.switch === 'tmux' && item.isOn)
  return isOn
    ? problem('tmux was not found', 'install tmux')
    : problem('tmux is switched off', 'signalbox switch tmux on')
}

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
