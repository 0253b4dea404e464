import { useEffect, useState } from 'preact/hooks'
import type { Worker } from '../api/types'
import { isOwner, runs, sessions } from '../store/live'
import { now } from '../store/now'
import { attempt } from '../store/toasts'
import { getJson, postJson, sendDelete } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { Empty, Panel, Problem, Skeleton } from '../ui/panel'
import { type Badge, StatusBadge } from '../ui/status'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

/** How often the page asks how the workers are. */
const EVERY_S = 5

/** As the server: beyond it a worker gets no further work. */
const CLOCK_OFFSET_MAX_MS = 5_000

type Ask = { worker: Worker; what: 'lost' | 'remove' }

/** The machines that run sessions and steps for this server. */
export function WorkersPage() {
  const loaded = useLoad('workers', signal => getJson<{ items: Worker[] }>('/workers', { signal }))
  const [asked, ask] = useState<Ask | null>(null)
  const beat = Math.floor(now.value / 1000 / EVERY_S)
  useEffect(() => loaded.reload(), [beat, loaded.reload])
  const change = (work: Promise<unknown>, done: string) => attempt(() => work.then(loaded.reload), done)
  const items = loaded.value?.items
  return (
    <div class="page">
      <div class="page-head">
        <h1>Workers</h1>
      </div>
      {items ? (
        items.length === 0 ? (
          <Empty title="No workers">
            <p>
              A worker is another machine that runs sessions and steps of runs for this server. To invite one:{' '}
              <code>signalbox workers invite</code>
            </p>
          </Empty>
        ) : (
          <div class="stack wide">
            {items.map(worker => (
              <WorkerPanel key={worker.id} worker={worker} onChange={change} onAsk={ask} />
            ))}
          </div>
        )
      ) : loaded.error ? (
        <Problem error={loaded.error} retry={loaded.reload} />
      ) : (
        <Skeleton lines={4} />
      )}
      {asked && <AskDialog asked={asked} onChange={change} onClose={() => ask(null)} />}
    </div>
  )
}

function WorkerPanel({
  worker,
  onChange,
  onAsk,
}: {
  worker: Worker
  onChange(work: Promise<unknown>, done: string): unknown
  onAsk(asked: Ask): void
}) {
  const { name, pool, labels, agents, version, isDraining, since, state } = worker
  const drain = (body: { isDraining: boolean; isMoving?: boolean }) => postJson(`/workers/${worker.id}/drain`, body)
  const isGone = state === 'lost' || state === 'removed'
  return (
    <Panel
      title={name}
      tools={
        isOwner.value && (
          <div class="actions" style={{ display: 'flex', gap: '8px', flexWrap: 'wrap' }}>
            {!isGone && isDraining && (
              <button
                type="button"
                class="btn"
                onClick={() => onChange(drain({ isDraining: false }), `${name} takes work again`)}
              >
                Ready
              </button>
            )}
            {!isGone && !isDraining && (
              <button
                type="button"
                class="btn"
                onClick={() => onChange(drain({ isDraining: true }), `${name} gets no further work`)}
              >
                Drain
              </button>
            )}
            {!isGone && worker.runs.length > 0 && (
              <button
                type="button"
                class="btn"
                onClick={() => onChange(drain({ isDraining: true, isMoving: true }), `The runs of ${name} move`)}
              >
                Move its runs
              </button>
            )}
            {!isGone && (
              <button type="button" class="btn" onClick={() => onAsk({ worker, what: 'lost' })}>
                Lost…
              </button>
            )}
            <button type="button" class="btn" onClick={() => onAsk({ worker, what: 'remove' })}>
              Remove…
            </button>
          </div>
        )
      }
    >
      <dl class="kv pad">
        <dt>State</dt>
        <dd>
          <StatusBadge badge={badgeOf(worker)} /> <TimeSince at={since} prefix="for " />
        </dd>
        <dt>Load</dt>
        <dd>
          {worker.steps} of {worker.maxSteps} steps · {worker.sessions.length} of {worker.maxSessions} sessions
          {worker.isFull && ' · too little free disk space: gets no further work'}
          {Math.abs(worker.clockOffsetMs) > CLOCK_OFFSET_MAX_MS &&
            ` · its clock is off by ${Math.round(worker.clockOffsetMs / 1000)} s: gets no further work`}
        </dd>
        <dt>Pool</dt>
        <dd>
          {pool}{' '}
          {Object.entries(labels).map(([key, value]) => (
            <span class="chip" key={key}>
              {key}={value}
            </span>
          ))}
        </dd>
        <dt>Version</dt>
        <dd>{version ?? 'not connected yet'}</dd>
        <dt>Agents</dt>
        <dd>{agents.join(', ') || 'none found'}</dd>
        <dt>Here</dt>
        <dd>
          <Placed worker={worker} />
        </dd>
      </dl>
    </Panel>
  )
}

/** What runs there: links to runs and sessions. */
function Placed({ worker }: { worker: Worker }) {
  if (worker.runs.length + worker.sessions.length === 0) return <span class="dim">nothing</span>
  const runOf = (id: string) => runs.all.value.find(run => run.id === id)
  const sessionOf = (id: string) => sessions.all.value.find(session => session.id === id)
  return (
    <ul style={{ listStyle: 'none', padding: 0, margin: 0 }}>
      {worker.runs.map(id => (
        <li key={id}>
          <a class="link" href={`/r/${id}`}>
            {runOf(id)?.title ?? id}
          </a>
        </li>
      ))}
      {worker.sessions.map(id => {
        const session = sessionOf(id)
        const title = session && (session.label ?? `${session.agent} in ${session.cwd}`)
        return (
          <li key={id}>
            <a class="link" href={`/s/${id}`}>
              {title ?? id}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

function AskDialog({
  asked: { worker, what },
  onChange,
  onClose,
}: {
  asked: Ask
  onChange(work: Promise<unknown>, done: string): unknown
  onClose(): void
}) {
  const { id, name } = worker
  const isLost = what === 'lost'
  const act = () => {
    onClose()
    if (isLost) onChange(postJson(`/workers/${id}/lost`), `${name} is lost`)
    else onChange(sendDelete(`/workers/${id}`), `${name} was removed`)
  }
  return (
    <Dialog
      title={isLost ? `Is ${name} lost?` : `Remove ${name}?`}
      onClose={onClose}
      foot={
        <>
          <button type="button" class="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="btn danger" onClick={act}>
            {isLost ? 'Declare it lost' : 'Remove it'}
          </button>
        </>
      }
    >
      <p>
        {isLost
          ? 'Its runs move to other workers at once, and what it did since its last report may be done again. Its sessions end, and their open requests are cancelled.'
          : 'Its key is no longer valid, and its sessions end. A worker with open runs cannot be removed.'}
      </p>
    </Dialog>
  )
}

const GREY = { tone: 'muted', shape: 'bars' } as const

function badgeOf({ state, isConnected, isDraining }: Worker): Badge {
  if (state === 'lost' || state === 'removed') return { word: state, tone: 'danger', shape: 'square' }
  if (state === 'joined') return { word: 'not connected yet', ...GREY }
  if (!isConnected) return { word: 'away', tone: 'warning', shape: 'triangle' }
  return isDraining ? { word: 'draining', ...GREY } : { word: 'ready', tone: 'done', shape: 'tick' }
}
