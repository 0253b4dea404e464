import type { Explanation as ApiExplanation, InMilliseconds, ScreenExplanation } from '../../server/index.js'
import { seconds } from '../../sessions/replay/index.js'
import { truncate, visibleText } from '../../text/index.js'
import { toWidth } from '../cells.js'
import type { CommandContext } from '../context.js'
import { clean, statusWord, whyText } from '../watch/watch-rows.js'
import { momentLine } from './moment-text.js'

type Supervision = NonNullable<InMilliseconds<ApiExplanation>['supervision']>
type Shown = Pick<InMilliseconds<ScreenExplanation>, 'reading' | 'evidence' | 'frame' | 'history'>

export function explanationLines({ reading, evidence, frame, history }: Shown): object[] {
  const { sinceS: since, age, ...fields } = reading
  return [
    { type: 'reading', ...fields, since, age },
    ...evidence.map(({ authority, says, t, age, expires, verdict, rule }) => ({
      type: 'evidence',
      authority,
      says: says.is,
      t: seconds(t),
      age: seconds(age),
      expires: expires === null ? null : seconds(expires),
      verdict,
      rule,
    })),
    ...frame.regions.map(region => ({ type: 'region', ...region })),
    ...frame.rules.map(rule => ({ type: 'rule', ...rule })),
    ...frame.menus.map(({ live, proofs, failed, menu }) => ({ type: 'menu', live, proofs, failed, ...menu })),
    ...history.map(fields => ({ type: 'history', ...fields })),
  ]
}

const MARKS = { won: '●', agrees: '○', contradicts: '✗', expired: '·' } as const

/** The explanation as lines for a person. */
export function explanationText(explanation: Shown, context: CommandContext): string[] {
  const { reading, evidence, frame, history } = explanation
  const dim = (text: string) => context.style('dim', text)
  const short = (text: string) =>
    truncate(visibleText(text.replaceAll('\n', ' ⏎ ')), Math.max(30, context.columns - 44))
  return [
    momentLine(reading, context),
    `${dim('phase')} ${reading.phase}   ${dim('status')} ${reading.status}   ${dim('claim')} ${reading.claim ?? 'none'}   ${dim('for')} ${reading.age.toFixed(1)} s`,
    '',
    context.style('bold', 'Evidence, highest first'),
    ...(evidence.length === 0
      ? ['  none yet']
      : evidence.map(
          ({ authority, says, rule, age, verdict }) =>
            `  ${MARKS[verdict]} ${authority.padEnd(10)} ${says.is.padEnd(8)} ${verdict.padEnd(11)} ${age.toFixed(1).padStart(7)} s ago  ${dim(rule)}`,
        )),
    '',
    context.style('bold', 'Regions'),
    ...frame.regions.map(
      ({ name, rows, text }) => `  ${name.padEnd(12)} ${`${rows[0]}–${rows[1]}`.padEnd(8)} ${dim(short(text.trim()))}`,
    ),
    ...(frame.menus.length === 0 ? [] : ['', context.style('bold', 'Menus')]),
    ...frame.menus.flatMap(({ live, proofs, failed, menu }) => [
      `  ${live ? context.style('green', 'live') : context.style('yellow', 'not live')}  ${menu.kind}  ${short(menu.question)}`,
      `    ${dim(live ? `proofs: ${proofs.join(' ')}` : `failed: ${failed ?? ''}; proofs: ${proofs.join(' ') || 'none'}`)}`,
      ...menu.options.map(option => `    ${option.selected ? '❯' : ' '} ${short(option.label)} ${dim(option.meaning)}`),
    ]),
    '',
    context.style('bold', 'Rules, in the order of evaluation'),
    ...frame.rules.map(
      ({ id, view, region, matched, why, text }) =>
        `  ${matched ? context.style('green', '✓') : dim('✗')} ${id.padEnd(24)} ${view.padEnd(18)} ${region.padEnd(11)} ${matched ? short(text?.trim() ?? '') : dim(why)}`,
    ),
    ...(history.length === 0 ? [] : ['', context.style('bold', 'Last changes')]),
    ...history.map(fields => momentLine(fields, context)),
  ]
}

/** The supervision of a pane as JSON lines: the pane, reports of the last hour, status events. */
export function supervisionLines({ pane, reports, status }: Supervision): object[] {
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

/** The supervision of a pane as lines for a person, oldest first. */
export function supervisionText({ pane, reports, status }: Supervision, context: CommandContext): string[] {
  const dim = (text: string) => context.style('dim', text)
  const time = (at: number) => new Date(at).toISOString().slice(11, 19)
  const words = { off: 'switched off', null: 'on' } as Readonly<Record<string, string>>
  const heuristics = words[String(pane.heuristicsOff)] ?? `held back: ${pane.heuristicsOff}`
  return [
    `${context.style('bold', pane.place)}  ${pane.agent ?? pane.job ?? '–'}  ${statusWord(pane)}  ${dim(clean(whyText(pane)))}`,
    `${dim('in')} ${clean(pane.cwd)}   ${dim('heuristics')} ${heuristics}   ${dim('flicker')} ${pane.flicker}   ${dim('generation')} ${pane.generation}`,
    '',
    context.style('bold', 'Reports of the last hour'),
    ...(reports.length === 0 ? ['  none yet'] : []),
    ...reports.map(
      ({ at, source, says, effect, ref, count }) =>
        `  ${time(at)}  ${source.padEnd(10)} ${toWidth(clean(says), 24)} ${effect.includes('→') ? context.style('green', toWidth(effect, 30)) : toWidth(effect, 30)} ${dim(clean(ref) + (count > 1 ? ` ×${count}` : ''))}`,
    ),
    '',
    context.style('bold', 'Last status events'),
    ...status.map(
      ({ at, event, source, from, to, reason }) =>
        `  ${time(at)}  ${event.padEnd(18)} ${String(source).padEnd(10)} ${from === to ? from : `${from} → ${to}`}  ${reason === 'applied' ? '' : context.style('yellow', reason)}`,
    ),
    '',
  ]
}
