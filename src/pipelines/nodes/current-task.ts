import { newEvent } from '../../events/index.js'
import type { NewEvent } from '../../store/index.js'
import type { ImplementationState, PipelineTask } from '../state.js'

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

export function withTask(state: ImplementationState, change: Partial<PipelineTask>): PipelineTask[] {
  return state.tasks.map((task, index) => (index === state.current_task_index ? { ...task, ...change } : task))
}

export function taskStarted(tasks: readonly PipelineTask[], index: number): NewEvent {
  return newEvent('task.started', { number: index + 1, of: tasks.length, title: tasks[index]?.title ?? null })
}
