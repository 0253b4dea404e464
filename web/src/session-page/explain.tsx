import { useState } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { ScreenExplanation, Session } from '../api/types'
import { getJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { download } from '../ui/download'
import { Problem, Skeleton } from '../ui/panel'
import { type Badge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

const VERDICTS: Readonly<Record<ScreenExplanation['evidence'][number]['verdict'], Badge>> = {
  won: { word: 'won', tone: 'active', shape: 'disc' },
  agrees: { word: 'agrees', tone: 'done', shape: 'ring' },
  contradicts: { word: 'contradicts', tone: 'danger', shape: 'square' },
  expired: { word: 'expired', tone: 'muted', shape: 'dashed' },
}

/**
 * Why a session has its status: all evidence, the rules that matched, and the rows that they
 * matched.
 */
export function ExplainDialog({ session, onClose }: { session: Session; onClose(): void }) {
  const [at, setAt] = useState<number | null>(null)
  const { value, error, reload } = useLoad(`${session.id}@${at}`, signal =>
    getJson<ScreenExplanation>(`/panes/${session.id}/explain${at === null ? '' : `?at=${at}`}`, { signal }),
  )
  const length = Math.max(1, Math.round((timeOf(session.endedAt ?? Date.now()) - timeOf(session.startedAt)) / 1000))
  return (
    <Dialog title="Why this status?" onClose={onClose} isWide>
      <div class="row small" style={{ marginBottom: '12px' }}>
        <label for="explain-at" class="soft">
          Position
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
          {at === null ? 'now' : `at ${at} s`}
        </output>
        <button
          type="button"
          class="btn"
          disabled={!value}
          onClick={() => download(`reading-${session.id}.json`, JSON.stringify(value, null, 2), 'application/json')}
        >
          Download as JSON
        </button>
      </div>
      {value ? (
        <ExplanationView explanation={value} />
      ) : error ? (
        <Problem error={error} retry={reload} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

function ExplanationView({ explanation }: { explanation: ScreenExplanation }) {
  const { reading, evidence, frame, history } = explanation
  const matched = frame.rules.filter(rule => rule.matched)
  const others = frame.rules.filter(rule => !rule.matched)
  const lit = new Set(matched.flatMap(({ rows }) => (rows ? range(rows) : [])))
  return (
    <div class="explain">
      <dl class="kv">
        <dt>Reading</dt>
        <dd class="strong">
          {reading.claim ?? 'none'} <span class="dim">({reading.view.replaceAll('_', ' ')})</span>
        </dd>
        <dt>Source</dt>
        <dd>
          {reading.authority} · <code>{reading.rule}</code> · {Math.round(reading.confidence * 100)}%
        </dd>
        <dt>Phase, status</dt>
        <dd>
          {reading.phase}, {reading.status} · for {reading.age.toFixed(0)} s
        </dd>
      </dl>
      <h3>Evidence, highest authority first</h3>
      <div class="table-box">
        <table class="data">
          <thead>
            <tr>
              <th>Authority</th>
              <th>Says</th>
              <th>Result</th>
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
                  <StatusBadge badge={VERDICTS[piece.verdict]} />
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
          <h3>Screen by region</h3>
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
      <h3>Matching rules</h3>
      <ul class="stack small">
        {matched.map(rule => (
          <li key={rule.id}>
            <code>{rule.id}</code> → {rule.view} <span class="dim">in {rule.region}</span>
          </li>
        ))}
        {matched.length === 0 && <li class="dim">none</li>}
      </ul>
      {others.length > 0 && (
        <details>
          <summary class="small soft">{others.length} rules that do not match, with the reason</summary>
          <ul class="stack small" style={{ marginTop: '8px' }}>
            {others.map(rule => (
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
                <span class="num dim">{change.t.toFixed(1)} s</span> {change.claim ?? 'none'}{' '}
                <span class="dim">{change.view.replaceAll('_', ' ')}</span> <code class="dim">{change.rule}</code>
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
