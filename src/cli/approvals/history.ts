import { reportRows } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { ApprovalReport, InMilliseconds } from '../../server/index.js'
import { formatDuration, plural, riskWord, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseMoment } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'

/** `approvals --history`: requests, who decided what and how fast, refusals, and used grants. */
export async function approvalHistory(
  context: CommandContext,
  options: InputOf<'approvals'>['options'],
): Promise<number> {
  if (options.json && options.csv)
    throw new SignalboxError('E_INPUT', '--json and --csv exclude each other', { next: 'use one of them' })
  const { since, run, person } = options
  const query = new URLSearchParams()
  if (since !== undefined) query.set('from', String(parseMoment('--since', since, systemClock.now())))
  if (run !== undefined) query.set('run', run)
  if (person !== undefined) query.set('person', person)
  const client = await DaemonClient.connect(context)
  const report = await client.get<ApprovalReport>(`/approvals/report?${query}`)
  if (options.json) context.json(report)
  else if (options.csv) for (const row of reportRows(report)) context.out(row)
  else for (const line of reportLines(report, context)) context.out(line)
  return EXIT.ok
}

function reportLines(report: InMilliseconds<ApprovalReport>, context: CommandContext): string[] {
  const { style } = context
  if (report.requests === 0) return ['no requests']
  const states = Object.entries(report.states).map(([state, count]) => `${count} ${state}`)
  const line = (text: string) => visibleText(text, { newlines: 'blank' })
  return [
    ...report.items.map(item => {
      const who =
        item.by === null
          ? ''
          : `: ${line(item.decided ?? item.option ?? 'answered')} by ${line(item.by)} (${item.surface})`
      const after = item.decisionMs === null ? '' : ` after ${formatDuration(item.decisionMs)}`
      const why = item.reason === null ? '' : ` (${line(item.reason)})`
      const note = item.note === null ? '' : style('dim', `  “${line(item.note)}”`)
      return `${new Date(item.requestedAt).toISOString().slice(0, 19)}  ${item.id}  ${riskWord(item.risk).padEnd(6)}  ${item.state}${why}  ${line(item.title)}${who}${after}${note}`
    }),
    '',
    style('bold', `${plural(report.requests, 'request')}: ${states.join(', ')}`),
    `to decide    ${timesLine(report.toDecision)}`,
    `to apply     ${timesLine(report.toApplied)}`,
    ...tallyLines('by person', report.byPerson),
    ...tallyLines('by surface', report.bySurface),
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
