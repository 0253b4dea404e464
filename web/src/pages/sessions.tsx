import { useMemo, useState } from 'preact/hooks'
import { BulkBar } from '../session-list/bulk-bar'
import { canOpen, openRow } from '../session-list/session-actions'
import { SessionList } from '../session-list/session-list'
import {
  countStates,
  type Grouping,
  groupRows,
  hasWords,
  type Sorting,
  STATES,
  type State,
  sessionRow,
  tmuxRow,
} from '../session-list/session-rows'
import { SessionWall } from '../session-list/session-wall'
import { usePageKeys, useSelectedItem } from '../shell/keyboard'
import { StartCommand } from '../start/start-command'
import { StartLinks } from '../start/start-links'
import { panes, sessions } from '../store/live'
import { sessionGrouping, sessionSorting, sessionView, wallColumns } from '../store/prefs'
import { go, query, setQuery } from '../store/router'
import { PlusIcon } from '../ui/icons'
import { Empty } from '../ui/panel'
import { Segments } from '../ui/tabs'

/** All sessions and tmux panes, as a list or as a wall of their screens. */
export function SessionsPage({ wanted }: { wanted: 'list' | 'wall' | null }) {
  const words = query.value.get('q') ?? ''
  const show = (query.value.get('show') ?? 'live') as State | 'live'
  // An ended session has no screen to watch.
  const view = show === 'ended' ? 'list' : ((query.value.get('view') ?? wanted ?? sessionView.value) as 'list' | 'wall')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(
    () => [
      ...sessions.all.value.map(session => sessionRow(session, panes.get(session.id))),
      ...panes.all.value.filter(({ source }) => source === 'tmux').map(tmuxRow),
    ],
    [sessions.all.value, panes.all.value],
  )
  const found = rows.filter(row => hasWords(row, words))
  const counts = countStates(found)
  const shown = found.filter(({ state }) => (show === 'live' ? state !== 'ended' : state === show))
  const groups = groupRows(shown, { group: sessionGrouping.value, sort: sessionSorting.value })
  const order = groups.flatMap(group => group.rows)
  const select = useMemo(
    () => (id: string, isSelected: boolean) =>
      setSelected(before => {
        const next = new Set(before)
        if (isSelected) next.add(id)
        else next.delete(id)
        return next
      }),
    [],
  )
  const picked = useSelectedItem(order.map(({ id }) => id))
  const onPicked = (act: (row: (typeof order)[number]) => void) => {
    const row = order.find(({ id }) => id === picked.now())
    if (row) act(row)
  }
  usePageKeys({
    move: step => {
      document.getElementById(`pane-${picked.move(step)}`)?.focus()
    },
    open: () => onPicked(row => canOpen(row) && openRow(row)),
    select: () => onPicked(row => select(row.id, !selected.has(row.id))),
  })
  const live = found.length - counts.ended
  return (
    <div class={`page ${view === 'wall' ? 'full' : ''}`}>
      <div class="page-head">
        <h1>Sessions</h1>
        <div class="actions">
          <input
            class="input search"
            type="search"
            aria-label="Search sessions"
            placeholder="Search"
            data-search
            value={words}
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
          <Segments
            label="View"
            value={view}
            choices={[
              { value: 'list', label: 'List' },
              { value: 'wall', label: 'Wall' },
            ]}
            onChange={next => {
              sessionView.value = next
              go('/sessions', { replace: true })
            }}
          />
          <a class="btn solid narrow-only" href="/start">
            <PlusIcon /> Start
          </a>
        </div>
      </div>
      <div class="filter-row row wrap">
        <div class="chips" role="group" aria-label="Filter by state">
          <Chip label="Live" count={live} isOn={show === 'live'} onPress={() => setQuery({ show: null })} />
          {STATES.map(({ value, label }) => (
            <Chip
              key={value}
              label={label}
              count={counts[value]}
              isOn={show === value}
              onPress={() => setQuery({ show: show === value ? null : value })}
            />
          ))}
        </div>
        <span class="grow" />
        {view === 'wall' && (
          <label class="row small soft wall-size">
            Per row
            <input
              type="range"
              min={1}
              max={6}
              value={wallColumns.value}
              onInput={event => (wallColumns.value = event.currentTarget.valueAsNumber)}
            />
          </label>
        )}
        <div class="row list-order">
          <label class="row small soft">
            Group
            <select
              class="input"
              value={sessionGrouping.value}
              onChange={event => (sessionGrouping.value = event.currentTarget.value as Grouping)}
            >
              <option value="project">Project</option>
              <option value="state">State</option>
              <option value="none">None</option>
            </select>
          </label>
          <label class="row small soft">
            Sort
            <select
              class="input"
              value={sessionSorting.value}
              onChange={event => (sessionSorting.value = event.currentTarget.value as Sorting)}
            >
              <option value="activity">Last activity</option>
              <option value="started">Newest</option>
              <option value="name">Name</option>
            </select>
          </label>
        </div>
      </div>
      {groups.length === 0 && <Nothing isFiltered={words !== '' || show !== 'live'} />}
      {view === 'wall' ? (
        <SessionWall groups={groups} />
      ) : (
        groups.map(group => (
          <section key={group.name} class="section" aria-label={group.name || 'Sessions'}>
            {group.name !== '' && (
              <div class="section-head">
                <h2>{group.name}</h2>
                <span class="of">{group.rows.length}</span>
              </div>
            )}
            <SessionList
              rows={group.rows}
              label={group.name}
              picked={picked.drawn}
              selected={selected}
              onSelect={select}
            />
          </section>
        ))
      )}
      <BulkBar rows={rows.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
    </div>
  )
}

function Chip(props: { label: string; count: number; isOn: boolean; onPress(): void }) {
  return (
    <button type="button" class="chip" aria-pressed={props.isOn} onClick={props.onPress}>
      {props.label} <span class="num dim">{props.count}</span>
    </button>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No session matches">
        <a class="btn" href="/sessions">
          Show all live sessions
        </a>
      </Empty>
    )
  return (
    <Empty title="No live sessions">
      <p>Your sessions and tmux panes appear here. Start one, or from a terminal:</p>
      <StartCommand />
      <StartLinks />
    </Empty>
  )
}
