import type { Run, RunNode, Timeline } from '../api/types'
import { controlRun } from '../store/actions'
import { canDecide } from '../store/live'
import { sentence } from '../store/toasts'
import { PlayIcon } from '../ui/icons'
import { runBadge, StatusIcon } from '../ui/status'
import { Took } from '../ui/time'
import { useVisitText } from './visit-text'

/** The last lines say why; what came before is in the log. */
const LINES_MAX = 40
/** Where the results of steps have what they printed. */
const OUTPUT = ['stderr', 'output', 'stdout', 'tail', 'text', 'response'] as const

/** Why a run failed: the node, the sentence, and the end of its output. */
export function FailurePanel(props: {
  run: Run
  nodes: readonly RunNode[]
  timeline: Timeline | null
  onPick(node: string, visit: number): void
}) {
  const { run, nodes, timeline, onPick } = props
  const visit = failedVisit(timeline)
  const label = visit && (nodes.find(({ node }) => node === visit.node)?.label ?? visit.node)
  const why = whyFailed(run, timeline)
  const output = useVisitText(run.id, visit, OUTPUT) ?? ''
  const lines = output.trimEnd().split('\n')
  return (
    <section class="panel failure tone-danger" aria-label="Why it failed">
      <header>
        <span class="badge">
          <StatusIcon shape={runBadge('failed').shape} />
        </span>
        <h2 class="grow">
          {label ? `“${label}” failed` : 'The run failed'}
          {visit && (
            <span class="small dim">
              {' '}
              after <Took from={visit.startedAt} to={visit.endedAt} />
            </span>
          )}
        </h2>
        {visit && (
          <button type="button" class="btn" onClick={() => onPick(visit.node, visit.visit)}>
            Open the step
          </button>
        )}
        <button
          type="button"
          class="btn solid"
          title="The run resumes: the step runs again, and the run continues from there"
          disabled={!canDecide.value}
          onClick={() => void controlRun(run.id, 'resume', 'The run was resumed')}
        >
          <PlayIcon /> Retry the step
        </button>
      </header>
      <p class="failure-why">{sentence(why)}</p>
      {output.trim() !== '' && !why.includes(output.trim()) && (
        <pre tabIndex={0} role="region" aria-label="Output of the failed step">
          {lines.length > LINES_MAX && `… ${lines.length - LINES_MAX} earlier lines are in the log\n`}
          {lines.slice(-LINES_MAX).join('\n')}
        </pre>
      )}
    </section>
  )
}

/** The sentence, as the engine wrote it. */
export function whyFailed(run: Run, timeline: Timeline | null): string {
  return failedVisit(timeline)?.failureReason ?? run.why ?? 'The run failed'
}

type Visit = Timeline['visits'][number]

/** The visit that ended the run: the last one that failed. */
export function failedVisit(timeline: Timeline | null): Visit | null {
  return timeline?.visits.findLast(({ status }) => status === 'fail') ?? null
}
