import { newEvent } from '../../../events/index.js'
import type { NodeContext, NodeResult } from '../../node.js'
import { type Act, actsQuestion } from '../../pull-request/acts.js'
import { decidedActs, performActs } from '../../pull-request/perform-acts.js'
import { pushTarget, remoteHead } from '../../pull-request/push-branch.js'
import type { HistoryEntry, PullItem } from '../../state.js'
import { historyUpdate } from '../history-update.js'
import { withForge } from './forge-of.js'

/**
 * Ends a round: pushes the fixes, answers the items and resolves their threads, once it is allowed.
 */
export async function answer(context: NodeContext): Promise<NodeResult> {
  const { args, state, reply } = context
  const pull = state.pull!
  if (reply?.option === 'deny')
    return endRound(context, { said: historyUpdate(context, reply.by, 'does not want this round to be published') })
  return withForge(context, async forge => {
    if (!reply) {
      const acts = await actsOf(context)
      if (acts.length === 0)
        return endRound(context, { said: historyUpdate(context, 'signalbox', 'nothing to answer'), isPublished: true })
      const { url, number } = pull
      return { question: actsQuestion({ gate: 'acts', pull: { url, number }, acts }, args.profile.pull.allow) }
    }
    const acts = await decidedActs(context)
    await performActs(context, forge, acts)
    const push = acts.find(act => act.act === 'push')
    const summary = `answered ${acts.filter(({ act }) => act === 'comment').length} of ${pull.items.length} items`
    return endRound(context, {
      said: historyUpdate(context, 'signalbox', summary),
      isPublished: true,
      pushed: push?.commit ?? null,
    })
  })
}

function endRound(
  { state }: NodeContext,
  { said, pushed = null, isPublished = false }: { said: HistoryEntry[]; pushed?: string | null; isPublished?: boolean },
): NodeResult {
  const pull = state.pull!
  const keys = pull.items.map(({ key }) => key)
  const items = pull.items.map(({ key: _, is_bot: isBot, ...item }) => ({
    ...item,
    isBot,
    isFixed: pushed !== null && state.approved_items.includes(item.number),
  }))
  const round = { round: state.review_pass, items, from: pull.head, to: pushed, isPublished }
  return {
    route: 'wait',
    update: {
      pull: { ...pull, head: pushed ?? pull.head, items: [], settled: [...new Set([...pull.settled, ...keys])] },
      approved_items: [],
      history: said,
    },
    events: [newEvent('pull.answered', round)],
  }
}

async function actsOf(context: NodeContext): Promise<Act[]> {
  const { git, state, args } = context
  const { items, branch, head } = state.pull!
  const commit = (await git.git.head())!
  const there = (await remoteHead(context, branch)) ?? head
  const isNew = commit !== there && (await git.git.isAncestor(there, commit))
  const push: Act = {
    act: 'push',
    commit,
    branch,
    commits: isNew ? await git.commitsAhead(there) : 0,
    to: pushTarget(context),
  }
  const fixed = (item: PullItem) => isNew && state.approved_items.includes(item.number)
  const spoken = items.filter(({ kind }) => kind !== 'check')
  return [
    ...(isNew ? [push] : []),
    ...spoken
      .filter(({ is_bot: isBot }) => !isBot || args.profile.pull.answersBots)
      .map(
        (item): Act => ({
          act: 'comment',
          thread: item.thread,
          key: item.key,
          place: placeOf(item),
          body: textOf(item, fixed(item) ? commit : null),
        }),
      ),
    ...spoken
      .filter(item => item.thread !== null && (fixed(item) || (item.is_bot && item.verdict === 'wrong')))
      .map((item): Act => ({ act: 'resolve', thread: item.thread!, place: placeOf(item) })),
  ]
}

function placeOf({ kind, file, line, author }: PullItem): string {
  return kind === 'thread' ? `on ${file}${line === null ? '' : `:${line}`} (${author})` : `to ${author}`
}

function textOf({ kind, author, body, reply, reason }: PullItem, commit: string | null): string {
  // A comment without a thread: say which one is answered.
  const quote = kind === 'comment' ? `> ${body.trim().split('\n')[0]!.slice(0, 200)}\n\n@${author} ` : ''
  const answer = (reply.trim() || reason.trim() || 'Noted.').slice(0, 4_000)
  return `${quote}${commit === null ? answer : `Fixed in ${commit.slice(0, 12)}. ${answer}`}`
}
