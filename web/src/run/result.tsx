import { useMemo } from 'preact/hooks'
import { formatCost, plural } from '../api/format'
import type { Run, RunDiff, RunNode, Timeline } from '../api/types'
import { Blocks } from '../blocks/blocks'
import { markdownBlocks } from '../blocks/markdown'
import { parseUnified } from '../diff/unified-diff'
import { setQuery } from '../store/router'
import { getJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { runBadge, StatusIcon } from '../ui/status'
import { Took } from '../ui/time'
import { useLoad } from '../ui/use-load'
import { useVisitText } from './visit-text'

/** What a run that is done has made: its branch, its changes, and the last answer. */
export function ResultPanel(props: { run: Run; nodes: readonly RunNode[]; timeline: Timeline | null }) {
  const { run, nodes, timeline } = props
  // A run without a repository has no changes.
  const { value: diff, isLoading } = useLoad(`result ${run.id}`, signal =>
    getJson<RunDiff>(`/runs/${run.id}/diff?space=show`, { signal }).catch(() => null),
  )
  const files = useMemo(() => parseUnified(diff?.diff ?? ''), [diff?.diff])
  const count = files.length + (diff?.hidden.length ?? 0)
  // The last word of an agent says more than the output of the command after it.
  const visits = timeline?.visits.filter(({ attempts }) => attempts.length > 0) ?? []
  const last = visits.findLast(({ attempts }) => attempts.some(({ usage }) => usage !== null)) ?? visits.at(-1) ?? null
  const label = last && (nodes.find(({ node }) => node === last.node)?.label ?? last.node)
  const answer = useVisitText(run.id, last, ANSWER) ?? ''
  const blocks = useMemo(() => markdownBlocks(answer), [answer])
  return (
    <section class="panel result tone-done" aria-label="Result">
      <header>
        <span class="badge">
          <StatusIcon shape={runBadge('completed').shape} />
        </span>
        <h2>
          Done
          <span class="small dim">
            {' '}
            in <Took from={run.startedAt ?? run.createdAt} to={run.endedAt} />
            {run.usage.costUsd !== undefined && ` for ${formatCost(run.usage)}`}
          </span>
        </h2>
        {count > 0 && (
          <button type="button" class="btn solid" onClick={() => setQuery({ tab: 'diff', node: null, visit: null })}>
            See the changes
          </button>
        )}
      </header>
      <p class="result-facts small">
        <span>{count === 0 ? (isLoading ? '' : 'No files changed') : `${plural(count, 'file')} changed`}</span>
        {diff && diff.commits > 0 && <span>{plural(diff.commits, 'commit')}</span>}
        {diff?.branch && count + diff.commits > 0 && (
          <span>
            branch <code>{diff.branch}</code>
            <CopyButton text={diff.branch} label="Copy the name of the branch" />
          </span>
        )}
      </p>
      {answer !== '' && (
        <div class="result-answer" tabIndex={0} role="region" aria-label={`What “${label}” said last`}>
          <p class="tiny dim">{label}</p>
          <Blocks blocks={blocks} />
        </div>
      )}
    </section>
  )
}

const ANSWER = ['response', 'text', 'output', 'stdout'] as const
