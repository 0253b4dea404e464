import type { Run } from '../api/types'

/** What started the run, in a word: its pipeline, a graph, or a task. */
export function runKind({ kind, labels }: Pick<Run, 'kind' | 'labels'>): string {
  return labels.pipeline?.replaceAll('_', ' ') ?? (kind === 'oneshot' ? 'task' : kind)
}
