import { graphWorkflow, isEnded, type RunRecord, readRun } from '../../engine/index.js'
import { isExit, labelOf, startNodes } from '../../graph/index.js'
import { oneshotWorkflow } from '../../oneshot/index.js'
import type { EventStore } from '../../store/index.js'
import type { Run } from '../api-types.js'

/** Ended nodes of a graph, or rounds of a oneshot; `of` is the maximum. */
export type ProgressView = NonNullable<Run['progress']>

/**
 * The progress of open runs. Lists are requested with every change of a run, so a journal is folded
 * only when it has grown. A run that has ended has no progress, because its outcome says more.
 */
export class RunProgress {
  readonly #store: EventStore
  readonly #known = new Map<string, { version: number; progress: ProgressView | null }>()

  constructor(store: EventStore) {
    this.#store = store
  }

  async of(record: RunRecord, version: number): Promise<ProgressView | null> {
    if (isEnded(record.status)) {
      this.#known.delete(record.id)
      return null
    }
    const known = this.#known.get(record.id)
    if (known?.version === version) return known.progress
    // The page of the run reports a journal that cannot be folded; the list stays complete.
    const progress = await this.#fold(record).catch(() => null)
    this.#known.set(record.id, { version, progress })
    return progress
  }

  async #fold({ id, kind, step, status }: RunRecord): Promise<ProgressView | null> {
    if (kind === 'graph') {
      const { graph, finished } = (await readRun(this.#store, id, graphWorkflow)).run.work
      const starts = startNodes(graph)
      const ended = new Set(finished.map(({ node }) => node))
      const nodes = [...graph.nodes.values()].filter(node => !starts.includes(node) && !isExit(node))
      const current = status === 'waiting' ? undefined : graph.nodes.get(nodeOf(step))
      // A node that failed or is visited again works: it is not done.
      if (status === 'running' && current) ended.delete(current.id)
      const done = nodes.filter(({ id: node }) => ended.has(node)).length
      return {
        unit: 'nodes',
        done,
        of: nodes.length,
        node: current ? labelOf(graph, current) : null,
      }
    }
    if (kind === 'oneshot') {
      const { iteration, input } = (await readRun(this.#store, id, oneshotWorkflow)).run.work
      return { unit: 'rounds', done: Math.max(0, iteration - 1), of: input.maxIterations, node: null }
    }
    return null
  }
}

/** `plan@1#1` → `plan`. */
function nodeOf(step: string | null): string {
  return /^(?:.*\/)?([^/@]+)@/.exec(step ?? '')?.[1] ?? ''
}
