import { newEvent } from '../../../events/index.js'
import type { Pull } from '../../forges/forge.js'
import type { NodeContext, NodeResult } from '../../node.js'
import { type Act, actsQuestion } from '../../pull-request/acts.js'
import { decidedActs, performActs } from '../../pull-request/perform-acts.js'
import { pullText } from '../../pull-request/pull-text.js'
import { pushTarget, remoteHead } from '../../pull-request/push-branch.js'
import type { PullState } from '../../state.js'
import { historyUpdate } from '../history-update.js'
import { withForge } from './forge-of.js'

/** Pushes the branch and opens its pull request, once a person or a grant allows both. */
export async function publish(context: NodeContext): Promise<NodeResult> {
  const { args, state, git, reply } = context
  const commit = await git.git.head()
  if (state.branch === null || commit === null || (await git.commitsAhead(args.workspace.base)) === 0)
    return { route: 'finish', update: { history: historyUpdate(context, 'signalbox', 'nothing to publish') } }
  if (reply?.option === 'deny')
    return { route: 'finish', update: { history: historyUpdate(context, reply.by, 'does not want a pull request') } }
  return withForge(context, async forge => {
    if (reply) {
      const acts = await decidedActs(context)
      const push = acts.find(act => act.act === 'push')
      // Someone committed meanwhile: what was decided is not the whole branch any more.
      if (push && push.commit !== commit) return ask(context, commit)
      const pull = (await performActs(context, forge, acts)) ?? (await forge.find(state.branch!))
      return opened(context, pull!)
    }
    const found = await forge.find(state.branch!)
    if (found?.state === 'open' && found.head === commit) return opened(context, found)
    return ask(context, commit, found?.state === 'open' ? found : null)
  })
}

async function ask(context: NodeContext, commit: string, found: Pull | null = null): Promise<NodeResult> {
  const { args, state, git } = context
  const { base, isDraft, labels, reviewers } = args.pull!
  const branch = state.branch!
  const there = await remoteHead(context, branch)
  const known = there !== null && (await git.commitOf(there)) !== null ? there : args.workspace.base
  const push: Act = { act: 'push', commit, branch, commits: await git.commitsAhead(known), to: pushTarget(context) }
  const open: Act = { act: 'open', ...pullText(context), base, branch, isDraft, labels, reviewers }
  const acts = [...(there === commit ? [] : [push]), ...(found ? [] : [open])]
  const pull = found && { url: found.url, number: found.number }
  return { question: actsQuestion({ gate: 'acts', pull, acts }, args.profile.pull.allow) }
}

function opened(context: NodeContext, pull: Pull): NodeResult {
  const { args } = context
  const follows = args.pull!.follow !== 'no'
  return {
    route: follows ? 'observe' : 'finish',
    update: { pull: pullStateOf(context, pull), history: historyUpdate(context, 'signalbox', `opened ${pull.url}`) },
    events: [newEvent('pull.opened', { number: pull.number, url: pull.url, branch: pull.branch, head: pull.head })],
  }
}

export function pullStateOf({ args, state }: NodeContext, pull: Pull): PullState {
  return {
    forge: args.pull!.forge,
    number: pull.number,
    url: pull.url,
    title: pull.title,
    state: pull.state,
    base: pull.base,
    branch: pull.branch,
    push_url: pull.pushUrl,
    head: pull.head,
    checks: state.pull?.checks ?? [],
    waited: 0,
    round_limit: args.profile.pull.maxRounds,
    items: [],
    settled: state.pull?.settled ?? [],
    unmerged: state.pull?.unmerged ?? [],
  }
}
