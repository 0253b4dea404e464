import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatClock, timeOf } from '../api/format'
import { type Cast, indexAfter } from '../replay/cast'
import { lengthOf, loadReplay, type Replayed } from '../replay/load-replay'
import { type Moment, momentsOf } from '../replay/moments'
import { advance, IDLE_MS } from '../replay/player'
import { ReplayScreen } from '../replay/screen'
import { Scrubber } from '../replay/scrubber'
import { DetectedStatus, ReplayConversation } from '../replay/side'
import { sessions } from '../store/live'
import { query, setQuerySoon } from '../store/router'
import { sessionName } from '../store/session-name'
import { CopyButton } from '../ui/copy'
import { BackIcon, CompareIcon, PauseIcon, PlayIcon, StepIcon } from '../ui/icons'
import { Problem, Skeleton } from '../ui/panel'
import { useLoad } from '../ui/use-load'

const SPEEDS = [0.5, 1, 2, 4, 8, 16]

export function ReplayPage({ id }: { id: string }) {
  const { value, error, reload } = useLoad(id, signal => loadReplay(id, signal))
  if (value) return <Replay key={id} {...value} />
  return (
    <div class="page">
      <div class="page-head">
        <h1>Replay</h1>
      </div>
      {error ? <Problem error={error} retry={reload} /> : <Skeleton />}
    </div>
  )
}

function Replay(replayed: Replayed) {
  const { index, cast, messages } = replayed
  const duration = lengthOf(replayed)
  const startedAt = timeOf(index.recording.startedAt)
  const [ms, setMs] = useState(() => Math.max(0, Math.min(duration, wantedMs(startedAt) ?? firstScreen(replayed))))
  const [isPlaying, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const [skipsIdle, setSkipsIdle] = useState(true)
  const clock = usePlaying({ cast, isPlaying, speed, skipsIdle, ms, setMs, setPlaying, duration })

  const seek = (to: number) => {
    const at = Math.max(0, Math.min(duration, to))
    setMs(at)
    setQuerySoon({ t: String(Math.round(at)), at: null })
  }
  const moments = useMemo(() => momentsOf(index), [index])
  const jump = (step: 1 | -1, isWanted: (moment: Moment) => boolean) => {
    const wanted = moments.filter(isWanted)
    const next = step === 1 ? wanted.find(({ atMs }) => atMs > ms + 1) : wanted.findLast(({ atMs }) => atMs < ms - 1)
    if (next) seek(next.atMs)
  }
  const stepFrame = (step: 1 | -1) => {
    setPlaying(false)
    const at = indexAfter(cast.events, ms)
    const event = step === 1 ? cast.events[at] : cast.events.findLast(({ ms: time }) => time < ms - 0.5)
    if (event) seek(event.ms)
  }
  const togglePlay = () => {
    if (ms >= duration) seek(0)
    setPlaying(!isPlaying)
  }
  const onKey = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest('button, select, a')) return
    const act = {
      ' ': togglePlay,
      ArrowRight: () => seek(ms + 1_000),
      ArrowLeft: () => seek(ms - 1_000),
    }[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  const { recording } = index
  const session = sessions.get(recording.session)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the player work wherever the focus is inside
    <div class="page full replay" onKeyDown={onKey} ref={clock}>
      <div class="page-head">
        <div class="grow">
          <h1 dir="auto">{session ? sessionName(session) : (recording.label ?? recording.agent)}</h1>
          <p class="small dim facts dots">
            <span>replay</span>
            <span>{recording.agent}</span>
            <a class="link" href={`/s/${recording.session}`}>
              session
            </a>
          </p>
        </div>
        <div class="actions">
          <a class="btn" href={`/compare?a=${recording.id}&at=${Math.round(ms)}&b=${recording.id}`}>
            <CompareIcon /> Compare
          </a>
          <CopyButton
            text={() => `${location.origin}/replay/${recording.id}?t=${Math.round(ms)}`}
            label="Copy a link to this moment"
            class="btn"
          >
            Copy link
          </CopyButton>
        </div>
      </div>
      <div class="replay-grid">
        <div class="term">
          <ReplayScreen cast={cast} ms={ms} />
        </div>
        <div class="transport panel">
          <div class="row">
            <button type="button" class="btn quiet icon" aria-label="Previous frame" onClick={() => stepFrame(-1)}>
              <BackIcon />
            </button>
            <button type="button" class="btn solid icon" aria-label={isPlaying ? 'Pause' : 'Play'} onClick={togglePlay}>
              {isPlaying ? <PauseIcon /> : <PlayIcon />}
            </button>
            <button type="button" class="btn quiet icon" aria-label="Next frame" onClick={() => stepFrame(1)}>
              <StepIcon />
            </button>
            <output class="num small" aria-label="Position">
              {formatClock(ms)} <span class="dim">/ {formatClock(duration)}</span>
            </output>
          </div>
          <Scrubber duration={duration} ms={ms} moments={moments} onSeek={seek} />
          <div class="row wrap">
            <button type="button" class="btn" onClick={() => jump(1, moment => moment.kind === 'decision')}>
              Next decision
            </button>
            <button type="button" class="btn" onClick={() => jump(1, moment => moment.kind === 'change')}>
              Next change
            </button>
            <select
              class="input"
              style={{ width: 'auto' }}
              aria-label="Speed"
              value={speed}
              onChange={event => setSpeed(Number(event.currentTarget.value))}
            >
              {SPEEDS.map(one => (
                <option key={one} value={one}>
                  {one}×
                </option>
              ))}
            </select>
            <label class="row small">
              <input
                type="checkbox"
                checked={skipsIdle}
                onChange={event => setSkipsIdle(event.currentTarget.checked)}
              />
              Skip pauses over {IDLE_MS / 1000} s
            </label>
          </div>
        </div>
        <div class="replay-side">
          <DetectedStatus index={index} ms={ms} />
          <ReplayConversation
            messages={messages}
            decisions={index.decisions}
            startedAt={startedAt}
            ms={ms}
            onSeek={seek}
          />
        </div>
      </div>
    </div>
  )
}

/**
 * The moment that the address names: a position in the recording (`t`), or a wall-clock time
 * (`at`).
 */
function wantedMs(startedAt: number): number | null {
  const [at, t] = [query.peek().get('at'), query.peek().get('t')]
  if (at !== null) return Number(at) - startedAt
  return t === null ? null : Number(t)
}

/**
 * A recording starts with an empty screen: the first position at which the screen shows something.
 */
function firstScreen({ index, cast }: Replayed): number {
  const read = index.markers.find(({ kind, label }) => kind === 'change' && label !== 'unknown')
  return read?.atMs ?? cast.events[0]?.ms ?? 0
}

interface Playing {
  cast: Cast
  isPlaying: boolean
  speed: number
  skipsIdle: boolean
  ms: number
  duration: number
  setMs(ms: number): void
  setPlaying(isPlaying: boolean): void
}

/** Advances the position while the replay plays. */
function usePlaying(options: Playing) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    if (!options.isPlaying) return
    let before = performance.now()
    let frame = requestAnimationFrame(function draw(at) {
      const { cast, speed, skipsIdle, ms, duration, setMs, setPlaying } = latest.current
      const next = advance(cast, ms, (at - before) * speed, skipsIdle)
      before = at
      setMs(next)
      if (next >= Math.min(duration, cast.durationMs)) setPlaying(false)
      else frame = requestAnimationFrame(draw)
    })
    return () => cancelAnimationFrame(frame)
  }, [options.isPlaying])
  return box
}
