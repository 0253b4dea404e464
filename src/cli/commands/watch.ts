import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, PaneList, PaneStreamFrame } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { openHome } from '../home.js'
import type { CommandInput } from '../specs/command-spec.js'
import { joinTmux } from '../watch/join-tmux.js'
import { matchesFilter, plainLine, sortPanes } from '../watch/watch-rows.js'

type Wants = (pane: PaneInfo) => boolean

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  const { config } = openHome(context).loaded
  const client = await DaemonClient.connect(context)
  const onlyTmux = options.tmux === true
  const hasTmux = options.sessions === true ? false : await joinTmux(context, client, config.panes.tmux_socket)
  if (onlyTmux && !hasTmux)
    throw new SignalboxError('E_INPUT', 'there is no tmux to watch', {
      next: config.panes.sources.includes('tmux') ? 'install tmux' : 'add "tmux" to panes.sources',
    })
  const filter = typeof options.filter === 'string' ? options.filter : ''
  const wants: Wants = pane =>
    (!onlyTmux || pane.source === 'tmux') &&
    (options.sessions !== true || pane.source === 'session') &&
    (filter === '' || matchesFilter(pane, filter))
  if (options.raw === true) {
    const { watchRaw } = await import('../watch/watch-raw.js')
    await watchRaw(context, client, { wants, isJson: options.json === true, isOnce: options.once === true })
    return EXIT.ok
  }
  if (options.once === true) return printOnce(context, client, wants, options.json === true)
  const stop = new AbortController()
  const events = client.events<PaneStreamFrame>('/panes/stream', stop.signal)
  try {
    if (options.json === true) await streamJson(context, events, wants)
    else if (options.plain === true || !context.isInteractive) await streamPlain(context, events, wants)
    else {
      const [{ LiveWatch }, { goToPane }] = await Promise.all([
        import('../watch/watch-live.js'),
        import('../watch/go-to-pane.js'),
      ])
      const calls = config.notify.enabled ? config.notify.terminal : []
      await new LiveWatch(context, client, { wants, calls, go: pane => goToPane(context, client, pane) }).run(events)
    }
  } finally {
    stop.abort()
  }
  return EXIT.ok
}

/** A program that ran before anybody watched is known by having stood for a moment. */
const FIRST_SIGHT_MS = 1_500
const LOOK_AGAIN_MS = 200

/** All panes; those that were met just now are given the moment that it takes to know what they do. */
async function settledPanes(client: DaemonClient): Promise<PaneInfo[]> {
  const until = systemClock.monotonic() + FIRST_SIGHT_MS
  for (;;) {
    const { items } = await client.get<PaneList>('/panes')
    const isUnread = ({ why, since }: PaneInfo) =>
      why.authority === 'none' && systemClock.now() - since < FIRST_SIGHT_MS + LOOK_AGAIN_MS
    if (!items.some(isUnread) || systemClock.monotonic() >= until) return items
    await new Promise<void>(resolve => systemClock.setTimer(LOOK_AGAIN_MS, resolve))
  }
}

async function printOnce(
  context: CommandContext,
  client: DaemonClient,
  wants: Wants,
  isJson: boolean,
): Promise<number> {
  const items = await settledPanes(client)
  const now = systemClock.now()
  for (const pane of sortPanes(items.filter(wants))) {
    if (isJson) context.json({ type: 'pane', pane })
    else context.out(plainLine(pane, now))
  }
  return EXIT.ok
}

type Events = AsyncIterable<InMilliseconds<PaneStreamFrame>>

/** NDJSON: every pane that is there, then `{"type":"listed"}`, then every change. */
async function streamJson(context: CommandContext, events: Events, wants: Wants): Promise<void> {
  for await (const { event, data } of events) {
    if (event === 'panes') {
      for (const pane of data.items) if (wants(pane)) context.json({ type: 'pane', pane })
      context.json({ type: 'listed', panes: data.items.length })
    } else if (event === 'pane' || event === 'gone') {
      if (wants(data.pane)) context.json({ type: event, pane: data.pane })
    }
    if (event === 'notice') context.json({ type: 'notice', notice: data })
  }
}

/** A line for each change that a person would want to hear read out: the status, or what is asked. */
async function streamPlain(context: CommandContext, events: Events, wants: Wants): Promise<void> {
  const said = new Map<string, string>()
  const say = (pane: PaneInfo) => {
    const key = `${pane.status} ${pane.stuck} ${pane.needsYou ? pane.doing : ''}`
    if (said.get(pane.id) === key || !wants(pane)) return
    said.set(pane.id, key)
    context.out(plainLine(pane, systemClock.now()))
  }
  for await (const { event, data } of events) {
    if (event === 'panes') for (const pane of sortPanes(data.items)) say(pane)
    else if (event === 'pane') say(data.pane)
    else if (event === 'gone' && wants(data.pane)) {
      const { pane } = data
      said.delete(pane.id)
      context.out(
        `${new Date(systemClock.now()).toISOString().slice(11, 19)}  gone       ${pane.agent ?? pane.job ?? ''} ${pane.place}`,
      )
    } else if (event === 'notice' && data.kind !== 'over') context.note(`${data.title}: ${data.body}`)
  }
}
