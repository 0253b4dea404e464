import { useMemo } from 'preact/hooks'
import { formatCount, formatMoney, formatSpan } from '../api/format'
import type { Time, Usage } from '../api/types'
import { query, setQuery } from '../store/router'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { type Column, DataTable } from '../ui/data-table'
import { download } from '../ui/download'
import { DownloadIcon } from '../ui/icons'
import { Empty, Panel, Problem, Skeleton } from '../ui/panel'
import { Plot, type Series } from '../ui/plot'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

interface Row {
  key: Record<string, string>
  usage: Usage
  steps: number
  runs: number
  passed: number
  failed: number
  medianMs: number
  p95Ms: number
}

interface Times {
  count: number
  medianMs: number | null
  p95Ms: number | null
}

interface Tally {
  name: string
  requests: number
  allowed: number
  denied: number
  toDecision: Times
}

interface Body {
  from: Time
  to: Time
  rows: Row[]
  total: Usage
  budget?: { dayUsd: number | null }
  recoveries?: { verdict: string; count: number }[]
  decisions?: {
    toDecision?: Times
    toApplied?: Times
    states?: Record<string, number>
    byPerson?: Tally[]
    byTool?: Tally[]
    byRisk?: Tally[]
  }
}

const RANGES = ['7d', '30d', '90d', 'all'] as const
const SPLITS = ['agent', 'model', 'project', 'pipeline', 'version', 'node'] as const
const SPLIT_WORDS: Readonly<Record<string, string>> = { version: 'pipeline version' }
const wordOf = (split: string) => SPLIT_WORDS[split] ?? split

export function UsagePage() {
  const range = query.value.get('range') ?? '30d'
  const by = query.value.get('by') ?? 'agent'
  const days = useLoad(`${range}/day/${by}`, signal =>
    getJson<Body>(`/usage?range=${range}&by=day&by=${by}`, { signal }),
  )
  const split = useLoad(`${range}/${by}`, signal => getJson<Body>(`/usage?range=${range}&by=${by}`, { signal }))
  const csv = () =>
    attempt(async () => {
      const response = await request(`/usage.csv?range=${range}&by=day&by=${by}`)
      download('usage.csv', await response.text(), 'text/csv')
    })
  const total = days.value?.total
  return (
    <div class="page">
      <div class="page-head">
        <h1>Usage</h1>
        <div class="actions">
          <Segments
            label="Range"
            value={range}
            choices={RANGES.map(value => ({ value, label: value }))}
            onChange={value => setQuery({ range: value })}
          />
          <select
            class="input"
            style={{ width: 'auto' }}
            aria-label="Split by"
            value={by}
            onChange={event => setQuery({ by: event.currentTarget.value })}
          >
            {SPLITS.map(name => (
              <option key={name} value={name}>
                by {wordOf(name)}
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
          <div class="stats panel">
            <Stat value={formatMoney(total?.costUsd ?? 0)} label="spent" />
            <Stat value={formatCount(total?.input ?? 0)} label="tokens in" />
            <Stat value={formatCount(total?.output ?? 0)} label="tokens out" />
            <Stat value={rate(split.value.rows)} label="of runs passed" />
            <Stat value={span(days.value.decisions?.toDecision?.medianMs)} label="to decide, median" />
            <Stat value={span(days.value.decisions?.toDecision?.p95Ms)} label="to decide, p95" />
          </div>
          <Charts rows={days.value.rows} by={by} dayUsd={days.value.budget?.dayUsd ?? null} />
          <SplitTable rows={split.value.rows} by={by} />
          <Decisions body={days.value} />
          <Recoveries items={days.value.recoveries ?? []} />
        </div>
      )}
    </div>
  )
}

function Stat({ value, label }: { value: string; label: string }) {
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
  return ended === 0 ? '–' : `${Math.round((passed / ended) * 100)} %`
}

function span(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '–' : formatSpan(ms)
}

function Charts({ rows, by, dayUsd }: { rows: readonly Row[]; by: string; dayUsd: number | null }) {
  const { days, names } = useMemo(
    () => ({
      days: everyDay(rows.map(({ key }) => key.day ?? '')),
      names: [...new Set(rows.map(({ key }) => key[by] ?? ''))].sort(),
    }),
    [rows, by],
  )
  const series = (value: (row: Row) => number): Series[] =>
    names.map(name => ({
      name: nameOf(name),
      values: days.map(day =>
        rows.filter(({ key }) => key.day === day && (key[by] ?? '') === name).reduce((sum, row) => sum + value(row), 0),
      ),
    }))
  if (days.length === 0)
    return (
      <Empty title="Nothing was spent in this time">
        <p class="small">
          Runs and their agents report what they use; it is kept by day, agent, model, project, pipeline and node.
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
          limit={dayUsd === null ? null : { name: 'budget of a day', value: dayUsd }}
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

function nameOf(name: string | undefined): string {
  return !name || name === '–' ? 'not told' : name
}

const DAY_MS = 86_400_000
const SHOWN_DAYS = 7

/** From the first day to the last without gaps, and at least a week: a bar alone says nothing. */
function everyDay(found: readonly string[]): string[] {
  const times = found.filter(day => day !== '').map(day => Date.parse(`${day}T00:00:00Z`))
  if (times.length === 0) return []
  const last = Math.max(...times)
  const first = Math.min(...times, last - (SHOWN_DAYS - 1) * DAY_MS)
  const count = Math.round((last - first) / DAY_MS) + 1
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS).toISOString().slice(0, 10))
}

function SplitTable({ rows, by }: { rows: readonly Row[]; by: string }) {
  const columns: Column<Row>[] = [
    { name: wordOf(by), isMain: true, cell: ({ key }) => <b>{nameOf(key[by])}</b>, sort: ({ key }) => key[by] ?? '' },
    { name: 'Runs', isRight: true, cell: ({ runs }) => runs, sort: ({ runs }) => runs },
    {
      name: 'Passed',
      isRight: true,
      cell: ({ passed, failed }) =>
        passed + failed === 0 ? '–' : `${Math.round((passed / (passed + failed)) * 100)} %`,
      sort: ({ passed }) => passed,
    },
    { name: 'Steps', isRight: true, cell: ({ steps }) => steps, sort: ({ steps }) => steps },
    { name: 'In', isRight: true, cell: ({ usage }) => formatCount(usage.input), sort: ({ usage }) => usage.input },
    { name: 'Out', isRight: true, cell: ({ usage }) => formatCount(usage.output), sort: ({ usage }) => usage.output },
    {
      name: 'Cost',
      isRight: true,
      cell: ({ usage }) => formatMoney(usage.costUsd),
      sort: ({ usage }) => usage.costUsd ?? 0,
    },
    {
      name: 'Cost a run',
      isRight: true,
      cell: ({ usage, runs }) =>
        formatMoney(usage.costUsd === undefined || runs === 0 ? undefined : usage.costUsd / runs),
    },
    {
      name: 'Step, median',
      isRight: true,
      cell: ({ medianMs }) => formatSpan(medianMs),
      sort: ({ medianMs }) => medianMs,
    },
    { name: 'Step, p95', isRight: true, cell: ({ p95Ms }) => formatSpan(p95Ms), sort: ({ p95Ms }) => p95Ms },
  ]
  if (rows.length === 0) return null
  return (
    <section aria-label={`By ${wordOf(by)}`}>
      <h2 style={{ marginBottom: '10px' }}>By {wordOf(by)}</h2>
      <DataTable label={`Usage by ${wordOf(by)}`} items={rows} columns={columns} keyOf={({ key }) => key[by] ?? ''} />
    </section>
  )
}

function Decisions({ body }: { body: Body }) {
  const { decisions } = body
  const tallies = [
    ...(decisions?.byRisk ?? []).map(tally => ({ ...tally, of: 'risk' })),
    ...(decisions?.byTool ?? []).map(tally => ({ ...tally, of: 'tool' })),
    ...(decisions?.byPerson ?? []).map(tally => ({ ...tally, of: 'person' })),
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
          { name: 'To decide, median', isRight: true, cell: ({ toDecision }) => span(toDecision?.medianMs) },
          { name: 'p95', isRight: true, cell: ({ toDecision }) => span(toDecision?.p95Ms) },
        ]}
      />
    </section>
  )
}

const FOUND: Readonly<Record<string, string>> = {
  success: 'had finished: its work was taken over',
  partial: 'had done a part: it went on from there',
  nothing: 'had done nothing: it was done again',
}

/** Steps that died or were interrupted, by what was found of them. */
function Recoveries({ items }: { items: readonly { verdict: string; count: number }[] }) {
  if (items.length === 0) return null
  return (
    <section aria-label="Recoveries">
      <h2 style={{ marginBottom: '10px' }}>Recoveries</h2>
      <DataTable
        label="Recoveries"
        items={items}
        keyOf={({ verdict }) => verdict}
        columns={[
          { name: 'Found', isMain: true, cell: ({ verdict }) => <b>{verdict}</b>, sort: ({ verdict }) => verdict },
          { name: 'The step', cell: ({ verdict }) => FOUND[verdict] ?? '–' },
          { name: 'Steps', isRight: true, cell: ({ count }) => count, sort: ({ count }) => count },
        ]}
      />
    </section>
  )
}
