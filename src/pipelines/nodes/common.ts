import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Reply } from '../../engine/index.js'
import { newEvent } from '../../events/index.js'
import type { NewEvent } from '../../store/index.js'
import type { NodeContext, NodeResult } from '../node.js'
import type { HistoryEntry, ImplementationState, PipelineTask } from '../state.js'

export function historyEntries(
  { services }: Pick<NodeContext, 'services'>,
  agent: string,
  message: string,
): HistoryEntry[] {
  return [{ timestamp: new Date(services.clock.now()).toISOString(), agent, message }]
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function readOptional(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** The commit at which the current task starts. */
export function headBefore({
  tasks,
  base_commit: base,
  current_task_index: index,
}: ImplementationState): string | null {
  for (let at = index - 1; at >= 0; at--) {
    const { commit } = tasks[at] ?? {}
    if (commit) return commit
  }
  return base
}

/** Fails on an unfinished merge, which nothing may be built on; null without one. */
export async function conflictFailure({ git }: Pick<NodeContext, 'git'>): Promise<NodeResult | null> {
  const conflicts = await git.conflicts()
  if (conflicts.length === 0) return null
  return {
    failed: {
      status: 'fail',
      failure_reason: `merge conflict in ${conflicts.join(', ')}; resolve it, then resume the run`,
      failure_class: 'deterministic',
    },
  }
}

export function withTask(state: ImplementationState, change: Partial<PipelineTask>): PipelineTask[] {
  return state.tasks.map((task, index) => (index === state.current_task_index ? { ...task, ...change } : task))
}

export function taskStarted(tasks: readonly PipelineTask[], index: number): NewEvent {
  return newEvent('task.started', { number: index + 1, of: tasks.length, title: tasks[index]?.title ?? null })
}

/** The tree that a task is compared with, without the run's own files. */
export function treeNow({ git }: NodeContext): Promise<string> {
  return git.treeHash()
}

/** `--auto-approve` answered, not a person. */
export function isAutomatic({ by }: Pick<Reply, 'by'>): boolean {
  return by === 'auto-approve'
}
