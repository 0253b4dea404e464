import { reportRows } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { ApprovalReport, InMilliseconds, Run, Session } from '../../server/index.js'
import {
  formatDuration,
  plural,
  type RequestState,
  requestWord,
  riskWord,
  surfaceWord,
  visibleText,
} from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseCount, parseMoment } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

/** `approvals --history`: requests, who decided what and how fast, refusals, and used grants. */
export async function approvalHistory(
  context: CommandContext,
  options: InputOf<'approvals'>['options'],
): Promise<number> {
  if (options.json && options.csv)
    throw new SignalboxError('E_INPUT', '--json and --csv exclude each other', { next: 'use one of them' })
  const { since, session, run, project, person, decision, search } = options
  const limit = parseCount('--limit', options.limit)
  const query = new URLSearchParams()
  if (since !== undefined) query.set('from', String(parseMoment('--since', since, systemClock.now())))
  const client = await DaemonClient.connect(context)
  const wanted = {
    session: session && (await fullId<Session>(client, '/sessions', session)),
    run: run && (await fullId<Run>(client, '/runs', run)),
    ...{ project, person, decision, q: search },
  }
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) query.set(name, value)
  const report = await client.get<ApprovalReport>(`/approvals/report?${query}`)
  // The figures are those of all that match; a list can be cut to the newest.
  if (limit !== undefined) report.items = report.items.slice(-limit)
  if (options.json) context.json(report)
  else if (options.csv) for (const row of reportRows(report)) context.out(row)
  else for (const line of reportLines(report, context)) context.out(line)
  return EXIT.ok
}

/** The history also has requests of sessions and runs that were removed. */
async function fullId<T extends { id: string }>(client: DaemonClient, path: string, word: string): Promise<string> {
  const found = client.get<T>(`${path}/${encodeURIComponent(word)}`)
  return found.then(
    ({ id }) => id as string,
    error => {
      if (error instanceof SignalboxError && error.code === 'E_UNKNOWN') return word
      throw error
    },
  )
}

function reportLines(report: InMilliseconds<ApprovalReport>, context: CommandContext): string[] {
  const { style } = context
  if (report.requests === 0) return ['no requests']
  const states = Object.entries(report.states).map(([state, count]) =>
    state === 'pending'
      ? `${count} ${count === 1 ? 'needs' : 'need'} you`
      : `${count} ${requestWord(state as RequestState)}`,
  )
  const line = (text: string) => visibleText(text, { newlines: 'blank' })
  return [
    ...report.items.map(item => {
      const head = `${new Date(item.requestedAt).toISOString().slice(0, 19)}  ${item.id}  ${riskWord(item.risk).padEnd(6)}  ${requestWord(item.result)}`
      const asked = [item.title, item.what].filter(text => text !== null).map(text => line(text))
      const decided = item.decided ?? item.option
      const by = item.by === null ? '' : `by ${line(item.by)} (${surfaceWord(item.surface ?? '')})`
      const after = item.waitedMs === null ? '' : `after ${formatDuration(item.waitedMs)}`
      const end = [decided === null ? '' : line(decided), by, after].filter(Boolean).join(' ')
      const why = item.why === null ? '' : ` (${item.why})`
      const note = item.note === null ? '' : style('dim', `  “${line(item.note)}”`)
      return `${head}  ${asked.join(' · ')}${end === '' ? '' : `: ${end}`}${why}${note}`
    }),
    '',
    style('bold', `${plural(report.requests, 'request')}: ${states.join(', ')}`),
    `to decide    ${timesLine(report.toDecision)}`,
    `to apply     ${timesLine(report.toApplied)}`,
    ...tallyLines('by person', report.byPerson),
    ...tallyLines(
      'by surface',
      report.bySurface.map(tally => ({ ...tally, name: surfaceWord(tally.name) })),
    ),
    ...tallyLines('by tool', report.byTool),
    ...tallyLines(
      'by risk',
      report.byRisk.map(tally => ({ ...tally, name: riskWord(tally.name) })),
    ),
    ...report.refused.map(
      ({ id, by, surface, reason }) => `refused      ${id}  ${line(by)} (${surface})  ${line(reason)}`,
    ),
    ...report.grants.map(
      ({ id, by, usedBy, maxUses, ended }) =>
        `standing     ${id}  by ${line(by.name)}, used ${usedBy.length} of ${maxUses}${ended ? `, ended (${ended.reason})` : ''}`,
    ),
  ]
}

function timesLine({ count, medianMs, p95Ms }: ApprovalReport['toDecision']): string {
  if (medianMs === null || p95Ms === null) return 'none'
  return `median ${formatDuration(medianMs)}, p95 ${formatDuration(p95Ms)} (${count})`
}

function tallyLines(title: string, tallies: ApprovalReport['byPerson']): string[] {
  return tallies.map(
    ({ name, requests, allowed, denied }) =>
      `${title.padEnd(12)} ${visibleText(name, { newlines: 'blank' })}: ${requests}, ${allowed} allowed, ${denied} denied`,
  )
}
