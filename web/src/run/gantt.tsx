import { formatClock, formatTook, timeOf } from '../api/format'
import type { NodeVisit, RunNode, Timeline } from '../api/types'
import { now } from '../store/now'
import { nodeBadge } from '../ui/status'

/**
 * Visits and attempts of every node over time; gates are diamonds, recovered attempts are hatched.
 */
export function Gantt(props: {
  timeline: Timeline
  nodes: readonly RunNode[]
  picked: string | null
  onPick(node: string, visit: number): void
}) {
  const { timeline, nodes, picked, onPick } = props
  const begin = timeOf(timeline.startedAt)
  const end = Math.max(begin + 1_000, timeline.endedAt === null ? now.value : timeOf(timeline.endedAt))
  const length = end - begin
  const left = (at: number) => ((at - begin) / length) * 100
  const width = (from: number, to: number) => Math.max(0.35, ((to - from) / length) * 100)
  const rows = rowsOf(timeline.visits, nodes)
  if (rows.length === 0) return <p class="pad small soft">No node has started yet.</p>
  return (
    <div class="gantt" role="region" aria-label="Timeline" tabIndex={0}>
      <div class="gantt-axis" aria-hidden="true">
        <span />
        <div>
          {ticksOf(length).map(tick => (
            <span key={tick} style={{ left: `${(tick / length) * 100}%` }}>
              {formatClock(tick)}
            </span>
          ))}
        </div>
      </div>
      <ul>
        {rows.map(({ key, node, visits }) => (
          <li key={key} class={node === picked ? 'is-here' : ''}>
            <span class="cut small" title={key}>
              {key}
            </span>
            <div class="lane">
              {visits.map(visit => {
                const from = timeOf(visit.startedAt)
                const to = visit.endedAt === null ? end : timeOf(visit.endedAt)
                const badge = nodeBadge(visit.status)
                return (
                  <button
                    key={visit.visit}
                    type="button"
                    class={`bar-visit tone-${badge.tone} ${visit.endedAt === null ? 'open' : ''}`}
                    style={{ left: `${left(from)}%`, width: `${width(from, to)}%` }}
                    aria-label={`${key}, visit ${visit.visit}: ${badge.word}, ${formatTook(to - from)}`}
                    title={`${key} · visit ${visit.visit} · ${badge.word} · ${formatTook(to - from)}`}
                    onClick={() => onPick(node, visit.visit)}
                  >
                    {visit.attempts.map(attempt => {
                      const a = timeOf(attempt.startedAt)
                      const b = attempt.endedAt === null ? to : timeOf(attempt.endedAt)
                      return (
                        <i
                          key={attempt.step}
                          class={`${attempt.recovery ? 'recovered' : ''} ${attempt.status}`}
                          style={{
                            left: `${((a - from) / Math.max(1, to - from)) * 100}%`,
                            width: `${((b - a) / Math.max(1, to - from)) * 100}%`,
                          }}
                        />
                      )
                    })}
                  </button>
                )
              })}
              {visits.flatMap(visit =>
                visit.gates.map(gate => (
                  <span
                    key={gate.gate}
                    class={`gate ${gate.endedAt === null ? 'open' : ''}`}
                    style={{ left: `${left(timeOf(gate.endedAt ?? end))}%` }}
                    title={gate.endedAt === null ? 'waiting for an answer' : 'answered'}
                  />
                )),
              )}
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function rowsOf(
  visits: readonly NodeVisit[],
  nodes: readonly RunNode[],
): { key: string; node: string; visits: NodeVisit[] }[] {
  const rows = new Map<string, { key: string; node: string; visits: NodeVisit[] }>()
  for (const visit of visits) {
    const label = nodes.find(({ node }) => node === visit.node)?.label ?? visit.node
    const key = visit.branch ? `${visit.branch}: ${label}` : label
    const row = rows.get(key) ?? { key, node: visit.node, visits: [] }
    row.visits.push(visit)
    rows.set(key, row)
  }
  return [...rows.values()]
}

const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400]

function ticksOf(length: number): number[] {
  const step = (STEPS_S.find(s => length / (s * 1000) <= 8) ?? 86_400) * 1000
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, index) => index * step)
}
