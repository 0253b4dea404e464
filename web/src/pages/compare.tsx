import { useMemo, useState } from 'preact/hooks'
import { formatClock, formatWhen, timeOf } from '../api/format'
import { Diff } from '../blocks/blocks'
import { lengthOf, loadReplay, type Replayed } from '../replay/load-replay'
import { momentsOf } from '../replay/moments'
import { ReplayScreen } from '../replay/screen'
import { Scrubber } from '../replay/scrubber'
import { conversationUntil, readingAt } from '../replay/state-at'
import { sessions } from '../store/live'
import { query, setQuery, setQuerySoon } from '../store/router'
import { sessionName } from '../store/session-name'
import { CopyButton } from '../ui/copy'
import { isSame, lineDiff } from '../ui/line-diff'
import { Empty, Panel, Problem, Skeleton } from '../ui/panel'
import { Segments } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

type Side = 'a' | 'b'

/** Two moments of one recording or of two. The address names both, so it can be shared. */
export function ComparePage() {
  const [a, b] = [useSide('a'), useSide('b')]
  const [isLinked, setLinked] = useState(true)
  const [screens, setScreens] = useState<Record<Side, readonly string[]>>({ a: [], b: [] })
  const show = (side: Side) => (lines: readonly string[]) => setScreens(before => ({ ...before, [side]: lines }))
  const seek = (side: Side) => (to: number) => {
    const [moved, other] = side === 'a' ? [a, b] : [b, a]
    const by = to - moved.ms
    moved.setMs(to)
    if (isLinked) other.setMs(other.ms + by)
  }
  const link = () => {
    const moments = { a: a.id ?? '', at: String(Math.round(a.ms)), b: b.id ?? '', bt: String(Math.round(b.ms)) }
    return `${location.origin}/compare?${new URLSearchParams(moments).toString()}`
  }
  return (
    <div class="page full compare">
      <div class="page-head">
        <h1>Compare two moments</h1>
        <div class="actions">
          <label class="row small">
            <input type="checkbox" checked={isLinked} onChange={event => setLinked(event.currentTarget.checked)} />
            Move both together
          </label>
          <CopyButton text={link} label="Copy a link to these two moments" class="btn">
            Copy link
          </CopyButton>
        </div>
      </div>
      <div class="compare-grid">
        <SideView name="a" label="First" side={a} onSeek={seek('a')} onText={show('a')} />
        <SideView name="b" label="Second" side={b} onSeek={seek('b')} onText={show('b')} />
      </div>
      {a.value && b.value && (
        <Differences a={{ ...a, value: a.value }} b={{ ...b, value: b.value }} screens={screens} />
      )}
    </div>
  )
}

interface Recorded {
  id: string | null
  value: Replayed | null
  error: unknown
  ms: number
  reload(): void
  setMs(ms: number): void
}

/** One side, as the address names it: a recording and a time. Without a time it shows the end. */
function useSide(name: Side): Recorded {
  const id = query.value.get(name)
  const { value, error, reload } = useLoad(id ?? '', signal =>
    id === null ? Promise.resolve(null) : loadReplay(id, signal),
  )
  const [moved, setMoved] = useState<{ id: string | null; ms: number } | null>(null)
  const length = value ? lengthOf(value) : 1
  const given = query.value.get(`${name}t`)
  const wanted = moved?.id === id ? moved!.ms : given === null ? length : Number(given)
  const within = (ms: number) => Math.max(0, Math.min(length, Number.isFinite(ms) ? ms : length))
  const setMs = (to: number) => {
    setMoved({ id, ms: within(to) })
    setQuerySoon({ [`${name}t`]: String(Math.round(within(to))) })
  }
  return { id, value, error, reload, ms: within(wanted), setMs }
}

function SideView(props: {
  name: Side
  label: string
  side: Recorded
  onSeek(ms: number): void
  onText(lines: readonly string[]): void
}) {
  const { name, label, side, onSeek } = props
  const { value } = side
  const all = [...sessions.all.value].sort((x, y) => timeOf(y.startedAt) - timeOf(x.startedAt))
  const chosen = value?.index.recording.session ?? side.id ?? ''
  const moments = useMemo(() => (value ? momentsOf(value.index) : []), [value])
  return (
    <section class="compare-side" aria-label={label}>
      <div class="row">
        <select
          class="input grow"
          aria-label={`${label} session`}
          value={chosen}
          onChange={event => setQuery({ [name]: event.currentTarget.value, [`${name}t`]: null })}
        >
          <option value="">Choose a session</option>
          {chosen !== '' && !all.some(({ id }) => id === chosen) && (
            <option value={chosen}>{value?.index.recording.label ?? chosen}</option>
          )}
          {all.map(session => (
            <option key={session.id} value={session.id}>
              {session.number} {sessionName(session)}
            </option>
          ))}
        </select>
        {value && (
          <a class="btn" href={`/replay/${value.index.recording.id}?t=${Math.round(side.ms)}`}>
            Replay
          </a>
        )}
      </div>
      {value ? (
        <>
          <div class="term">
            <ReplayScreen cast={value.cast} ms={side.ms} label={`${label} terminal`} onText={props.onText} />
          </div>
          <div class="row compare-time">
            <div class="grow">
              <Scrubber duration={lengthOf(value)} ms={side.ms} moments={moments} onSeek={onSeek} />
            </div>
            <output
              class="num small"
              title={formatWhen(timeOf(value.index.recording.startedAt) + side.ms)}
              aria-label={`${label} position`}
            >
              {formatClock(side.ms)} <span class="dim">/ {formatClock(lengthOf(value))}</span>
            </output>
          </div>
        </>
      ) : side.error ? (
        <Problem error={side.error} retry={side.reload} />
      ) : side.id === null ? (
        <Empty title="No session chosen" />
      ) : (
        <Skeleton />
      )}
    </section>
  )
}

const VIEWS = ['screen', 'conversation'] as const

type Shown = Recorded & { value: Replayed }

function Differences({ a, b, screens }: { a: Shown; b: Shown; screens: Record<Side, readonly string[]> }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('screen')
  const [first, second] = [readingAt(a.value.index, a.ms), readingAt(b.value.index, b.ms)]
  const lines = useMemo(
    () =>
      view === 'screen'
        ? lineDiff(screens.a, screens.b)
        : lineDiff(conversationUntil(a.value, a.ms), conversationUntil(b.value, b.ms)),
    [view, screens, a.value, b.value, a.ms, b.ms],
  )
  return (
    <div class="compare-below">
      <Panel title="Detected status">
        <div class="table-box">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">
                  <span class="sr">What</span>
                </th>
                <th scope="col">First</th>
                <th scope="col">Second</th>
              </tr>
            </thead>
            <tbody>
              {first.map(({ name, value }, index) => (
                <tr key={name} class={value === second[index]!.value ? '' : 'differs'}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                  <td>{second[index]!.value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </Panel>
      <Panel
        title="Differences"
        tools={
          <Segments<(typeof VIEWS)[number]>
            label="Compare"
            value={view}
            choices={[
              { value: 'screen', label: 'Screen' },
              { value: 'conversation', label: 'Conversation' },
            ]}
            onChange={value => setView(value)}
          />
        }
      >
        {isSame(lines) ? (
          <p class="pad small soft">
            {view === 'screen' ? 'Both screens are equal.' : 'Both conversations are equal up to this moment.'}
          </p>
        ) : (
          <Diff lines={lines} />
        )}
      </Panel>
    </div>
  )
}
