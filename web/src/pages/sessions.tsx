import { useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import { usePageKeys } from '../shell/keyboard'
import { sessions } from '../store/live'
import { go, query, setQuery } from '../store/router'
import { PlusIcon } from '../ui/icons'
import { Empty } from '../ui/panel'
import { isLiveSession, sessionAspect } from '../ui/status'
import { Segments } from '../ui/tabs'
import { VirtualList } from '../ui/virtual-list'
import { LiveSessionLine } from './lines'

const ROW = 58

export function SessionsPage() {
  const words = (query.value.get('q') ?? '').toLowerCase()
  const which = query.value.get('show') === 'all' ? 'all' : 'live'
  const [at, setAt] = useState(-1)
  const shown = sessions.all.value
    .filter(session => which === 'all' || isLiveSession(session))
    .filter(({ label = '', agent, cwd, id }) => `${label} ${agent} ${cwd} ${id}`.toLowerCase().includes(words))
    .sort((a, b) => rank(a) - rank(b) || timeOf(b.startedAt) - timeOf(a.startedAt))
  usePageKeys({
    move: step => setAt(Math.max(0, Math.min(shown.length - 1, at + step))),
    open: () => shown[at] && go(`/s/${shown[at].id}`),
  })
  const ended = sessions.all.value.filter(session => !isLiveSession(session)).length
  return (
    <div class="page">
      <div class="page-head">
        <h1>Sessions</h1>
        <div class="actions">
          <input
            class="input"
            style={{ width: '220px' }}
            type="search"
            aria-label="Search sessions"
            placeholder="Search"
            data-search
            value={query.value.get('q') ?? ''}
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
          <Segments
            label="Filter sessions"
            value={which}
            choices={[
              { value: 'live', label: 'Live' },
              { value: 'all', label: 'All' },
            ]}
            onChange={show => setQuery({ show: show === 'all' ? 'all' : null })}
          />
          <a class="btn solid" href="/start">
            <PlusIcon /> Start
          </a>
        </div>
      </div>
      {shown.length === 0 ? (
        <Empty title={words ? 'No session matches this search' : 'No live sessions'}>
          <p>Start an agent here, or from a terminal:</p>
          <code>signalbox start claude --attach</code>
          <div class="row" style={{ marginTop: '8px' }}>
            <a class="btn solid" href="/start">
              Start
            </a>
            <a class="btn" href="/start?agent=demo">
              Demo agent
            </a>
            {which === 'live' && ended > 0 && (
              <a class="btn" href="/sessions?show=all">
                {ended} ended
              </a>
            )}
          </div>
        </Empty>
      ) : (
        <VirtualList
          items={shown}
          rowHeight={ROW}
          label="Sessions"
          render={(session, index) => (
            <div class={index === at ? 'is-picked' : ''}>
              <LiveSessionLine session={session} />
            </div>
          )}
        />
      )}
    </div>
  )
}

/** Sessions that need you first, then working, idle and ended ones. */
function rank(session: Parameters<typeof sessionAspect>[0]): number {
  const { tone } = sessionAspect(session)
  if (!isLiveSession(session)) return 9
  return { caution: 0, danger: 1, clear: 2, lunar: 3, unlit: 4 }[tone]
}
