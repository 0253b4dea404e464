import { useMemo } from 'preact/hooks'
import { baseName, formatCost, formatCount, formatTook, timeOf } from '../api/format'
import type { NodeVisit, Run, RunNode, RunNodes } from '../api/types'
import { Diff } from '../blocks/blocks'
import { valueText } from '../run/node-detail'
import { RunBadge } from '../run/run-badge'
import { runKind } from '../run/run-kind'
import { runs } from '../store/live'
import { query, setQuery } from '../store/router'
import { getJson } from '../transport/request'
import { isSame, lineDiff } from '../ui/line-diff'
import { Empty, Panel, Problem, Skeleton } from '../ui/panel'
import { nodeBadge, StatusBadge } from '../ui/status'
import { useLoad } from '../ui/use-load'

interface Loaded {
  run: Run
  nodes: RunNode[]
}

/** Two runs, or two visits of a node in one run. Differences are highlighted. */
export function CompareRunsPage() {
  const [a, b] = [useRun('a'), useRun('b')]
  const node = query.value.get('node')
  const problem = a.error ?? b.error
  return (
    <div class="page">
      <div class="page-head">
        <h1>{a.id !== null && a.id === b.id ? 'Compare two visits' : 'Compare two runs'}</h1>
        <div class="actions">
          <RunChoice side="a" label="First run" />
          <RunChoice side="b" label="Second run" />
        </div>
      </div>
      {problem ? (
        <Problem error={problem} />
      ) : a.id === null || b.id === null ? (
        <Empty title="Choose two runs" />
      ) : !a.value || !b.value ? (
        <Skeleton />
      ) : (
        <div class="stack wide">
          {a.id !== b.id && <Facts a={a.value.run} b={b.value.run} />}
          <Nodes a={a.value} b={b.value} picked={node} />
          {node !== null && <NodeDiff key={node} a={a.value} b={b.value} node={node} />}
        </div>
      )}
    </div>
  )
}

function useRun(side: 'a' | 'b') {
  const id = query.value.get(side)
  const version = (id && runs.get(id)?.version) ?? 0
  const loaded = useLoad<Loaded | null>(
    id ?? '',
    async signal => {
      if (id === null) return null
      const [run, { items }] = await Promise.all([
        getJson<Run>(`/runs/${id}`, { signal }),
        getJson<RunNodes>(`/runs/${id}/nodes`, { signal }),
      ])
      return { run, nodes: items }
    },
    version,
  )
  return { id, ...loaded }
}

function RunChoice({ side, label }: { side: 'a' | 'b'; label: string }) {
  const all = [...runs.all.value].sort((x, y) => timeOf(y.createdAt) - timeOf(x.createdAt))
  return (
    <select
      class="input run-choice"
      aria-label={label}
      value={query.value.get(side) ?? ''}
      onChange={event => setQuery({ [side]: event.currentTarget.value, node: null, av: null, bv: null })}
    >
      <option value="">Choose a run</option>
      {all.map(run => (
        <option key={run.id} value={run.id}>
          {run.title}
        </option>
      ))}
    </select>
  )
}

const took = (run: Run) => formatTook(timeOf(run.endedAt ?? Date.now()) - timeOf(run.startedAt ?? run.createdAt))

const FACTS: readonly [string, (run: Run) => string][] = [
  ['Kind', runKind],
  ['Project', run => baseName(run.project)],
  ['Steps', run => String(run.steps)],
  ['Time', took],
  ['Cost', run => formatCost(run.usage)],
  ['Tokens in', run => formatCount(run.usage.input)],
  ['Tokens out', run => formatCount(run.usage.output)],
  ['Result', run => run.why ?? '–'],
]

function Facts({ a, b }: { a: Run; b: Run }) {
  return (
    <div class="table-box">
      <table class="data" aria-label="The two runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="sr">What</span>
            </th>
            {[a, b].map(run => (
              <th scope="col" key={run.id}>
                <a class="strong" href={`/r/${run.id}`}>
                  {run.title}
                </a>{' '}
                <RunBadge run={run} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FACTS.map(([name, cell]) => (
            <tr key={name} class={cell(a) === cell(b) ? '' : 'differs'}>
              <th scope="row">{name}</th>
              <td>{cell(a)}</td>
              <td>{cell(b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Nodes({ a, b, picked }: { a: Loaded; b: Loaded; picked: string | null }) {
  const names = [...new Set([...a.nodes, ...b.nodes].map(({ node }) => node))]
  return (
    <Panel title="Nodes" note="select one to compare its results">
      <div class="table-box">
        <table class="data" aria-label="Nodes of both runs">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">First</th>
              <th scope="col">Second</th>
            </tr>
          </thead>
          <tbody>
            {names.map(name => {
              const [first, second] = [a, b].map(({ nodes }) => nodes.find(({ node }) => node === name))
              const isAlike = first?.status === second?.status && first?.visits === second?.visits
              return (
                <tr key={name} class={isAlike ? '' : 'differs'} aria-current={name === picked || undefined}>
                  <th scope="row">
                    <button
                      type="button"
                      class="link-button"
                      onClick={() => setQuery({ node: name, av: null, bv: null })}
                    >
                      {(first ?? second)!.label}
                    </button>
                  </th>
                  <td>
                    <NodeFacts node={first} />
                  </td>
                  <td>
                    <NodeFacts node={second} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function NodeFacts({ node }: { node: RunNode | undefined }) {
  if (!node) return <span class="dim">not in this graph</span>
  return (
    <span class="row wrap">
      <StatusBadge badge={nodeBadge(node.status)} />
      {node.visits > 0 && (
        <span class="small dim">
          {node.visits > 1 && `${node.visits} visits · `}
          {formatTook(node.ms)} · {formatCost(node.usage)}
        </span>
      )}
    </span>
  )
}

/** Input and result of the node on both sides, as a diff. */
function NodeDiff({ a, b, node }: { a: Loaded; b: Loaded; node: string }) {
  const [first, second] = [useVisit(a, node, 'av'), useVisit(b, node, 'bv')]
  const input = useDiff(first.visit, second.visit, 'input')
  const result = useDiff(first.visit, second.visit, 'result')
  const label = [...a.nodes, ...b.nodes].find(one => one.node === node)?.label ?? node
  const problem = first.error ?? second.error
  return (
    <Panel
      title={label}
      note={node}
      tools={
        <span class="row">
          <VisitChoice name="av" label="Visit in the first run" side={first} />
          <VisitChoice name="bv" label="Visit in the second run" side={second} />
        </span>
      }
    >
      <div class="pad stack wide">
        {problem ? (
          <Problem error={problem} />
        ) : first.isLoading || second.isLoading ? (
          <Skeleton />
        ) : (
          <>
            <Part title="Result" lines={result} isKnown={first.visit !== null && second.visit !== null} />
            <Part title="Input" lines={input} isKnown={first.visit !== null && second.visit !== null} />
          </>
        )}
      </div>
    </Panel>
  )
}

function Part(props: { title: string; lines: ReturnType<typeof lineDiff>; isKnown: boolean }) {
  return (
    <section aria-label={props.title}>
      <h3>{props.title}</h3>
      {!props.isKnown ? (
        <p class="small soft">One of the runs has not reached this node.</p>
      ) : isSame(props.lines) ? (
        <p class="small soft">Both sides are equal.</p>
      ) : (
        <Diff lines={props.lines} />
      )}
    </section>
  )
}

interface Side {
  visit: NodeVisit | null
  number: number
  visits: number
  error: unknown
  isLoading: boolean
}

function useVisit({ run, nodes }: Loaded, node: string, name: 'av' | 'bv'): Side {
  const visits = nodes.find(one => one.node === node)?.visits ?? 0
  const wanted = Number(query.value.get(name) ?? visits)
  const number = Math.max(1, Math.min(visits, Number.isFinite(wanted) ? wanted : visits))
  const { value, error, isLoading } = useLoad<NodeVisit | null>(
    `${run.id}/${node}/${visits === 0 ? 0 : number}`,
    signal =>
      visits === 0
        ? Promise.resolve(null)
        : getJson<NodeVisit>(`/runs/${run.id}/nodes/${encodeURIComponent(node)}/visits/${number}`, { signal }),
  )
  return { visit: value, number, visits, error, isLoading }
}

function VisitChoice({ name, label, side }: { name: 'av' | 'bv'; label: string; side: Side }) {
  if (side.visits < 2) return null
  return (
    <select
      class="input"
      aria-label={label}
      value={side.number}
      onChange={event => setQuery({ [name]: event.currentTarget.value })}
    >
      {Array.from({ length: side.visits }, (_, index) => (
        <option key={index} value={index + 1}>
          visit {index + 1}
        </option>
      ))}
    </select>
  )
}

function useDiff(first: NodeVisit | null, second: NodeVisit | null, field: 'input' | 'result') {
  return useMemo(() => {
    const text = (visit: NodeVisit | null) => valueText(visit?.attempts.at(-1)?.[field]).split('\n')
    return lineDiff(text(first), text(second))
  }, [first, second, field])
}
