import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { unpricedText } from '../../../src/text/cost-words'
import { riskWord } from '../../../src/text/status-word'
import { formatCost, formatCount, formatMoney, formatTook } from '../api/format'
import type { UsageReport } from '../api/types'
import { query, setQuery } from '../store/router'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { CostFigure } from '../ui/cost-figure'
import { type Column, DataTable } from '../ui/data-table'
import { download } from '../ui/download'
import { DownloadIcon } from '../ui/icons'
import { Empty, Panel, Problem, Skeleton } from '../ui/panel'
import { Plot, type Series } from '../ui/plot'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

type Row = UsageReport['rows'][number]
type Split = UsageReport['by'][number]

const RANGES = ['7d', '30d', '90d', 'all'] as const
const SPLITS = ['agent', 'model', 'project', 'pipeline', 'version', 'node'] as const
const RANGE_WORDS: Readonly<Record<string, string>> = { '7d': '7 days', '30d': '30 days', '90d': '90 days', all: 'All' }
const wordOf = (split: Split) => (split === 'version' ? 'pipeline version' : split)
const titleOf = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

export function UsagePage() {
  const range = query.value.get('range') ?? '30d'
  const by = SPLITS.find(split => split === query.value.get('by')) ?? 'agent'
  const days = useLoad(`${range}/day/${by}`, signal =>
    getJson<UsageReport>(`/usage?range=${range}&by=day&by=${by}`, { signal }),
  )
  const split = useLoad(`${range}/${by}`, signal => getJson<UsageReport>(`/usage?range=${range}&by=${by}`, { signal }))
  const csv = () =>
    attempt(async () => {
      const response = await request(`/usage.csv?range=${range}&by=day&by=${by}`)
      download('usage.csv', await response.text(), 'text/csv')
    })
  return (
    <div class="page">
      <div class="page-head">
        <h1>Usage</h1>
        <div class="actions">
          <Segments
            label="Range"
            value={range}
            choices={RANGES.map(value => ({ value, label: RANGE_WORDS[value]! }))}
            onChange={value => setQuery({ range: value })}
          />
          <select
            class="input"
            style={{ width: 'auto', minWidth: 'max-content' }}
            aria-label="Split by"
            value={by}
            onChange={event => setQuery({ by: event.currentTarget.value })}
          >
            {SPLITS.map(name => (
              <option key={name} value={name}>
                By {wordOf(name)}
              </option>
            ))}
          </select>
          <button type="button" class="btn" onClick={() => void csv()}>
            <DownloadIcon /> <span class="wide-only">CSV</span>
          </button>
        </div>
      </div>
      {!days.value || !split.value ? (
        days.error ? (
          <Problem error={days.error} retry={days.reload} />
        ) : (
          <Skeleton lines={4} />
        )
      ) : (
        <div class="stack wide">
          <div class="stats usage-stats panel">
            <Stat
              value={<CostFigure cost={days.value.total} />}
              label={['spent', unpricedText(days.value.unpriced)].filter(Boolean).join('; ')}
            />
            <Stat value={formatCount(days.value.total.input)} label="tokens in" />
            <Stat value={formatCount(days.value.total.output)} label="tokens out" />
            <Stat value={rate(split.value.rows)} label="of runs passed" />
            <Stat value={span(days.value.decisions.toDecision.medianMs)} label="median time to decide" />
            <Stat value={span(days.value.decisions.toDecision.p95Ms)} label="95% decided within" />
          </div>
          <Charts rows={days.value.rows} by={by} range={range} dayUsd={days.value.budget.dayUsd} />
          <SplitTable rows={split.value.rows} by={by} />
          <Decisions report={days.value} />
          <Recoveries items={days.value.recoveries} />
        </div>
      )}
    </div>
  )
}

function Stat({ value, label }: { value: ComponentChildren; label: string }) {
  return (
    <div class="stat">
      <b>{value}</b>
      <span>{label}</span>
    </div>
  )
}

function rate(rows: readonly Row[]): string {
  const passed = rows.reduce((sum, row) => sum + row.passed, 0)
  const ended = passed + rows.reduce((sum, row) => sum + row.failed, 0)
  return ended === 0 ? '–' : `${Math.round((passed / ended) * 100)}%`
}

function span(ms: number | null): string {
  return ms === null ? '–' : formatTook(ms)
}

function Charts({
  rows,
  by,
  range,
  dayUsd,
}: {
  rows: readonly Row[]
  by: Split
  range: string
  dayUsd: number | null
}) {
  const { days, names } = useMemo(
    () => ({
      days: everyDay(
        rows.map(({ key }) => key.day ?? ''),
        range,
      ),
      names: [...new Set(rows.map(({ key }) => key[by] ?? ''))].sort(),
    }),
    [rows, by, range],
  )
  const series = (value: (row: Row) => number): Series[] =>
    names
      .map(name => ({
        name: nameOf(name, by, rows),
        values: days.map(day =>
          rows
            .filter(({ key }) => key.day === day && (key[by] ?? '') === name)
            .reduce((sum, row) => sum + value(row), 0),
        ),
      }))
      // A name without a bar explains nothing.
      .filter(({ values }, _, all) => all.length === 1 || values.some(sum => sum > 0))
  if (days.length === 0)
    return (
      <Empty title="No usage in this period">
        <p class="small">
          Sessions and runs report what their agents use, by day, agent, model, project, pipeline and node.
        </p>
      </Empty>
    )
  return (
    <div class="two">
      <Panel title="Cost per day" note={`by ${wordOf(by)}`}>
        <Plot
          label="Cost per day"
          days={days}
          series={series(({ usage }) => usage.costUsd ?? 0)}
          format={formatMoney}
          limit={dayUsd === null ? null : { name: 'Daily budget', value: dayUsd }}
        />
      </Panel>
      <Panel title="Tokens per day" note={`by ${wordOf(by)}`}>
        <Plot
          label="Tokens per day"
          days={days}
          series={series(({ usage }) => usage.input + usage.output)}
          format={formatCount}
        />
      </Panel>
    </div>
  )
}

/** What has no name in a split; a model has one only if its agent reports it. */
const NAMELESS: Readonly<Record<Split, string>> = {
  day: 'Unknown day',
  agent: 'Commands and gates',
  model: 'Model not reported',
  project: 'Without a project',
  pipeline: 'Without a pipeline',
  version: 'Without a pipeline',
  node: 'Sessions',
}

/** Whoever used tokens is an agent, also if its name was not reported. */
function nameOf(name: string | undefined, by: Split, rows: readonly Row[]): string {
  if (name && name !== '–') return name
  const isAgent = rows.some(({ key, usage }) => (key[by] ?? '') === (name ?? '') && usage.input + usage.output > 0)
  return by === 'agent' && isAgent ? 'Agent not reported' : NAMELESS[by]
}

/** Zero tokens are not a measurement: no agent works with none. */
function tokens(count: number, { input, output }: Row['usage']): string {
  return input + output === 0 ? '–' : formatCount(count)
}

const DAY_MS = 86_400_000
const DAYS_MIN = 7

/** All days of the range; of everything, from the first to the last, at least a week. */
function everyDay(found: readonly string[], range: string): string[] {
  const times = found.filter(day => day !== '').map(day => Date.parse(`${day}T00:00:00Z`))
  if (times.length === 0) return []
  const last = Math.max(...times)
  const wanted = Number.parseInt(range, 10) || DAYS_MIN
  const first = Math.min(...times, last - (wanted - 1) * DAY_MS)
  const count = Math.round((last - first) / DAY_MS) + 1
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10))
}

function SplitTable({ rows, by }: { rows: readonly Row[]; by: Split }) {
  const columns: Column<Row>[] = [
    {
      name: titleOf(wordOf(by)),
      isMain: true,
      cell: ({ key }) => <b>{nameOf(key[by], by, rows)}</b>,
      sort: ({ key }) => key[by] ?? '',
    },
    { name: 'Runs', isRight: true, cell: ({ runs }) => runs, sort: ({ runs }) => runs },
    {
      name: 'Passed',
      isRight: true,
      cell: ({ passed, failed }) =>
        passed + failed === 0 ? '–' : `${Math.round((passed / (passed + failed)) * 100)}%`,
      sort: ({ passed }) => passed,
    },
    { name: 'Steps', isRight: true, cell: ({ steps }) => steps, sort: ({ steps }) => steps },
    { name: 'In', isRight: true, cell: ({ usage }) => tokens(usage.input, usage), sort: ({ usage }) => usage.input },
    { name: 'Out', isRight: true, cell: ({ usage }) => tokens(usage.output, usage), sort: ({ usage }) => usage.output },
    {
      name: 'Cost',
      isRight: true,
      cell: ({ usage, unpriced }) => <span title={unpricedText(unpriced) ?? undefined}>{formatCost(usage)}</span>,
      sort: ({ usage }) => usage.costUsd ?? 0,
    },
    {
      name: 'Cost per run',
      isRight: true,
      cell: ({ runCostUsd, runs }) => formatMoney(runCostUsd === null || runs === 0 ? undefined : runCostUsd / runs),
    },
    {
      name: 'Median step',
      isRight: true,
      cell: ({ medianMs }) => formatTook(medianMs),
      sort: ({ medianMs }) => medianMs,
    },
    { name: '95% of steps', isRight: true, cell: ({ p95Ms }) => formatTook(p95Ms), sort: ({ p95Ms }) => p95Ms },
  ]
  if (rows.length === 0) return null
  return (
    <section aria-label={`By ${wordOf(by)}`}>
      <h2 style={{ marginBottom: '10px' }}>By {wordOf(by)}</h2>
      <DataTable label={`Usage by ${wordOf(by)}`} items={rows} columns={columns} keyOf={({ key }) => key[by] ?? ''} />
    </section>
  )
}

function Decisions({ report: { decisions } }: { report: UsageReport }) {
  const tallies = [
    ...decisions.byRisk.map(tally => ({ ...tally, name: riskWord(tally.name), of: 'Risk' })),
    ...decisions.byTool.map(tally => ({ ...tally, of: 'Tool' })),
    ...decisions.byPerson.map(tally => ({ ...tally, of: 'Person' })),
  ]
  if (tallies.length === 0) return null
  return (
    <section aria-label="Decisions">
      <h2 style={{ marginBottom: '10px' }}>Decisions</h2>
      <DataTable
        label="Decisions"
        items={tallies}
        keyOf={({ of, name }) => `${of}/${name}`}
        columns={[
          { name: 'By', cell: ({ of }) => of, sort: ({ of }) => of },
          { name: 'Name', isMain: true, cell: ({ name }) => <b>{name}</b>, sort: ({ name }) => name },
          { name: 'Requests', isRight: true, cell: ({ requests }) => requests, sort: ({ requests }) => requests },
          { name: 'Allowed', isRight: true, cell: ({ allowed }) => allowed, sort: ({ allowed }) => allowed },
          { name: 'Denied', isRight: true, cell: ({ denied }) => denied, sort: ({ denied }) => denied },
          { name: 'Median time', isRight: true, cell: ({ toDecision }) => span(toDecision.medianMs) },
          { name: '95% within', isRight: true, cell: ({ toDecision }) => span(toDecision.p95Ms) },
        ]}
      />
    </section>
  )
}

const VERDICTS: Readonly<Record<string, string>> = {
  success: 'The step had finished; its result was used.',
  partial: 'The step had done a part; it continued from there.',
  nothing: 'The step had done nothing; it was repeated.',
}

/** Steps that died or were interrupted, by the verdict of their recovery. */
function Recoveries({ items }: { items: UsageReport['recoveries'] }) {
  if (items.length === 0) return null
  return (
    <section aria-label="Recoveries">
      <h2 style={{ marginBottom: '10px' }}>Recoveries</h2>
      <DataTable
        label="Recoveries"
        items={items}
        keyOf={({ verdict }) => verdict}
        columns={[
          { name: 'Verdict', isMain: true, cell: ({ verdict }) => <b>{verdict}</b>, sort: ({ verdict }) => verdict },
          { name: 'Meaning', cell: ({ verdict }) => VERDICTS[verdict] ?? '–' },
          { name: 'Steps', isRight: true, cell: ({ count }) => count, sort: ({ count }) => count },
        ]}
      />
    </section>
  )
}
