import { useEffect, useState } from 'preact/hooks'
import { DECISIONS, type Decision } from '../../../src/approvals/request-state'
import { surfaceWord } from '../../../src/text/status-word'
import { distinctNames } from '../api/distinct-names'
import { baseName, formatTook, plural } from '../api/format'
import type { ApprovalHistory } from '../api/types'
import { usePageKeys, useSelectedItem } from '../shell/keyboard'
import { me, runs, sessions } from '../store/live'
import { openApprovals } from '../store/needs'
import { go, query, setQuery } from '../store/router'
import { sessionName } from '../store/session-name'
import { attempt } from '../store/toasts'
import { getJson } from '../transport/request'
import { type Column, DataTable } from '../ui/data-table'
import { CloseIcon } from '../ui/icons'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { requestBadge, StatusBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { isPhone } from '../ui/use-width'

type Item = ApprovalHistory['items'][number]

const LABELS: Readonly<Record<Decision, string>> = {
  allowed: 'Allowed',
  denied: 'Denied',
  answered: 'Answered',
  'not-applied': 'Not applied',
  undecided: 'Undecided',
}
const FILTERS = ['q', 'decision', 'project', 'session', 'run'] as const
const PAGE = 50
/** A person who types pauses this long between words. */
const TYPING_MS = 200

/** The requests that wait no longer: who asked what, and who decided it, from where and when. */
export function RequestsPage() {
  const decision = DECISIONS.find(one => one === query.value.get('decision')) ?? null
  const filter = new URLSearchParams()
  for (const name of FILTERS) if (query.value.get(name)) filter.set(name, query.value.get(name)!)
  const address = filter.toString()
  return (
    <div class="page">
      <div class="page-head">
        <h1>History of requests</h1>
        <div class="actions history-search">
          <SearchField />
        </div>
      </div>
      <div class="filter-row row wrap">
        <div class="chips" role="group" aria-label="Decision">
          <button type="button" class="chip" aria-pressed={!decision} onClick={() => setQuery({ decision: null })}>
            All
          </button>
          {DECISIONS.map(one => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={decision === one}
              onClick={() => setQuery({ decision: one })}
            >
              {LABELS[one]}
            </button>
          ))}
        </div>
        <Of />
      </div>
      <History key={address} filter={address} />
    </div>
  )
}

function SearchField() {
  const words = query.value.get('q') ?? ''
  const [text, setText] = useState(words)
  useEffect(() => {
    if (text.trim() === words) return
    const timer = setTimeout(() => setQuery({ q: text.trim() || null }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, words])
  return (
    <input
      class="input"
      type="search"
      data-search
      aria-label="Search the history"
      placeholder="Search commands, files, people"
      value={text}
      onInput={event => setText(event.currentTarget.value)}
    />
  )
}

/** The session or run whose requests are shown, with a button that shows all. */
function Of() {
  const session = query.value.get('session')
  const run = query.value.get('run')
  if (!session && !run) return null
  const name = session ? nameOfSession(session) : nameOfRun(run!)
  return (
    <button
      type="button"
      class="chip"
      aria-pressed="true"
      title="Show the requests of all sessions and runs"
      onClick={() => setQuery({ session: null, run: null })}
    >
      <span class="cut">
        {session ? 'Session' : 'Run'}: {name ?? session ?? run}
      </span>
      <CloseIcon />
    </button>
  )
}

function nameOfSession(id: string): string | null {
  const session = sessions.get(id)
  return session ? sessionName(session) : null
}

function nameOfRun(id: string): string | null {
  return runs.get(id)?.title ?? null
}

function History({ filter }: { filter: string }) {
  const [more, setMore] = useState<{ items: readonly Item[]; next: string | null } | null>(null)
  const open = openApprovals.value.map(({ id }) => id).join()
  // A request that is decided now comes first, unless a person already reads further back.
  const [version, setVersion] = useState(open)
  useEffect(() => {
    if (!more) setVersion(open)
  }, [open, more])
  const load = (cursor: string | null, signal?: AbortSignal) =>
    getJson<ApprovalHistory>(
      `/approvals/history?limit=${PAGE}${filter && `&${filter}`}${cursor === null ? '' : `&cursor=${cursor}`}`,
      { ...(signal && { signal }) },
    )
  const { value, error, reload } = useLoad('history', signal => load(null, signal), version)
  const items = [...(value?.items ?? []), ...(more?.items ?? [])]
  const picked = useSelectedItem(items.map(({ id }) => id))
  usePageKeys({ move: picked.move, open: () => picked.now() && go(`/a/${picked.now()}`) })
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton lines={6} />
  const next = more ? more.next : value.next
  const loadMore = async () => {
    const page = await attempt(() => load(next))
    if (page) setMore({ items: [...(more?.items ?? []), ...page.items], next: page.next })
  }
  return (
    <>
      <div class="row wrap history-count">
        <p class="small dim grow" role="status">
          {value.total > 0 && plural(value.total, 'request')}
          {items.length < value.total && `, the newest ${items.length} shown`}
        </p>
        {value.projects.length > 1 && <ProjectSelect projects={value.projects} />}
      </div>
      {items.length === 0 ? (
        filter === '' ? (
          <Empty title="No requests yet">
            <p>What agents asked for, and who decided it, is listed here.</p>
          </Empty>
        ) : (
          <Empty title="No request matches this filter">
            <button type="button" class="btn" onClick={() => go('/requests', { replace: true })}>
              Show all
            </button>
          </Empty>
        )
      ) : isPhone.value ? (
        <ul class="list lines" aria-label="Requests">
          {items.map(item => (
            <li key={item.id}>
              <HistoryLine item={item} />
            </li>
          ))}
        </ul>
      ) : (
        <div class="history-table">
          <DataTable
            label="Requests"
            items={items}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            picked={picked.drawn ?? undefined}
          />
        </div>
      )}
      {next !== null && (
        <p class="history-more">
          <button type="button" class="btn" onClick={() => void loadMore()}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

function ProjectSelect({ projects }: { projects: readonly string[] }) {
  const names = distinctNames(projects)
  return (
    <select
      class="input"
      aria-label="Project"
      value={query.value.get('project') ?? ''}
      onChange={event => setQuery({ project: event.currentTarget.value || null })}
    >
      <option value="">All projects</option>
      {projects.map(project => (
        <option key={project} value={project}>
          {names.get(project) ?? project}
        </option>
      ))}
    </select>
  )
}

const COLUMNS: readonly Column<Item>[] = [
  { name: 'Result', cell: item => <StatusBadge badge={requestBadge(item.result)} /> },
  {
    name: 'Request',
    isMain: true,
    cell: item => (
      <>
        <a class="strong" href={`/a/${item.id}`} dir="auto">
          {item.title}
        </a>
        {item.what && (
          <span class={`small soft under ${fontOf(item.what)}`} dir="auto" title={item.what}>
            {item.what}
          </span>
        )}
        {noteOf(item) && (
          <span class="small dim under" dir="auto">
            {noteOf(item)}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Asked by',
    cell: item => (
      <>
        <Asker item={item} />
        <span class="small dim under" title={item.project}>
          {baseName(item.project)}
        </span>
      </>
    ),
  },
  {
    name: 'Decided by',
    cell: item => (
      <>
        {deciderOf(item) ?? <span class="dim">–</span>}
        {item.surface && <span class="small dim under">{surfaceWord(item.surface)}</span>}
      </>
    ),
  },
  { name: 'Waited', isRight: true, cell: ({ waitedMs }) => (waitedMs === null ? '–' : formatTook(waitedMs)) },
  { name: 'Asked', isRight: true, cell: ({ requestedAt }) => <TimeSince at={requestedAt} suffix=" ago" /> },
]

function Asker({ item: { session, run, agent } }: { item: Item }) {
  if (session)
    return (
      <a class="link cut block" href={`/s/${session}`} dir="auto">
        {nameOfSession(session) ?? agent}
      </a>
    )
  if (run)
    return (
      <a class="link cut block" href={`/r/${run}`} dir="auto">
        {nameOfRun(run) ?? 'A run'}
      </a>
    )
  return <>{agent}</>
}

/** Null where nobody decided. */
function deciderOf({ by, surface, grant }: Item): string | null {
  if (grant !== null) return 'Standing approval'
  const mine = by !== null && by === me.value?.person.name && surface === 'web'
  return mine ? 'You' : by
}

/** The answer, its note, or why nobody gave one. */
function noteOf({ decided, kind, note, why }: Item): string {
  return [kind === 'permission' ? null : decided, note === null ? null : `“${note}”`, why].filter(Boolean).join(' · ')
}

function fontOf(what: string): string {
  return what.startsWith('$ ') ? 'mono' : ''
}

function HistoryLine({ item }: { item: Item }) {
  const by = deciderOf(item)
  return (
    <a class="line-item" href={`/a/${item.id}`}>
      <span class="what">
        <span class="row">
          <StatusBadge badge={requestBadge(item.result)} />
          <span class="grow" />
          <span class="small dim">
            <TimeSince at={item.requestedAt} suffix=" ago" />
          </span>
        </span>
        <span class="cut strong block" dir="auto">
          {item.title}
        </span>
        {item.what && (
          <span class={`small soft cut block ${fontOf(item.what)}`} dir="auto">
            {item.what}
          </span>
        )}
        <span class="small dim block">
          {[
            nameOfSession(item.session ?? '') ?? nameOfRun(item.run ?? '') ?? item.agent,
            baseName(item.project),
            by && `${by}${item.surface ? ` (${surfaceWord(item.surface)})` : ''}`,
            item.waitedMs !== null && `waited ${formatTook(item.waitedMs)}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {noteOf(item) && (
          <span class="small dim cut block" dir="auto">
            {noteOf(item)}
          </span>
        )}
      </span>
    </a>
  )
}
