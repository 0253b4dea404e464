import { useState } from 'preact/hooks'
import { isOpenRun } from '../../../src/text/needs-you'
import type { Run, RunGates, RunNode, RunNodes, Timeline } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { PullPanel } from '../pull/pull-panel'
import { CancelledPanel } from '../run/cancelled'
import { ContextView } from '../run/context-view'
import { FailurePanel, failedVisit, whyFailed } from '../run/failure'
import { ForkDialog } from '../run/fork-dialog'
import { Gantt } from '../run/gantt'
import { NodeTable, RunGraph, stepsOf } from '../run/graph-panel'
import { RunHead } from '../run/head'
import { RunLog } from '../run/log'
import { NodeDetail } from '../run/node-detail'
import { NowPanel } from '../run/now-panel'
import { ResultPanel } from '../run/result'
import { RunDiff } from '../run/run-diff'
import { usePageKeys } from '../shell/keyboard'
import { approvals, runs } from '../store/live'
import { query, setQuery } from '../store/router'
import { getJson } from '../transport/request'
import { ErrorBoundary, Missing, Panel, Problem, Skeleton } from '../ui/panel'
import { TabPanel, Tabs } from '../ui/tabs'
import { useLoad } from '../ui/use-load'

const TABS = ['log', 'pull', 'timeline', 'diff', 'gates', 'context'] as const
const TAB_NAMES = {
  log: 'Log',
  pull: 'Pull request',
  timeline: 'Timeline',
  diff: 'Changes',
  gates: 'Requests',
  context: 'Context',
} as const
type Tab = (typeof TABS)[number]
/** Tabs that need the whole width. */
const WIDE: readonly Tab[] = ['pull', 'timeline', 'diff']

export function RunPage({ id }: { id: string }) {
  const { error, reload } = useLoad(id, async signal => runs.put(await getJson<Run>(`/runs/${id}`, { signal })))
  const run = runs.get(id)
  if (run) return <Loaded run={run} />
  return (
    <div class="page">
      <h1 class="sr">Run</h1>
      {error ? <Missing error={error} what="run" all="/runs" retry={reload} /> : <Skeleton />}
    </div>
  )
}

function Loaded({ run }: { run: Run }) {
  const { version } = run
  usePageKeys({})
  const isFailed = run.status === 'failed'
  const visit = Number(query.value.get('visit') ?? Number.MAX_SAFE_INTEGER)
  const [forking, setForking] = useState<string | null>(query.value.get('fork') ? '' : null)
  const loadedNodes = useLoad(run.id, signal => getJson<RunNodes>(`/runs/${run.id}/nodes`, { signal }), version)
  const loadedTimeline = useLoad(run.id, signal => getJson<Timeline>(`/runs/${run.id}/timeline`, { signal }), version)
  const nodes = loadedNodes.value?.items ?? null
  const timeline = loadedTimeline.value
  // Runs of other pipelines reach these nodes only when they have a pull request.
  const tabs = TABS.filter(name => name !== 'pull' || hasPull(nodes))
  const first: Tab = run.labels.pipeline === 'pull_request' && tabs.includes('pull') ? 'pull' : 'log'
  const tab = tabs.find(name => name === query.value.get('tab')) ?? first
  // A failed run opens on why: the panel at its top has the node that failed.
  const failed = isFailed ? failedVisit(timeline) : null
  const node = query.value.get('node')
  const open = approvals.all.value.filter(
    ({ subject, state }) => subject.run === run.id && (state === 'pending' || state === 'decided'),
  )
  const pick = (name: string, number?: number) =>
    setQuery({ node: name, visit: number === undefined ? null : String(number) })
  const current = nodes?.find(candidate => candidate.node === node)
  return (
    <div class="page">
      <RunHead run={run} nodes={nodes ?? []} onFork={() => setForking('')} />
      {open.length > 0 && (
        <div class="cards" style={{ marginBottom: '24px' }}>
          <h2 class="sr">Needs you</h2>
          {open.map(approval => (
            <ApprovalCard key={approval.id} approval={approval} takesKeys={approval.state === 'pending'} />
          ))}
        </div>
      )}
      {open.length === 0 && isOpenRun(run) && <NowPanel run={run} nodes={nodes ?? []} timeline={timeline} />}
      {isFailed && <FailurePanel run={run} nodes={nodes ?? []} timeline={timeline} onPick={pick} />}
      {run.status === 'completed' && <ResultPanel run={run} nodes={nodes ?? []} timeline={timeline} />}
      {run.status === 'cancelled' && <CancelledPanel run={run} nodes={nodes ?? []} />}
      <div class={`run-grid ${WIDE.includes(tab) ? 'is-wide' : ''}`}>
        <section class="panel run-main" aria-label="Details">
          <h2 class="sr">Details</h2>
          <div style={{ padding: '0 16px' }}>
            <Tabs
              label="Details"
              value={tab}
              choices={tabs.map(value => ({ value, label: TAB_NAMES[value] }))}
              onChange={value => setQuery({ tab: value === first ? null : value })}
            />
          </div>
          <TabPanel value={tab}>
            <ErrorBoundary>
              {tab === 'timeline' &&
                (timeline ? (
                  <Gantt timeline={timeline} nodes={nodes ?? []} picked={node} onPick={pick} />
                ) : (
                  <div class="pad">
                    {loadedTimeline.error ? (
                      <Problem error={loadedTimeline.error} retry={loadedTimeline.reload} />
                    ) : (
                      <Skeleton />
                    )}
                  </div>
                ))}
              {tab === 'log' && (
                <RunLog
                  run={run.id}
                  version={version}
                  node={node}
                  nodes={nodes ?? (loadedNodes.error ? [] : null)}
                  said={isFailed ? whyFailed(run, timeline) : ''}
                  isOpen={isOpenRun(run)}
                />
              )}
              {tab === 'pull' && <PullPanel run={run} />}
              {tab === 'diff' && <RunDiff run={run} node={node} />}
              {tab === 'context' && <ContextView run={run.id} version={version} nodes={nodes ?? []} />}
              {tab === 'gates' && <Gates run={run.id} version={version} />}
            </ErrorBoundary>
          </TabPanel>
        </section>
        <div class="run-aside">
          <RunGraph run={run} version={version} picked={node ?? failed?.node ?? null} onPick={pick} nodes={nodes} />
          <Panel
            title={current ? current.label : 'Steps'}
            note={current ? '' : nodes && `${stepsOf(nodes).length}`}
            class="run-side"
            tools={
              current && (
                <button type="button" class="btn quiet" onClick={() => setQuery({ node: null, visit: null })}>
                  All steps
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
                labelOf={name => nodes?.find(candidate => candidate.node === name)?.label ?? name}
                onVisit={number => pick(current.node, number)}
                onFork={setForking}
              />
            ) : (
              <NodeTable nodes={nodes} error={loadedNodes.error} onPick={pick} />
            )}
          </Panel>
        </div>
      </div>
      {forking !== null && <ForkDialog run={run} at={forking} nodes={nodes ?? []} onClose={() => setForking(null)} />}
    </div>
  )
}

/** The node that looks at a pull request has run, or the one that opens it. */
function hasPull(nodes: readonly RunNode[] | null): boolean {
  return (nodes ?? []).some(({ node, visits }) => (node === 'observe' || node === 'publish') && visits > 0)
}

function Gates({ run, version }: { run: string; version: number }) {
  const { value, error, reload } = useLoad(
    run,
    async signal => {
      const { items } = await getJson<RunGates>(`/runs/${run}/gates`, { signal })
      approvals.put(...items.map(({ approval }) => approval))
      return items
    },
    version,
  )
  if (!value) return <div class="pad">{error ? <Problem error={error} retry={reload} /> : <Skeleton />}</div>
  return (
    <div class="cards pad">
      {value.length === 0 && <p class="small soft">No requests in this run yet</p>}
      {value.map(({ approval }) => (
        <ApprovalCard key={approval.id} approval={approvals.get(approval.id) ?? approval} />
      ))}
      {value.length > 0 && (
        <a class="link small" href={`/requests?run=${run}`}>
          All requests of this run, with those of its agents
        </a>
      )}
    </div>
  )
}
