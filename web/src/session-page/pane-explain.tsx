import type { ComponentChildren } from 'preact'
import type { Explanation, Pane, PaneStats } from '../api/types'
import { getJson } from '../transport/request'
import { Dialog } from '../ui/dialog'
import { Problem, Skeleton } from '../ui/panel'
import { Clock } from '../ui/time'
import { useLoad } from '../ui/use-load'

type Supervision = NonNullable<Explanation['supervision']>

/** Newest reports that are shown; `signalbox explain` prints all of the last hour. */
const REPORTS_SHOWN = 60
/** Counters that explain a status; the others measure the program. */
const COUNTED = /^(?:heuristic|status|reading|pane)\./

/** Why a tmux pane has its status: its reports, its status changes, and the counters. */
export function PaneExplainDialog({ pane, onClose }: { pane: Pane; onClose(): void }) {
  const { value, error, reload } = useLoad(`${pane.id} ${pane.stateId}`, async signal => {
    const [{ supervision }, stats] = await Promise.all([
      getJson<Explanation>(`/panes/${pane.id}/explain`, { signal }),
      getJson<PaneStats>('/panes/stats', { signal }),
    ])
    return { supervision, stats }
  })
  return (
    <Dialog title="Why this status?" onClose={onClose} isWide>
      {value?.supervision ? (
        <SupervisionView supervision={value.supervision} counters={value.stats.counters} />
      ) : error ? (
        <Problem error={error} retry={reload} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

function SupervisionView({ supervision, counters }: { supervision: Supervision; counters: PaneStats['counters'] }) {
  const { pane, reports, status } = supervision
  const { why } = pane
  return (
    <div class="explain">
      <dl class="kv">
        <dt>Status</dt>
        <dd class="strong">
          {pane.status} {pane.doing && <span class="dim">{pane.doing}</span>}
        </dd>
        <dt>Source</dt>
        <dd>
          {why.authority} · <code>{why.rule}</code> · {Math.round(why.confidence * 100)}%
        </dd>
        <dt>Program</dt>
        <dd>{pane.command || 'unknown'}</dd>
        <dt>Heuristics</dt>
        <dd>
          {pane.heuristicsOff === null ? 'may judge this pane' : `off: ${pane.heuristicsOff.replaceAll('_', ' ')}`}
        </dd>
      </dl>
      <h3>Status changes, newest first</h3>
      <Table heads={['Time', 'Event', 'Source', 'Change', 'Result']}>
        {[...status].reverse().map((entry, index) => (
          <tr key={index}>
            <td>
              <Clock at={entry.at} />
            </td>
            <td>{entry.event}</td>
            <td>{entry.source}</td>
            <td class="strong">{entry.from === entry.to ? entry.to : `${entry.from} → ${entry.to}`}</td>
            <td>{entry.reason}</td>
          </tr>
        ))}
      </Table>
      <h3>Reports, newest first</h3>
      <Table heads={['Time', 'Source', 'Says', 'Rule', 'Effect']}>
        {reports
          .slice(-REPORTS_SHOWN)
          .reverse()
          .map((report, index) => (
            <tr key={index}>
              <td>
                <Clock at={report.lastAt} />
              </td>
              <td>{report.source}</td>
              <td class="strong">
                {report.says} {report.count > 1 && <span class="dim">×{report.count}</span>}
              </td>
              <td>
                <code>{report.ref}</code>
              </td>
              <td>{report.effect}</td>
            </tr>
          ))}
      </Table>
      <details>
        <summary class="small soft">Counters of all panes since the daemon started</summary>
        <Table heads={['Counter', 'Labels', 'Count']}>
          {counters
            .filter(({ name }) => COUNTED.test(name))
            .map(({ name, labels, value }) => (
              <tr key={`${name} ${JSON.stringify(labels)}`}>
                <td>{name}</td>
                <td>
                  {Object.entries(labels)
                    .map(([label, text]) => `${label}: ${text}`)
                    .join(', ')}
                </td>
                <td class="right num">{Math.round(value)}</td>
              </tr>
            ))}
        </Table>
      </details>
    </div>
  )
}

function Table({ heads, children }: { heads: readonly string[]; children: ComponentChildren }) {
  return (
    <div class="table-box">
      <table class="data">
        <thead>
          <tr>
            {heads.map(head => (
              <th key={head}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
