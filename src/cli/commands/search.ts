import { resolve } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, SearchResult, SearchResults } from '../../server/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { printPaged } from '../pager.js'
import { parseCount, parseMoment } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'search'>): Promise<number> {
  const words = args.words.join(' ')
  const query = new URLSearchParams({ q: words, limit: String(parseCount('--limit', options.limit) ?? 20) })
  for (const kind of options.kind ?? []) query.append('kind', kind)
  const client = await DaemonClient.connect(context)
  if (options.session !== undefined) {
    const { id } = await client.get<{ id: string }>(`/sessions/${encodeURIComponent(options.session)}`)
    query.set('session', id)
  }
  if (options.project !== undefined) query.set('project', resolve(context.cwd, options.project))
  if (options.since !== undefined) query.set('since', String(parseMoment('--since', options.since, systemClock.now())))
  const { items } = await client.get<SearchResults>(`/search?${query}`)
  if (options.json) for (const item of items) context.json(item)
  else if (items.length === 0) throw new SignalboxError('E_UNKNOWN', `nothing was found for "${words}"`)
  else
    await printPaged(
      context,
      items.flatMap(item => linesOf(item, context)),
    )
  return EXIT.ok
}

/** Each match, and the command that shows all of it. */
function linesOf(item: InMilliseconds<SearchResult>, { style }: CommandContext): string[] {
  const { kind, session, run, approval, at, title, project, excerpt } = item
  const show = approval
    ? `signalbox approvals ${approval}`
    : run
      ? `signalbox show ${run}`
      : `signalbox read ${session}`
  const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  return [
    `${style('bold', kind.padEnd(8))} ${when}  ${visibleText(title || (project ?? ''))}  ${style('dim', show)}`,
    `  ${visibleText(excerpt)}`,
  ]
}
