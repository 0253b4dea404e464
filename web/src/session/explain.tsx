import { useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Session } from '../api/types'
import { getJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { download } from '../ui/download'
import { Problem, Skeleton } from '../ui/panel'
import { type Aspect, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

interface Reading {
  t?: number
  claim: string | null
  view?: string
  phase?: string
  status?: string
  authority?: string
  rule?: string
  confidence?: number
  age?: number
  reason?: string
}

export interface ExplanationBody {
  reading: Reading
  evidence: {
    authority: string
    says: { is: string }
    rule: string
    age: number
    expires: number | null
    verdict: string
  }[]
  frame: {
    regions: { name: string; rows: [number, number]; text: string }[]
    rules: {
      id: string
      view: string
      region: string
      matched: boolean
      why: string
      rows?: [number, number]
      text?: string
    }[]
    menus: { live: boolean; proofs: string[]; failed: string | null; menu: { question: string; kind: string } }[]
  }
  history: Reading[]
  supervision?: { screen: string[] }
}

const VERDICTS: Readonly<Record<string, Aspect>> = {
  won: { word: 'won', tone: 'clear', shape: 'disc' },
  agrees: { word: 'agrees', tone: 'lunar', shape: 'ring' },
  contradicts: { word: 'contradicts', tone: 'danger', shape: 'square' },
  expired: { word: 'expired', tone: 'unlit', shape: 'dashed' },
}

/** Why a session is read as it is: every piece of evidence, the rule that held, the rows it stands on. */
export function ExplainDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [at, setAt] = useState<number | null>(null)
  const { value, error, reload } = useLoad(`${session.id}@${at}`, signal =>
    getJson<ExplanationBody>(`/panes/${session.id}/explain${at === null ? '' : `?at=${at}`}`, { signal }),
  )
  const length = Math.max(1, Math.round((timeOf(session.endedAt ?? Date.now()) - timeOf(session.startedAt)) / 1000))
  return (
    <Dialog title="Why it is read so" onClose={onClose} isWide>
      <div class="row small" style={{ marginBottom: '12px' }}>
        <label for="explain-at" class="soft">
          Moment
        </label>
        <input
          id="explain-at"
          class="grow"
          type="range"
          min={0}
          max={length}
          value={at ?? length}
          onChange={event =>
            setAt(event.currentTarget.valueAsNumber >= length ? null : event.currentTarget.valueAsNumber)
          }
        />
        <output class="num" style={{ minWidth: '92px', textAlign: 'right' }}>
          {at === null ? 'now' : `${at} s in`}
        </output>
        <button
          type="button"
          class="btn"
          disabled={!value}
          onClick={() => download(`reading-${session.id}.json`, JSON.stringify(value, null, 2), 'application/json')}
        >
          Save as fixture candidate
        </button>
      </div>
      {value ? <ExplanationView body={value} /> : error ? <Problem error={error} retry={reload} /> : <Skeleton />}
    </Dialog>
  )
}

export function ExplanationView({ body }: { body: ExplanationBody }) {
  const { reading, evidence, frame, history } = body
  const held = frame.rules.filter(rule => rule.matched)
  const rest = frame.rules.filter(rule => !rule.matched)
  const lit = new Set(held.flatMap(({ rows }) => (rows ? range(rows) : [])))
  return (
    <div class="explain">
      <dl class="kv">
        <dt>Reading</dt>
        <dd class="strong">
          {reading.claim ?? 'none'} {reading.view && <span class="dim">({reading.view.replaceAll('_', ' ')})</span>}
        </dd>
        <dt>By</dt>
        <dd>
          {reading.authority ?? '–'} · <code>{reading.rule ?? 'no rule'}</code>
          {reading.confidence !== undefined && ` · ${Math.round(reading.confidence * 100)} %`}
        </dd>
        <dt>Phase, status</dt>
        <dd>
          {reading.phase ?? '–'}, {reading.status ?? '–'}
          {reading.age !== undefined && ` · for ${reading.age.toFixed(0)} s`}
        </dd>
      </dl>
      <h3>Evidence, highest first</h3>
      <div class="table-box">
        <table class="data">
          <thead>
            <tr>
              <th>Authority</th>
              <th>Says</th>
              <th>Verdict</th>
              <th>Rule</th>
              <th class="right">Age</th>
              <th class="right">Expires</th>
            </tr>
          </thead>
          <tbody>
            {evidence.map((piece, index) => (
              <tr key={index}>
                <td>{piece.authority}</td>
                <td class="strong">{piece.says.is}</td>
                <td>
                  <StatusBadge
                    aspect={VERDICTS[piece.verdict] ?? { word: piece.verdict, tone: 'unlit', shape: 'ring' }}
                  />
                </td>
                <td>
                  <code>{piece.rule}</code>
                </td>
                <td class="right">{piece.age.toFixed(1)} s</td>
                <td class="right">{piece.expires === null ? '–' : `${piece.expires.toFixed(0)} s`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {frame.regions.length > 0 && (
        <>
          <h3>The screen, by region</h3>
          <div class="frame-rows">
            {frame.regions.map(region => (
              <div key={region.name}>
                <span class="tiny dim">
                  {region.name} · rows {region.rows[0]}–{region.rows[1]}
                </span>
                <pre>
                  {region.text.split('\n').map((row, index) => (
                    <span key={index} class={lit.has(region.rows[0] + index) ? 'lit' : ''}>
                      {row || ' '}
                      {'\n'}
                    </span>
                  ))}
                </pre>
              </div>
            ))}
          </div>
        </>
      )}
      {frame.menus.map(({ live, proofs, failed, menu }) => (
        <p key={menu.question} class="small">
          <span class="chip">{live ? 'live menu' : 'not live'}</span> {menu.question}{' '}
          <span class="dim">{live ? `proofs: ${proofs.join(', ')}` : (failed ?? '')}</span>
        </p>
      ))}
      <h3>Rules that hold</h3>
      <ul class="stack small">
        {held.map(rule => (
          <li key={rule.id}>
            <code>{rule.id}</code> → {rule.view} <span class="dim">in {rule.region}</span>
          </li>
        ))}
        {held.length === 0 && <li class="dim">none</li>}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary class="small soft">{rest.length} rules that do not hold, and why</summary>
          <ul class="stack small" style={{ marginTop: '8px' }}>
            {rest.map(rule => (
              <li key={rule.id}>
                <code>{rule.id}</code> <span class="dim">{rule.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {history.length > 0 && (
        <>
          <h3>Last changes</h3>
          <ol class="stack small">
            {[...history].reverse().map((change, index) => (
              <li key={index}>
                <span class="num dim">{change.t === undefined ? '' : `${change.t.toFixed(1)} s`}</span>{' '}
                {change.claim ?? 'none'} <span class="dim">{change.view?.replaceAll('_', ' ')}</span>{' '}
                <code class="dim">{change.rule}</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}

function range([from, to]: [number, number]): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}
