import { EXIT } from '../../errors/index.js'
import type { InMilliseconds, UsageReport } from '../../server/index.js'
import { visibleText } from '../../text/index.js'
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
  const lines = [...rows.map(row => cellsOf(row.key[by] ?? '', row.usage)), cellsOf('total', report.total)]
  const widths = [0, 1, 2, 3].map(column => Math.max(...lines.map(cells => cells[column]!.length)))
  if (rows.length > 0)
    for (const [name, ...figures] of lines)
      context.out(
        [name!.padEnd(widths[0]!), ...figures.map((text, at) => text.padStart(widths[at + 1]!))].join('  ').trimEnd(),
      )
  const { dayUsd } = report.budget
  if (dayUsd !== null) context.note(`The budget of a day is $${dayUsd.toFixed(2)} (runs.day_usd).`)
  return EXIT.ok
}

function cellsOf(name: string, { input, output, costUsd }: Row['usage']): string[] {
  return [
    visibleText(name),
    costUsd === undefined ? 'cost unknown' : `$${costUsd.toFixed(2)}`,
    `${input.toLocaleString('en')} in`,
    `${output.toLocaleString('en')} out`,
  ]
}
