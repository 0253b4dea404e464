import { EXIT } from '../../errors/index.js'
import type { InMilliseconds, UsageReport } from '../../server/index.js'
import { costText, type Unpriced, unpricedText, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

type Row = InMilliseconds<UsageReport>['rows'][number]

/** What sessions and runs have cost: a line for each value, then the sum. */
export async function run(context: CommandContext, { options }: InputOf<'usage'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const by = options.by ?? 'day'
  const query = new URLSearchParams({ range: options.range ?? '30d', by })
  const report = await client.get<UsageReport>(`/usage?${query}`)
  if (options.json) {
    context.json(report)
    return EXIT.ok
  }
  const rows = report.rows.filter(({ usage }) => usage.input + usage.output > 0 || usage.costUsd !== undefined)
  if (rows.length === 0) context.out('no agent has reported any use in this time')
  const lines = [
    ...rows.map(row => cellsOf(row.key[by] ?? '', row.usage, row.unpriced)),
    cellsOf('total', report.total, report.unpriced),
  ]
  const widths = [0, 1, 2, 3, 4].map(column => Math.max(...lines.map(cells => cells[column]!.length)))
  if (rows.length > 0)
    for (const [name, ...figures] of lines)
      context.out(
        [name!.padEnd(widths[0]!), ...figures.map((text, at) => (at < 3 ? text.padStart(widths[at + 1]!) : text))]
          .join('  ')
          .trimEnd(),
      )
  const { dayUsd } = report.budget
  const without = unpricedText(report.unpriced)
  if (dayUsd !== null)
    context.note(
      `The budget of a day is $${dayUsd.toFixed(2)} (runs.day_usd).${without ? ' It counts only what has a known price.' : ''}`,
    )
  return EXIT.ok
}

function cellsOf(name: string, usage: Row['usage'], unpriced: Unpriced): string[] {
  return [
    visibleText(name),
    costText(usage),
    `${usage.input.toLocaleString('en')} in`,
    `${usage.output.toLocaleString('en')} out`,
    unpricedText(unpriced) ?? '',
  ]
}
