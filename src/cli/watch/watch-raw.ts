import type { PaneList, PaneStreamFrame } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { clean, projectOf } from './watch-rows.js'

/** A pane without a word about what it is doing: where it is, and what runs in it. */
export function rawPane({ id, source, place, name, agent, job, command, cwd, title, isFocused }: PaneInfo) {
  return { id, source, place, name, agent, job, command, cwd, title, isFocused }
}

export function rawLine(pane: PaneInfo): string {
  const what = clean(pane.command || pane.job || '–')
  return [pane.place.padEnd(12), (pane.agent ?? pane.job ?? '–').padEnd(10), projectOf(pane), what, clean(pane.title)]
    .filter(part => part !== '')
    .join('  ')
}

/** The panes and their coming and going, with no status at all. */
export async function watchRaw(
  context: CommandContext,
  client: DaemonClient,
  options: { wants(pane: PaneInfo): boolean; isJson: boolean; isOnce: boolean },
): Promise<void> {
  const said = new Map<string, string>()
  const say = (pane: PaneInfo) => {
    const line = options.isJson ? JSON.stringify(rawPane(pane)) : rawLine(pane)
    if (!options.wants(pane) || said.get(pane.id) === line) return
    said.set(pane.id, line)
    if (options.isJson) context.json({ type: 'pane', pane: rawPane(pane) })
    else context.out(line)
  }
  if (options.isOnce) {
    const { items } = await client.get<PaneList>('/panes')
    for (const pane of byPlace(items)) say(pane)
    return
  }
  const stop = new AbortController()
  try {
    for await (const { event, data } of client.events<PaneStreamFrame>('/panes/stream', stop.signal)) {
      if (event === 'panes') for (const pane of byPlace(data.items)) say(pane)
      else if (event === 'pane') say(data.pane)
      else if (event === 'gone' && said.delete(data.pane.id)) {
        if (options.isJson) context.json({ type: 'gone', pane: rawPane(data.pane) })
        else context.out(`${data.pane.place.padEnd(12)}  gone`)
      }
    }
  } finally {
    stop.abort()
  }
}

const collator = new Intl.Collator('en', { numeric: true })

function byPlace(panes: readonly PaneInfo[]): PaneInfo[] {
  return [...panes].sort((a, b) => collator.compare(a.place, b.place))
}
