import { delay, systemClock } from '../../clock/index.js'
import type { PaneNotification } from '../../notifications/index.js'
import type { PaneList } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { clean, plainLine, projectOf, sortPanes } from './watch-rows.js'

/* The output of `watch` as lines: for pipes, programs and screen readers. */

export type PaneFilter = (pane: PaneInfo) => boolean

/** How long a pane may take to get its first status. */
const FIRST_STATUS_MS = 1_500
const POLL_MS = 200

/** All panes; waits a moment for the status of new ones. */
async function settledPanes(client: DaemonClient): Promise<PaneInfo[]> {
  const until = systemClock.monotonic() + FIRST_STATUS_MS
  for (;;) {
    const { items } = await client.get<PaneList>('/panes')
    const isUnclassified = ({ why, since }: PaneInfo) =>
      why.authority === 'none' && systemClock.now() - since < FIRST_STATUS_MS + POLL_MS
    if (!items.some(isUnclassified) || systemClock.monotonic() >= until) return items
    await delay(systemClock, POLL_MS)
  }
}

/** Prints the current panes. */
export async function printOnce(
  context: CommandContext,
  client: DaemonClient,
  wants: PaneFilter,
  isJson: boolean,
): Promise<void> {
  const panes = await settledPanes(client)
  const now = systemClock.now()
  for (const pane of sortPanes(panes.filter(wants))) {
    if (isJson) context.json({ type: 'pane', pane })
    else context.out(plainLine(pane, now))
  }
}

type Events = AsyncIterable<{ event: string; data: unknown }>

/** NDJSON: every pane, then `{"type":"listed"}`, then every change. */
export async function streamJson(context: CommandContext, events: Events, wants: PaneFilter): Promise<void> {
  for await (const { event, data } of events) {
    const { items, pane } = data as { items?: PaneInfo[]; pane?: PaneInfo }
    if (event === 'panes') {
      for (const item of items ?? []) if (wants(item)) context.json({ type: 'pane', pane: item })
      context.json({ type: 'listed', panes: items?.length ?? 0 })
    } else if ((event === 'pane' || event === 'gone') && pane && wants(pane)) context.json({ type: event, pane })
    else if (event === 'notice') context.json({ type: 'notice', notice: data })
  }
}

/** A line for each change of a status or a question. */
export async function streamPlain(context: CommandContext, events: Events, wants: PaneFilter): Promise<void> {
  const printed = new Map<string, string>()
  const print = (pane: PaneInfo) => {
    const key = `${pane.status} ${pane.stuck} ${pane.needsYou ? pane.doing : ''}`
    if (printed.get(pane.id) === key || !wants(pane)) return
    printed.set(pane.id, key)
    context.out(plainLine(pane, systemClock.now()))
  }
  for await (const { event, data } of events) {
    const { items, pane } = data as { items?: PaneInfo[]; pane?: PaneInfo }
    if (event === 'panes') for (const item of sortPanes(items ?? [])) print(item)
    else if (event === 'pane' && pane) print(pane)
    else if (event === 'gone' && pane && wants(pane)) {
      printed.delete(pane.id)
      context.out(
        `${new Date(systemClock.now()).toISOString().slice(11, 19)}  gone       ${pane.agent ?? pane.job ?? ''} ${pane.place}`,
      )
    } else if (event === 'notice') {
      const { kind, title, body } = data as PaneNotification
      if (kind !== 'over') context.note(`${title}: ${body}`)
    }
  }
}

/** A pane without its status: where it is, and what runs in it. */
function rawPane({ id, source, place, name, agent, job, command, cwd, title, isFocused }: PaneInfo) {
  return { id, source, place, name, agent, job, command, cwd, title, isFocused }
}

function rawLine(pane: PaneInfo): string {
  const what = clean(pane.command || pane.job || '–')
  return [pane.place.padEnd(12), (pane.agent ?? pane.job ?? '–').padEnd(10), projectOf(pane), what, clean(pane.title)]
    .filter(part => part !== '')
    .join('  ')
}

/** Prints panes without their status, as they appear and disappear. */
export async function watchRaw(
  context: CommandContext,
  client: DaemonClient,
  {
    wants,
    isJson,
    isOnce,
    open,
  }: { wants: PaneFilter; isJson: boolean; isOnce: boolean; open(signal: AbortSignal): Events },
): Promise<void> {
  const printed = new Map<string, string>()
  const print = (pane: PaneInfo) => {
    const line = isJson ? JSON.stringify(rawPane(pane)) : rawLine(pane)
    if (!wants(pane) || printed.get(pane.id) === line) return
    printed.set(pane.id, line)
    if (isJson) context.json({ type: 'pane', pane: rawPane(pane) })
    else context.out(line)
  }
  if (isOnce) {
    const { items } = await client.get<PaneList>('/panes')
    for (const pane of byPosition(items)) print(pane)
    return
  }
  const stop = new AbortController()
  try {
    for await (const { event, data } of open(stop.signal)) {
      const { items, pane } = data as { items?: PaneInfo[]; pane?: PaneInfo }
      if (event === 'panes') for (const item of byPosition(items ?? [])) print(item)
      else if (event === 'pane' && pane) print(pane)
      else if (event === 'gone' && pane && printed.delete(pane.id)) {
        if (isJson) context.json({ type: 'gone', pane: rawPane(pane) })
        else context.out(`${pane.place.padEnd(12)}  gone`)
      }
    }
  } finally {
    stop.abort()
  }
}

const collator = new Intl.Collator('en', { numeric: true })

function byPosition(panes: readonly PaneInfo[]): PaneInfo[] {
  return [...panes].sort((a, b) => collator.compare(a.place, b.place))
}
