import type { NodeContext, NodeResult } from '../node.js'

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

/** The tree that a task is compared with, without the run's own files. */
export function treeNow({ git }: NodeContext): Promise<string> {
  return git.treeHash()
}
