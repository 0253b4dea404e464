import { useMemo, useRef, useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { Pane } from '../api/types'
import { PaneConversationDialog } from '../session/pane-conversation'
import { PaneExplainDialog } from '../session/pane-explain'
import { usePageKeys } from '../shell/keyboard'
import { acknowledgePane } from '../store/actions'
import { canDecide, panes } from '../store/live'
import { hiddenPanes, wallColumns } from '../store/prefs'
import { go, query, setQuery } from '../store/router'
import { attempt } from '../store/toasts'
import { postJson, request } from '../transport/request'
import { Menu } from '../ui/menu'
import { NameDialog } from '../ui/name-dialog'
import { Empty } from '../ui/panel'
import { paneAspect, StatusBadge } from '../ui/status'
import { SvgView } from '../ui/svg-view'
import { Age } from '../ui/time'
import { frameLast, usePreviews } from './pane-previews'

/** Created once: the page sorts hundreds of places several times a second. */
const byPlace = new Intl.Collator(undefined, { numeric: true })
const FILTERS = ['all', 'needs you', 'working', 'idle'] as const

/** A live preview of every supervised pane, by project. */
export function PanesPage() {
  const filter = query.value.get('show') ?? 'all'
  const words = (query.value.get('q') ?? '').toLowerCase()
  const [at, setAt] = useState(-1)
  const all = panes.all.value
  const shown = all
    .filter(pane => !hiddenPanes.value.includes(pane.id))
    .filter(pane => isWanted(pane, filter))
    .filter(({ name, doing, cwd, agent, command }) =>
      `${name} ${doing} ${cwd} ${agent} ${command}`.toLowerCase().includes(words),
    )
    .sort((a, b) => Number(b.needsYou) - Number(a.needsYou) || byPlace.compare(a.place, b.place))
  const wall = useRef<HTMLDivElement>(null)
  const previews = usePreviews(
    wall,
    shown.map(({ id }) => id),
  )
  const groups = groupsOf(shown)
  const order = groups.flatMap(group => group.panes)
  usePageKeys({
    move: step => {
      const next = Math.max(0, Math.min(order.length - 1, at + step))
      setAt(next)
      document.getElementById(`pane-${order[next]?.id}`)?.focus()
    },
    open: () => order[at] && canOpen(order[at]) && open(order[at]),
  })
  return (
    <div class="page full" ref={wall}>
      <div class="page-head">
        <h1>Panes</h1>
        <div class="actions">
          <input
            class="input"
            style={{ width: '180px' }}
            type="search"
            aria-label="Search panes"
            placeholder="Search"
            data-search
            value={query.value.get('q') ?? ''}
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
          <select
            class="input"
            style={{ width: 'auto' }}
            aria-label="Filter panes"
            value={filter}
            onChange={event =>
              setQuery({ show: event.currentTarget.value === 'all' ? null : event.currentTarget.value })
            }
          >
            {FILTERS.map(name => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <label class="row small soft wall-size">
            Per row
            <input
              type="range"
              min={1}
              max={6}
              value={wallColumns.value}
              onInput={event => (wallColumns.value = event.currentTarget.valueAsNumber)}
            />
            <output class="num">{wallColumns.value}</output>
          </label>
          {hiddenPanes.value.length > 0 && (
            <button type="button" class="btn" onClick={() => (hiddenPanes.value = [])}>
              Show {hiddenPanes.value.length} hidden
            </button>
          )}
        </div>
      </div>
      {shown.length === 0 && (
        <Empty title={all.length === 0 ? 'No panes yet' : 'No pane matches this filter'}>
          <p>Your sessions and tmux panes appear here.</p>
        </Empty>
      )}
      {groups.map(group => (
        <section key={group.name} class="section" aria-label={group.name}>
          <div class="section-head">
            <h2>{group.name}</h2>
            <span class="of">{group.panes.length}</span>
          </div>
          <ul class="wall" style={{ '--columns': wallColumns.value }}>
            {group.panes.map(pane => (
              <PaneTile key={pane.id} pane={pane} picture={previews.get(pane.id)} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function PaneTile({ pane, picture }: { pane: Pane; picture: string | undefined }) {
  const aspect = paneAspect(pane)
  const stale = pane.why.staleForS
  const [isNaming, setNaming] = useState(false)
  const [isReading, setReading] = useState(false)
  const [isExplaining, setExplaining] = useState(false)
  const rename = (name: string) => {
    setNaming(false)
    void attempt(() => request(`/panes/${pane.id}`, { method: 'PATCH', body: { name } }))
  }
  return useMemo(
    () => (
      <li class={`tile tone-${aspect.tone}`} data-pane={pane.id}>
        <div class="tile-picture">
          {picture ? (
            <SvgView text={picture} label={`Screen of ${pane.name || pane.place}`} class="thumb" prepare={frameLast} />
          ) : (
            <span class="thumb none" />
          )}
          <button
            type="button"
            id={`pane-${pane.id}`}
            class="tile-open"
            aria-label={`Open ${pane.name || pane.place}: ${aspect.word}`}
            onClick={() => (canOpen(pane) ? open(pane) : setExplaining(true))}
          />
        </div>
        <div class="tile-foot">
          <StatusBadge aspect={aspect} isLive={aspect.tone === 'clear'} />
          <span class="cut small grow" title={pane.doing || pane.title}>
            <span class="strong">{pane.name || pane.agent || pane.command}</span>{' '}
            {pane.doing && <span class="soft">{pane.doing}</span>}
          </span>
          <Menu label={`Actions for ${pane.name || pane.place}`} isUp>
            <button type="button" disabled={!canDecide.value} onClick={() => void acknowledgePane(pane.id)}>
              Mark as seen
            </button>
            {pane.source === 'tmux' && pane.agent !== null && (
              <button type="button" onClick={() => setReading(true)}>
                Conversation…
              </button>
            )}
            {pane.source === 'tmux' && (
              <button type="button" onClick={() => setExplaining(true)}>
                Why this status?
              </button>
            )}
            {pane.source === 'tmux' && (
              <button type="button" disabled={!canDecide.value} onClick={() => open(pane)}>
                Focus in tmux
              </button>
            )}
            {pane.source === 'session' && (
              <button type="button" disabled={!canDecide.value} onClick={() => setNaming(true)}>
                Rename…
              </button>
            )}
            <button
              type="button"
              disabled={!canDecide.value}
              onClick={() => void attempt(() => postJson(`/panes/${pane.id}/clear`))}
            >
              Reset status
            </button>
            <button type="button" onClick={() => (hiddenPanes.value = [...hiddenPanes.value, pane.id])}>
              Hide
            </button>
          </Menu>
        </div>
        <p class="tile-why tiny dim cut">
          {pane.why.claim === null
            ? `unknown (${pane.status} until ${Math.round(stale ?? 0)} s ago)`
            : `status from ${pane.why.rule.startsWith(`${pane.why.authority}/`) ? '' : `${pane.why.authority} · `}${pane.why.rule}`}{' '}
          · <Age at={pane.since} />
        </p>
        {isReading && <PaneConversationDialog pane={pane} onClose={() => setReading(false)} />}
        {isExplaining && <PaneExplainDialog pane={pane} onClose={() => setExplaining(false)} />}
        {isNaming && (
          <NameDialog
            title="Rename pane"
            label="Name"
            name={pane.name}
            onName={rename}
            onClose={() => setNaming(false)}
          />
        )}
      </li>
    ),
    [pane, picture, canDecide.value, isNaming, isReading, isExplaining],
  )
}

/** Selecting a tmux pane changes what its person sees. */
function canOpen(pane: Pane): boolean {
  return pane.source === 'session' || canDecide.value
}

function open(pane: Pane): void {
  if (pane.source === 'session') go(`/s/${pane.id}`)
  else void attempt(() => postJson(`/panes/${pane.id}/focus`), 'The pane has the focus in tmux')
}

function isWanted(pane: Pane, filter: string): boolean {
  if (filter === 'needs you') return pane.needsYou
  if (filter === 'working') return pane.shown === 'running' || pane.shown === 'long-running'
  if (filter === 'idle') return pane.shown === 'idle' || pane.shown === 'done'
  return true
}

function groupsOf(items: readonly Pane[]): { name: string; panes: Pane[] }[] {
  const groups = new Map<string, Pane[]>()
  for (const pane of items) {
    const name = `${baseName(pane.cwd)}${pane.source === 'tmux' ? ' · tmux' : ''}`
    groups.set(name, [...(groups.get(name) ?? []), pane])
  }
  return [...groups].map(([name, members]) => ({ name, panes: members }))
}
