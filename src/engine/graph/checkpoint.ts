import type { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { checkpointFile } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { beginRun, evolveRun, type RunState } from '../run-state.js'
import type { GraphWork } from './graph-work.js'
import { MAIN } from './graph-work.js'
import { graphWorkflow } from './graph-workflow.js'

/** A newer version may add fields. */
const checkpoint = checkpointFile.loose()

/** A run's state after one of its nodes, as a file from which another machine can continue. */
export type Checkpoint = z.infer<typeof checkpoint>

/** @throws SignalboxError `E_INPUT` */
export function readCheckpoint(text: string, file: string): Checkpoint {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new SignalboxError('E_INPUT', `${file} is not valid JSON: ${(error as Error).message}`)
  }
  const parsed = checkpoint.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new SignalboxError(
    'E_INPUT',
    `${file} is not a checkpoint: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  )
}

interface FoundCheckpoint {
  checkpoint: Checkpoint
  node: string
  visit: number
}

/** Folds the events of a run, from the first one on, and finds the checkpoints on its main path. */
export class CheckpointFold {
  #run: RunState<GraphWork> | null = null

  foldEvent(event: StoredEvent): FoundCheckpoint | null {
    if (!this.#run) {
      this.#run = beginRun(graphWorkflow, event)
      return null
    }
    evolveRun(this.#run, event, graphWorkflow)
    if (event.type !== 'checkpoint.saved' || event.data.branch !== undefined) return null
    const { work } = this.#run
    const node = String(event.data.node)
    const next = (event.data.next as string | null) ?? null
    return { checkpoint: checkpointOf(work, { node, next, at: event.at }), node, visit: work.visits.get(node) ?? 1 }
  }
}

/** The checkpoints of a run, oldest first. */
export function checkpointsOf(events: readonly StoredEvent[]): FoundCheckpoint[] {
  const fold = new CheckpointFold()
  return events.flatMap(event => fold.foldEvent(event) ?? [])
}

/** A copy, because the work keeps changing. */
function checkpointOf(
  work: GraphWork,
  { node, next, at }: { node: string; next: string | null; at: number },
): Checkpoint {
  const { context, commit } = work.cursors.get(MAIN)!
  const retries = Object.entries(context).flatMap(([key, value]) =>
    key.startsWith('internal.retry_count.')
      ? [[key.slice('internal.retry_count.'.length), Number(value)] as const]
      : [],
  )
  return structuredClone({
    timestamp: at,
    run_id: work.run,
    graph_hash: work.input.hash,
    current_node: node,
    next_node: next,
    completed_nodes: [...new Set(work.finished.map(done => done.node))],
    node_outcomes: Object.fromEntries(work.outcomes),
    node_retries: Object.fromEntries(retries),
    node_visits: Object.fromEntries(work.visits),
    failure_signatures: Object.fromEntries(work.signatures),
    context,
    threads: Object.fromEntries(work.threads),
    ...(commit !== null && { commit }),
    logs: work.finished.map(
      done => `${done.node}@${done.visit}: ${done.status}${done.notes ? ` (${done.notes})` : ''}`,
    ),
  })
}
