import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { PaneSwitches } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
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
  const isOfSource: PaneFilter = pane =>
    (!options.tmux || pane.source === 'tmux') &&
    (!options.sessions || pane.source === 'session') &&
    !isOwnPane(pane, context.env)
  const wants: PaneFilter = pane => isOfSource(pane) && (filter === '' || matchesFilter(pane, filter))
  const isJson = options.json === true
  let replaced: (client: DaemonClient) => void = () => undefined
  const open = (signal: AbortSignal) =>
    paneEvents(context, client, signal, async next => {
      replaced(next)
      if (hasTmux) await joinTmux(context, next, config.panes.tmux_socket)
    })
  if (options.raw) await watchRaw(context, client, { wants, isJson, isOnce: options.once === true, open })
  else if (options.once) await printOnce(context, client, wants, isJson)
  else {
    const isPlain = options.plain === true
    const isSpoken = options.screenReader === true || config.terminal.screen_reader || context.env.TERM === 'dumb'
    const isDrawn = context.isInteractive && !isJson && !isPlain && !isSpoken
    await follow(context, client, isDrawn ? isOfSource : wants, {
      open,
      onReplaced: listener => {
        replaced = listener
      },
      isJson,
      isPlain,
      isSpoken,
      filter,
    })
  }
  return EXIT.ok
}

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

/** The pane of tmux in which this command runs: it would show itself. */
function isOwnPane({ socket, tmuxPane }: PaneInfo, { TMUX = '', TMUX_PANE }: NodeJS.ProcessEnv): boolean {
  return tmuxPane !== undefined && tmuxPane === TMUX_PANE && socket === TMUX.split(',')[0]
}

interface Following {
  open: (signal: AbortSignal) => ReturnType<typeof paneEvents>
  onReplaced(listener: (client: DaemonClient) => void): void
}

async function follow(
  context: CommandContext,
  client: DaemonClient,
  wants: PaneFilter,
  {
    open,
    onReplaced,
    isJson,
    isPlain,
    isSpoken,
    filter,
  }: Following & {
    isJson: boolean
    isPlain: boolean
    isSpoken: boolean
    filter: string
  },
): Promise<void> {
  const stop = new AbortController()
  const events = open(stop.signal)
  try {
    if (isJson) await streamJson(context, events, wants)
    else if (isPlain || !context.isInteractive) await streamPlain(context, events, wants)
    else if (isSpoken) await runLineCockpit(context, client, wants, { events, onReplaced, signal: stop.signal })
    else {
      const { Cockpit } = await import('../cockpit/cockpit.js')
      const { notify } = openHome(context).loaded.config
      const notifyBy = notify.enabled ? notify.terminal : []
      const go = (daemon: DaemonClient, pane: PaneInfo) => goToPane(context, daemon, pane)
      const cockpit = new Cockpit(context, client, { wants, filter, notifyBy, go })
      onReplaced(daemon => cockpit.replaced(daemon))
      await cockpit.run(events)
    }
  } finally {
    stop.abort()
  }
}

/** Lines instead of a screen, and typed commands instead of keys. */
async function runLineCockpit(
  context: CommandContext,
  client: DaemonClient,
  wants: PaneFilter,
  {
    events,
    onReplaced,
    signal,
  }: Pick<Following, 'onReplaced'> & { events: ReturnType<typeof paneEvents>; signal: AbortSignal },
): Promise<void> {
  const [{ LiveData }, { LineCockpit }, { main }] = await Promise.all([
    import('../cockpit/live-data.js'),
    import('../cockpit/line-cockpit.js'),
    import('../main.js'),
  ])
  const data = new LiveData(client, wants, () => spoken.changed())
  const spoken: InstanceType<typeof LineCockpit> = new LineCockpit(context, data, words => main(words, context))
  onReplaced(daemon => {
    data.client = daemon
  })
  const takeAll = async () => {
    for await (const frame of events)
      if (frame.event !== 'notice' && frame.event !== 'heartbeat') data.applyEvent(frame)
  }
  await data.refreshRequests()
  await Promise.race([spoken.run(), takeAll(), data.followRequests(signal)])
}
