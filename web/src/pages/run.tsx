import { useEffect, useState } from 'preact/hooks'
import { baseName, formatCount, formatMoney, formatSpan } from '../api/format'
import type { Approval, Run } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { RunDiff } from '../run/diff-view'
import { ForkDialog } from '../run/fork-dialog'
import { Gantt } from '../run/gantt'
import { GraphView } from '../run/graph-view'
import { RunLog } from '../run/log'
import { NodeDetail } from '../run/node-detail'
import type { RunNode, Timeline } from '../run/types'
import { controlRun } from '../store/actions'
import { approvals, canDecide, runs } from '../store/live'
import { query, setQuery } from '../store/router'
import { attempt } from '../store/toasts'
import { getJson, request } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { download } from '../ui/download'
import { ForkIcon, PlayIcon, StopIcon } from '../ui/icons'
import { Menu } from '../ui/menu'
import { Guard, Panel, Problem, Skeleton } from '../ui/panel'
import { isOpenRun, nodeAspect, runAspect, StatusBadge } from '../ui/status'
import { TabPanel, Tabs } from '../ui/tabs'
import { Age, Took } from '../ui/time'
import { useLoad } from '../ui/use-load'

const TABS = ['timeline', 'log', 'diff', 'context', 'gates'] as const
type Tab = (typeof TABS)[number]

export function RunPage({ id }: { id: string }) {
  const { error, reload } = useLoad(id, async signal => runs.put(await getJson<Run>(`/runs/${id}`, { signal })))
  const run = runs.get(id)
  if (run) return <Loaded run={run} />
  return (
    <div class="page">
      <h1 class="sr">Run</h1>
      {error ? <Problem error={error} retry={reload} /> : <Skeleton />}
    </div>
  )
}

function Loaded({ run }: { run: Run }) {
  const version = run.version ?? 0
  const tab = (TABS.find(name => name === query.value.get('tab')) ?? 'timeline') as Tab
  const node = query.value.get('node')
  const visit = Number(query.value.get('visit') ?? Number.MAX_SAFE_INTEGER)
  const [forking, setForking] = useState<string | null>(query.value.get('fork') ? '' : null)
  const nodes = useLoad(`${run.id}#${version}`, signal =>
    getJson<{ items: RunNode[] }>(`/runs/${run.id}/nodes`, { signal }),
  )
  const timeline = useLoad(`${run.id}#${version}`, signal => getJson<Timeline>(`/runs/${run.id}/timeline`, { signal }))
  const lastNodes = useLast(nodes.value?.items)
  const lastTimeline = useLast(timeline.value)
  const open = approvals.all.value.filter(
    ({ subject, state }) => subject.run === run.id && (state === 'pending' || state === 'decided'),
  )
  const pick = (name: string, number?: number) =>
    setQuery({ node: name, visit: number === undefined ? null : String(number) })
  const current = lastNodes?.find(candidate => candidate.node === node)
  return (
    <div class="page">
      <Head run={run} onFork={() => setForking('')} />
      {open.length > 0 && (
        <div class="cards" style={{ marginBottom: '24px' }}>
          {open.map(approval => (
            <ApprovalCard key={approval.id} approval={approval} isPicked={approval.state === 'pending'} />
          ))}
        </div>
      )}
      <div class="run-grid">
        <RunGraph run={run} version={version} picked={node} onPick={pick} nodes={lastNodes} />
        <Panel
          title={current ? current.label : 'Nodes'}
          note={current ? current.node : lastNodes && `${lastNodes.length}`}
          class="run-side"
          tools={
            current && (
              <button type="button" class="btn quiet" onClick={() => setQuery({ node: null, visit: null })}>
                All nodes
              </button>
            )
          }
        >
          {current ? (
            <NodeDetail
              run={run.id}
              node={current}
              visit={visit}
              version={version}
              onVisit={number => pick(current.node, number)}
              onFork={setForking}
            />
          ) : (
            <NodeTable nodes={lastNodes} error={nodes.error} onPick={pick} />
          )}
        </Panel>
      </div>
      <section class="panel" style={{ marginTop: '16px' }} aria-label="Details">
        <div style={{ padding: '0 16px' }}>
          <Tabs
            label="Details"
            value={tab}
            choices={TABS.map(value => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }))}
            onChange={value => setQuery({ tab: value === 'timeline' ? null : value })}
          />
        </div>
        <TabPanel value={tab}>
          <Guard>
            {tab === 'timeline' &&
              (lastTimeline ? (
                <Gantt timeline={lastTimeline} picked={node} onPick={pick} />
              ) : (
                <div class="pad">
                  {timeline.error ? <Problem error={timeline.error} retry={timeline.reload} /> : <Skeleton />}
                </div>
              ))}
            {tab === 'log' && <RunLog run={run.id} version={version} node={node} />}
            {tab === 'diff' && <RunDiff run={run.id} node={node} version={version} />}
            {tab === 'context' && <ContextView run={run.id} version={version} />}
            {tab === 'gates' && <Gates run={run.id} version={version} />}
          </Guard>
        </TabPanel>
      </section>
      {forking !== null && (
        <ForkDialog run={run} at={forking} nodes={lastNodes ?? []} onClose={() => setForking(null)} />
      )}
    </div>
  )
}

/** What was shown stays until there is something newer: a live page does not blink. */
function useLast<T>(value: T | null | undefined): T | null {
  const [last, setLast] = useState<T | null>(null)
  useEffect(() => {
    if (value) setLast(value)
  }, [value])
  return value ?? last
}

function Head({ run, onFork }: { run: Run; onFork(): void }) {
  const exportAs = (format: string) =>
    attempt(async () => {
      const response = await request(`/runs/${run.id}/export?format=${format}`)
      download(`${run.id}.${format}.json`, await response.arrayBuffer(), 'application/octet-stream')
    })
  const copyDot = () =>
    attempt(
      async () => navigator.clipboard.writeText(await (await request(`/runs/${run.id}/graph?format=dot`)).text()),
      'The DOT text is in the clipboard',
    )
  return (
    <div class="page-head">
      <div class="grow">
        <div class="row wrap" style={{ rowGap: '2px' }}>
          <h1>{run.title}</h1>
          <StatusBadge aspect={runAspect(run.status)} isLive={run.status === 'running'} />
        </div>
        <p class="small dim facts">
          <span>{run.labels?.pipeline ?? run.kind}</span>
          <span title={run.project}>{baseName(run.project)}</span>
          {run.step && <span>at {run.step}</span>}
          <span>
            <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
          </span>
          <span>
            {formatMoney(run.usage?.costUsd)} · {formatCount((run.usage?.input ?? 0) + (run.usage?.output ?? 0))} tokens
          </span>
          <Age at={run.createdAt} prefix="begun " suffix=" ago" />
          {run.reason && <span class="soft">{run.reason}</span>}
          {run.from && (
            <a class="link" href={`/r/${run.from.run}`}>
              {run.from.as} of another run
            </a>
          )}
        </p>
      </div>
      <div class="actions">
        {(run.status === 'paused' || run.status === 'failed') && (
          <button
            type="button"
            class="btn solid"
            disabled={!canDecide.value}
            onClick={() => void controlRun(run.id, 'resume', 'The run goes on')}
          >
            <PlayIcon /> Resume
          </button>
        )}
        <button type="button" class="btn" disabled={!canDecide.value} onClick={onFork}>
          <ForkIcon /> Fork
        </button>
        {isOpenRun(run) && (
          <button
            type="button"
            class="btn danger"
            disabled={!canDecide.value}
            onClick={() => void controlRun(run.id, 'cancel', 'The run is being cancelled')}
          >
            <StopIcon /> Cancel
          </button>
        )}
        <Menu label="More actions">
          <button type="button" onClick={() => void copyDot()}>
            Copy the DOT text
          </button>
          <button type="button" onClick={() => void exportAs('bundle')}>
            Export as a bundle
          </button>
          {run.kind === 'graph' && (
            <button type="button" onClick={() => void exportAs('attractor')}>
              Export for attractor
            </button>
          )}
          {run.kind === 'oneshot' && (
            <button type="button" onClick={() => void exportAs('oneshot')}>
              Export as oneshot files
            </button>
          )}
        </Menu>
        <CopyButton text={run.id} label="Copy the run’s id" />
      </div>
    </div>
  )
}

function RunGraph(props: {
  run: Run
  version: number
  picked: string | null
  nodes: readonly RunNode[] | null
  onPick(node: string): void
}) {
  const { run, version } = props
  const isGraph = run.kind === 'graph'
  const { value, error } = useLoad(`${run.id}/${isGraph}#${version}`, async signal =>
    isGraph ? (await request(`/runs/${run.id}/graph?format=svg`, { signal })).text() : null,
  )
  const last = useLast(value)
  if (!isGraph)
    return (
      <section class="panel run-graph steps-line" aria-label="Steps">
        <ol>
          {(props.nodes ?? []).map(node => {
            const aspect = nodeAspect(node.status)
            return (
              <li key={node.node} class={`tone-${aspect.tone}`}>
                <button type="button" onClick={() => props.onPick(node.node)}>
                  <StatusBadge aspect={{ ...aspect, word: node.label }} isLive={node.status === 'running'} />
                  <span class="tiny dim">
                    {node.visits} × · {formatSpan(node.ms)}
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
      {last ? (
        <GraphView
          svg={last}
          label={`Graph of ${run.title}; the nodes are also a table beside it`}
          picked={props.picked}
          onPick={props.onPick}
        />
      ) : (
        <div class="pad">{error ? <Problem error={error} /> : <Skeleton />}</div>
      )}
    </section>
  )
}

function NodeTable({
  nodes,
  error,
  onPick,
}: {
  nodes: readonly RunNode[] | null
  error: unknown
  onPick(node: string): void
}) {
  if (!nodes) return <div class="pad">{error ? <Problem error={error} /> : <Skeleton />}</div>
  return (
    <div class="node-table" tabIndex={0} role="region" aria-label="Nodes">
      <table class="data">
        <thead>
          <tr>
            <th>Node</th>
            <th>State</th>
            <th class="right">Visits</th>
            <th class="right">Time</th>
            <th class="right">Cost</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(node => (
            <tr key={node.node}>
              <td>
                <button type="button" class="link-button cut" onClick={() => onPick(node.node)}>
                  {node.label}
                </button>
              </td>
              <td>
                <StatusBadge
                  aspect={nodeAspect(node.status === 'idle' ? 'pending' : node.status)}
                  isLive={node.status === 'running'}
                />
              </td>
              <td class="right">{node.visits || '–'}</td>
              <td class="right">{node.ms ? formatSpan(node.ms) : '–'}</td>
              <td class="right">{formatMoney(node.usage.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ContextView({ run, version }: { run: string; version: number }) {
  const { value, error, reload } = useLoad(`${run}#${version}`, signal =>
    getJson<{ context: Record<string, unknown> }>(`/runs/${run}/context`, { signal }),
  )
  if (!value) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  const entries = Object.entries(value.context)
  return (
    <dl class="kv pad">
      {entries.length === 0 && <dd class="dim">Nothing is known yet.</dd>}
      {entries.map(([key, known]) => (
        <>
          <dt key={key} class="mono">
            {key}
          </dt>
          <dd>
            <pre class="context-value">{typeof known === 'string' ? known : JSON.stringify(known, null, 2)}</pre>
          </dd>
        </>
      ))}
    </dl>
  )
}

function Gates({ run, version }: { run: string; version: number }) {
  const { value, error, reload } = useLoad(`${run}#${version}`, async signal => {
    const { items } = await getJson<{ items: { gate: string; approval: Approval }[] }>(`/runs/${run}/gates`, { signal })
    approvals.put(...items.map(({ approval }) => approval))
    return items
  })
  if (!value) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  return (
    <div class="cards pad">
      {value.length === 0 && <p class="small soft">This run has asked nobody yet.</p>}
      {value.map(({ approval }) => (
        <ApprovalCard key={approval.id} approval={approvals.get(approval.id) ?? approval} />
      ))}
    </div>
  )
}
