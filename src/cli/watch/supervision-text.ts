import type { InMilliseconds, Supervision } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { clean, statusWord, toWidth, whyText } from './watch-rows.js'

type Shown = InMilliseconds<Supervision>

/** One JSON value a line: the pane, its reports of the last hour, the last events of its status. */
export function supervisionLines({ pane, reports, status }: Shown): object[] {
  return [
    { type: 'pane', ...pane },
    ...reports.map(({ at, lastAt, count, source, says, ref, effect }) => ({
      type: 'report',
      at,
      lastAt,
      count,
      source,
      says,
      ref,
      effect,
    })),
    ...status.map(({ at, event, source, from, to, reason }) => ({
      type: 'status',
      at,
      event,
      source,
      from,
      to,
      reason,
    })),
  ]
}

/** The same for people, oldest first: the end of the list is now. */
export function supervisionText({ pane, reports, status }: Shown, context: CommandContext): string[] {
  const dim = (text: string) => context.style('dim', text)
  const time = (at: number) => new Date(at).toISOString().slice(11, 19)
  const looks = { off: 'switched off', null: 'may speak' } as Readonly<Record<string, string>>
  const gate = looks[String(pane.gate)] ?? `silent: ${pane.gate}`
  return [
    `${context.style('bold', pane.place)}  ${pane.agent ?? pane.job ?? '–'}  ${statusWord(pane)}  ${dim(clean(whyText(pane)))}`,
    `${dim('in')} ${clean(pane.cwd)}   ${dim('heuristics')} ${gate}   ${dim('flicker')} ${pane.flicker}   ${dim('generation')} ${pane.generation}`,
    '',
    context.style('bold', 'Reports of the last hour'),
    ...(reports.length === 0 ? ['  none yet'] : []),
    ...reports.map(
      ({ at, source, says, effect, ref, count }) =>
        `  ${time(at)}  ${source.padEnd(10)} ${toWidth(clean(says), 24)} ${effect.includes('→') ? context.style('green', toWidth(effect, 30)) : toWidth(effect, 30)} ${dim(clean(ref) + (count > 1 ? ` ×${count}` : ''))}`,
    ),
    '',
    context.style('bold', 'Last events of its status'),
    ...status.map(
      ({ at, event, source, from, to, reason }) =>
        `  ${time(at)}  ${event.padEnd(18)} ${String(source).padEnd(10)} ${from === to ? from : `${from} → ${to}`}  ${reason === 'applied' ? '' : context.style('yellow', reason)}`,
    ),
    '',
  ]
}
