import { RUN_WORDS } from '../../../src/text/status-word'
import type { Run, RunNode, Timeline } from '../api/types'
import { outcomeOf } from './outcome'

/** What an open run does or waits for, and since when. */
export interface RunNow {
  title: string
  text: string
  since: Run['createdAt'] | null
}

type Open = Pick<Run, 'status' | 'step' | 'isUndriven' | 'why' | 'updatedAt' | 'createdAt'>

const NAMES_MAX = 3

export function runNow(run: Open, nodes: readonly RunNode[], timeline: Timeline | null): RunNow | null {
  const { status } = run
  const text = outcomeOf(run) ?? ''
  if (run.isUndriven) return { title: RUN_WORDS.interrupted, text, since: run.updatedAt }
  if (status === 'paused') return { title: RUN_WORDS.paused, text, since: run.updatedAt }
  if (status === 'queued') return { title: 'Waiting to start', text, since: run.createdAt }
  if (status !== 'running') return null
  const labelOf = (node: string) => nodes.find(candidate => candidate.node === node)?.label ?? node
  const open = timeline?.visits.filter(({ endedAt, status: is }) => endedAt === null && is === 'running') ?? []
  const names = [...new Set(open.map(({ node }) => `“${labelOf(node)}”`))]
  if (names.length === 0) return { title: RUN_WORDS.running, text, since: null }
  const more = names.length - NAMES_MAX
  const title =
    names.length === 1
      ? `${names[0]} is running`
      : `${names.slice(0, NAMES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''} are running`
  return { title, text, since: open[0]!.startedAt }
}
