import { useState } from 'preact/hooks'
import { isOpenRun } from '../../../src/text/needs-you'
import { type RunState, runState } from '../../../src/text/status-word'
import { baseName, formatCost, timeOf } from '../api/format'
import type { Page, Run } from '../api/types'
import { outcomeOf } from '../run/outcome'
import { hasLabels, labelWords, RunLabels, RunProgress, shareOf } from '../run/progress'
import { RunBadge } from '../run/run-badge'
import { runKind } from '../run/run-kind'
import { RunLine } from '../run/run-line'
import { Schedules } from '../run/schedules'
import { usePageKeys, useSelectedItem } from '../shell/keyboard'
import { cancelAfterAsking, controlRun } from '../store/actions'
import { canDecide, runs } from '../store/live'
import { savedRunFilters } from '../store/prefs'
import { go, query, setQuery } from '../store/router'
import { getJson } from '../transport/request'
import { type Column, DataTable } from '../ui/data-table'
import { CompareIcon, PlusIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { NameDialog } from '../ui/name-dialog'
import { Empty } from '../ui/panel'
import { runBadge } from '../ui/status'
import { TimeSince, Took } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

const STATES: readonly RunState[] = [
  ...([
    'running',
    'waiting',
    'interrupted',
    'paused',
    'completed',
    'failed',
    'rejected',
    'cancelled',
    'queued',
  ] as const),
]

export function RunsPage() {
  const [chosen, setChosen] = useState<readonly string[]>([])
  useLoad('runs', async signal => {
    runs.put(...(await getJson<Page<Run>>('/runs?limit=200', { signal })).items)
  })
  const statuses = query.value.getAll('status')[0]?.split(',') ?? []
  const words = (query.value.get('q') ?? '').toLowerCase()
  const shown = runs.all.value
    .filter(run => statuses.length === 0 || statuses.includes(runState(run)))
    .filter(({ title, kind, project, id, labels }) =>
      `${title} ${kind} ${project} ${id} ${labelWords(labels)}`.toLowerCase().includes(words),
    )
    .sort((a, b) => timeOf(b.createdAt) - timeOf(a.createdAt))
  const picked = useSelectedItem(shown.map(({ id }) => id))
  usePageKeys({ move: picked.move, open: () => picked.now() && go(`/r/${picked.now()}`) })
  const toggle = (status: string) => {
    const next = statuses.includes(status) ? statuses.filter(one => one !== status) : [...statuses, status]
    setQuery({ status: next.join(',') || null })
  }
  const countOf = (status: string) => runs.all.value.filter(run => runState(run) === status).length
  const choose = (id: string, isOn: boolean) =>
    setChosen(isOn ? [...chosen, id].slice(-2) : chosen.filter(one => one !== id))
  return (
    <div class="page">
      <div class="page-head">
        <h1>Runs</h1>
        <div class="actions">
          <input
            class="input"
            style={{ width: '200px' }}
            type="search"
            aria-label="Search runs"
            placeholder="Search"
            data-search
            value={query.value.get('q') ?? ''}
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
          <SavedFilters />
          {chosen.length === 2 && (
            <a class="btn" href={`/compare/runs?a=${chosen[0]}&b=${chosen[1]}`}>
              <CompareIcon /> Compare
            </a>
          )}
          <a class="btn solid" href="/start?what=run">
            <PlusIcon /> Start a run
          </a>
        </div>
      </div>
      <div class="filter-row chips" role="group" aria-label="Status">
        <button
          type="button"
          class="chip"
          aria-pressed={statuses.length === 0}
          onClick={() => setQuery({ status: null })}
        >
          All <span class="num dim">{runs.all.value.length}</span>
        </button>
        {STATES.filter(status => countOf(status) > 0 || statuses.includes(status)).map(status => (
          <button
            key={status}
            type="button"
            class="chip"
            aria-pressed={statuses.includes(status)}
            onClick={() => toggle(status)}
          >
            {runBadge(status).word} <span class="num dim">{countOf(status)}</span>
          </button>
        ))}
      </div>
      {shown.length === 0 ? (
        <Empty title={runs.all.value.length === 0 ? 'No runs yet' : 'No run matches this filter'}>
          <p>Runs are workflows that continue after a crash. Start one from a task, a graph or an issue.</p>
          <code>signalbox run example:implement-test-fix</code>
          <a class="btn solid" href="/start?what=run">
            Start a run
          </a>
        </Empty>
      ) : isPhone.value ? (
        <ul class="list">
          {shown.map(run => (
            <li key={run.id}>
              <RunLine run={run} />
            </li>
          ))}
        </ul>
      ) : (
        <DataTable
          label="Runs"
          items={shown}
          columns={shown.some(hasLabels) ? [...COLUMNS, LABELS, ACTIONS] : [...COLUMNS, ACTIONS]}
          keyOf={({ id }) => id}
          picked={picked.drawn ?? undefined}
          first={run => (
            <input
              type="checkbox"
              aria-label={`Compare ${run.title}`}
              checked={chosen.includes(run.id)}
              onChange={event => choose(run.id, event.currentTarget.checked)}
            />
          )}
        />
      )}
      <Schedules />
    </div>
  )
}

const COLUMNS: readonly Column<Run>[] = [
  {
    name: 'Status',
    cell: run => <RunBadge run={run} />,
    sort: run => STATES.indexOf(runState(run)),
  },
  {
    name: 'Name',
    isMain: true,
    cell: run => <NameCell run={run} />,
    sort: ({ title }) => title,
  },
  {
    name: 'Project',
    cell: run => <span title={run.project}>{baseName(run.project)}</span>,
    sort: ({ project }) => project,
  },
  { name: 'Progress', cell: run => <RunProgress run={run} />, sort: shareOf },
  {
    name: 'Cost',
    isRight: true,
    cell: run => formatCost(run.usage),
    sort: ({ usage }) => usage.costUsd ?? -1,
  },
  {
    name: 'Time',
    isRight: true,
    cell: run => (run.startedAt ? <Took from={run.startedAt} to={run.endedAt} /> : '–'),
    sort: run => (run.startedAt ? timeOf(run.endedAt ?? Date.now()) - timeOf(run.startedAt) : 0),
  },
  {
    name: 'Started',
    isRight: true,
    cell: run => <TimeSince at={run.createdAt} suffix=" ago" />,
    sort: run => timeOf(run.createdAt),
  },
]

function NameCell({ run }: { run: Run }) {
  const outcome = outcomeOf(run)
  return (
    <>
      <a class="strong" href={`/r/${run.id}`}>
        {run.title}
      </a>
      <span class="small dim under run-why" title={outcome ?? undefined}>
        {runKind(run)}
        {run.workerName && ` · on ${run.workerName}`}
        {outcome !== null && ` · ${outcome}`}
      </span>
    </>
  )
}

const LABELS: Column<Run> = { name: 'Labels', cell: run => <RunLabels run={run} /> }

const ACTIONS: Column<Run> = {
  name: 'Actions',
  isAction: true,
  cell: run => (
    <Menu label={`Actions for ${run.title}`}>
      <a href={`/r/${run.id}`}>Open</a>
      {isOpenRun(run) && (
        <button type="button" class="danger" disabled={!canDecide.value} onClick={() => void cancelAfterAsking(run)}>
          Cancel…
        </button>
      )}
      {(run.status === 'paused' || run.status === 'failed') && (
        <button
          type="button"
          disabled={!canDecide.value}
          onClick={() => void controlRun(run.id, 'resume', 'The run was resumed')}
        >
          Resume
        </button>
      )}
      <a href={`/r/${run.id}?fork=1`}>Fork…</a>
    </Menu>
  ),
}

function SavedFilters() {
  const text = query.value.toString()
  const [isNaming, setNaming] = useState(false)
  const save = (name: string) => {
    savedRunFilters.value = [...savedRunFilters.value.filter(one => one.name !== name), { name, query: text }]
    setNaming(false)
  }
  return (
    <>
      <Menu label="Saved filters" class="btn" trigger="Filters">
        {savedRunFilters.value.map(({ name, query: saved }) => (
          <button key={name} type="button" onClick={() => go(`/runs?${saved}`)}>
            {name}
          </button>
        ))}
        {savedRunFilters.value.length > 0 && <hr />}
        <button type="button" disabled={text === ''} onClick={() => setNaming(true)}>
          Save this filter…
        </button>
        {savedRunFilters.value.length > 0 && (
          <button type="button" onClick={() => (savedRunFilters.value = [])}>
            Delete all
          </button>
        )}
      </Menu>
      {isNaming && <NameDialog title="Save this filter" label="Name" onName={save} onClose={() => setNaming(false)} />}
    </>
  )
}
