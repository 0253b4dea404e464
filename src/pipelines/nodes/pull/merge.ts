import type { NodeContext, NodeResult } from '../../node.js'
import { actsQuestion } from '../../pull-request/acts.js'
import { decidedActs, performActs } from '../../pull-request/perform-acts.js'
import { historyUpdate } from '../history-update.js'
import { withForge } from './forge-of.js'

/** Asks a person whether to merge this head; nothing else ever merges. */
export async function merge(context: NodeContext): Promise<NodeResult> {
  const { args, state, reply } = context
  const pull = state.pull!
  const { url, number, head } = pull
  if (!reply) {
    const act = { act: 'merge' as const, head, method: args.profile.pull.mergeMethod }
    return { question: actsQuestion({ gate: 'acts', pull: { url, number }, acts: [act] }, []) }
  }
  if (reply.option !== 'allow') {
    const unmerged = [...pull.unmerged, head]
    return {
      route: 'wait',
      update: { pull: { ...pull, unmerged }, history: historyUpdate(context, reply.by, 'does not merge yet') },
    }
  }
  return withForge(context, async forge => {
    await performActs(context, forge, await decidedActs(context))
    return { route: 'observe', update: { history: historyUpdate(context, reply.by, `merged ${url}`) } }
  })
}
