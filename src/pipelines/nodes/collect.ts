import type { NodeContext, NodeResult } from '../node.js'
import { historyUpdate } from './history-update.js'

/** Collects the changes to review. Without any, the review ends at once. */
export async function collect(context: NodeContext): Promise<NodeResult> {
  const { args, git } = context
  const target = args.target ?? { kind: 'local' as const }
  const head = await git.git.head()
  const from = target.kind === 'range' ? target.from : (head ?? EMPTY_TREE)
  const to = target.kind === 'range' ? `${target.to}^{tree}` : await git.treeHash()
  const base = target.kind === 'range' || head !== null ? `${from}^{tree}` : EMPTY_TREE
  const files = await git.changedPaths(base, to)
  if (files.length === 0)
    return { route: 'finish', update: { history: historyUpdate(context, 'signalbox', 'there is nothing to review') } }
  return {
    route: 'reviewer',
    update: {
      base_commit: from,
      task_base: (await git.git.run(['rev-parse', base])).trim(),
      branch: await git.git.branch(),
      review_pass: 1,
      key_files: files.slice(0, 500),
      history: historyUpdate(context, 'signalbox', `${files.length} changed files`),
    },
  }
}

/** Exists in every repository, even without commits. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
