import { plural } from '../api/format'
import type { Run } from '../api/types'
import { stepName } from './step-name'

/** Labels that Signalbox sets for itself. */
const INTERNAL = new Set(['host', 'pipeline', 'server', 'surface'])

function labelsOf(labels: Run['labels']): string[] {
  return Object.entries(labels)
    .filter(([name]) => !INTERNAL.has(name))
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
}

/** The text of the labels that a search matches. */
export function labelWords(labels: Run['labels']): string {
  return [...labelsOf(labels), labels.pipeline ?? ''].join(' ')
}

export function hasLabels({ labels }: Run): boolean {
  return labelsOf(labels).length > 0
}

export function RunLabels({ run }: { run: Run }) {
  const labels = labelsOf(run.labels)
  if (labels.length === 0) return <>–</>
  return (
    <span class="row labels">
      {labels.map(label => (
        <span key={label} class="chip">
          {label}
        </span>
      ))}
    </span>
  )
}

/** The share of the run that is done, for sorting; 1 after it has ended. */
export function shareOf({ progress, endedAt }: Run): number {
  if (endedAt !== null) return 1
  return progress && progress.of > 0 ? progress.done / progress.of : 0
}

/** Progress and current step of an open run. */
export function RunProgress({ run }: { run: Run }) {
  const { progress, steps, step, endedAt } = run
  const at = progress?.unit === 'nodes' ? progress.node : step && stepName(step)
  const current = at && endedAt === null && <span class="small dim under">{at}</span>
  if (!progress || progress.of === 0)
    return (
      <>
        <span class="num">{plural(steps, 'step')}</span>
        {current}
      </>
    )
  const words = `${progress.done} of ${progress.of} ${progress.unit}`
  return (
    <>
      <span class="run-progress" title={`${words}, in ${plural(steps, 'step')}`}>
        <ProgressBar done={progress.done} of={progress.of} words={words} />
        <span class="num tiny dim">
          {progress.done} of {progress.of}
        </span>
      </span>
      {current}
    </>
  )
}

export function ProgressBar({ done, of, words }: { done: number; of: number; words: string }) {
  return (
    <span
      class="bar"
      role="progressbar"
      aria-label="Progress"
      aria-valuemin={0}
      aria-valuemax={of}
      aria-valuenow={done}
      aria-valuetext={words}
    >
      <i style={{ width: `${(done / of) * 100}%` }} />
    </span>
  )
}
