import { formatCost, formatTook, plural } from '../api/format'
import type { Run, RunNode } from '../api/types'
import { request } from '../transport/request'
import { Problem, Skeleton } from '../ui/panel'
import { nodeBadge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'
import { GraphView } from './graph-view'

export function RunGraph(props: {
  run: Run
  version: number
  picked: string | null
  nodes: readonly RunNode[] | null
  onPick(node: string): void
}) {
  const { run, version } = props
  const isGraph = run.kind === 'graph'
  const { value, error } = useLoad(
    `${run.id}/${isGraph}`,
    async signal => (isGraph ? (await request(`/runs/${run.id}/graph?format=svg`, { signal })).text() : null),
    version,
  )
  if (!isGraph)
    return (
      <section class="panel run-graph steps-line" aria-label="Steps">
        <ol>
          {(props.nodes ?? []).map(node => {
            const badge = nodeBadge(node.status)
            return (
              <li key={node.node} class={`tone-${badge.tone}`}>
                <button type="button" onClick={() => props.onPick(node.node)}>
                  <StatusBadge badge={{ ...badge, word: node.label }} isLive={node.status === 'running'} />
                  <span class="tiny dim">
                    {plural(node.visits, 'visit')} · {formatTook(node.ms)}
                  </span>
                </button>
              </li>
            )
          })}
        </ol>
      </section>
    )
  return (
    <section class="panel run-graph" aria-label="Graph">
      {value ? (
        <GraphView
          svg={value}
          label={`Graph of ${run.title}; the table beside it has the same nodes`}
          picked={props.picked}
          onPick={props.onPick}
        />
      ) : (
        <div class="pad">{error ? <Problem error={error} /> : <Skeleton />}</div>
      )}
    </section>
  )
}

/** The nodes that do something: not where a graph starts and ends. */
export function stepsOf(nodes: readonly RunNode[]): readonly RunNode[] {
  const steps = nodes.filter(({ handler }) => handler !== 'start' && handler !== 'exit')
  return steps.length > 0 ? steps : nodes
}

export function NodeTable({
  nodes,
  error,
  onPick,
}: {
  nodes: readonly RunNode[] | null
  error: unknown
  onPick(node: string): void
}) {
  if (!nodes) return <div class="pad">{error ? <Problem error={error} /> : <Skeleton />}</div>
  const steps = stepsOf(nodes)
  const hasRepeats = nodes.some(({ visits }) => visits > 1)
  return (
    <div class="node-table" tabIndex={0} role="region" aria-label="Steps">
      <table class="data">
        <thead>
          <tr>
            <th>Step</th>
            <th>Status</th>
            {hasRepeats && <th class="right">Visits</th>}
            <th class="right">Time</th>
            <th class="right">Cost</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(node => (
            <tr key={node.node}>
              <td>
                <button type="button" class="link-button cut" onClick={() => onPick(node.node)}>
                  {node.label}
                </button>
              </td>
              <td>
                <StatusBadge badge={nodeBadge(node.status)} isLive={node.status === 'running'} />
              </td>
              {hasRepeats && <td class="right">{node.visits || '–'}</td>}
              <td class="right">{node.ms ? formatTook(node.ms) : '–'}</td>
              <td class="right">{formatCost(node.usage)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
