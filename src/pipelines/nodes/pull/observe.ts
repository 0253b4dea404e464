import { newEvent } from '../../../events/index.js'
import { plural, stripAnsi } from '../../../text/index.js'
import type { Forge, PullView } from '../../forges/forge.js'
import type { NodeContext, NodeResult } from '../../node.js'
import { newItems } from '../../pull-request/new-items.js'
import { pushTarget, remoteHead } from '../../pull-request/push-branch.js'
import type { PullItem, PullState } from '../../state.js'
import { historyUpdate } from '../history-update.js'
import { withForge } from './forge-of.js'
import { pullStateOf } from './publish.js'

/** Checks that never end do not keep comments from being answered. */
const WAITS_MAX = 10
/** One turn of an agent judges this many items; the others are for the next round. */
const ITEMS_MAX = 20
const LOG_MAX = 6_000

/** Checks the pull request: what is new, and whether the run must stop. */
export function observe(context: NodeContext): Promise<NodeResult> {
  const { reply } = context
  if (reply?.option === 'stop')
    return Promise.resolve({ end: { status: 'failed', reason: 'rounds', text: 'stopped: the round limit is reached' } })
  return withForge(context, async forge => {
    const view = await forge.view(context.state.pull?.number ?? context.args.pull!.number!)
    const before = context.state.pull ?? pullStateOf(context, view)
    const pull: PullState = {
      ...before,
      title: view.title,
      state: view.state,
      checks: view.checks.map(({ name, state }) => ({ name, state })),
      ...(reply?.option === 'more' && { round_limit: before.round_limit + context.args.profile.pull.maxRounds }),
    }
    const stopped = await stopReasonOf(context, view, pull)
    if (stopped) return { update: { pull }, end: { status: 'failed', ...stopped } }
    return proceed(context, forge, view, pull)
  })
}

async function proceed(context: NodeContext, forge: Forge, view: PullView, before: PullState): Promise<NodeResult> {
  const { state, args } = context
  const isNewHead = view.head !== before.head
  // The checks of an older head say nothing about this one.
  if (isNewHead && (await isBehind(context, view, before))) return { route: 'wait' }
  const isPending = view.checks.some(check => check.state === 'pending')
  const pull = { ...before, head: view.head, waited: isPending && !isNewHead ? before.waited + 1 : 0 }
  const go = (route: string, change: Partial<PullState> = {}, said?: string): NodeResult => ({
    route,
    update: {
      pull: { ...pull, ...change },
      ...(said !== undefined && { history: historyUpdate(context, 'signalbox', said) }),
    },
    events: observed(state.pull, { ...pull, ...change }),
  })
  if (view.state === 'merged') return go('finish', { items: [] }, `${pull.url} was merged`)
  if (isPending && pull.waited < WAITS_MAX) return go('wait')
  const items = newItems(view, pull, args.profile.pull).slice(0, ITEMS_MAX)
  if (items.length === 0) return idle(context, view, pull, isPending, go)
  if (state.review_pass >= pull.round_limit) return { question: roundsQuestion(pull, state.review_pass, items.length) }
  const logged = await withLogs(context, forge, view, items)
  return {
    ...go('triage', { items: logged }, `${plural(items.length, 'new item')} in round ${state.review_pass + 1}`),
    events: [newEvent('pull.round', { round: state.review_pass + 1, items: items.length, head: view.head })],
  }
}

/** Nothing to do: wait for more, or end if nothing more is expected. */
function idle(
  { args }: NodeContext,
  view: PullView,
  pull: PullState,
  isPending: boolean,
  go: (route: string) => NodeResult,
): NodeResult {
  const hasFailed = view.checks.some(({ state }) => state === 'failed')
  const isGreen = !isPending && !hasFailed
  const mayMerge = args.profile.pull.merge === 'ask' && isGreen && view.isApproved && !view.isDraft
  if (mayMerge && !pull.unmerged.includes(view.head)) return go('merge')
  return go(isGreen && args.pull!.follow === 'green' ? 'finish' : 'wait')
}

/** Conflict, rewritten history and a closed pull request are for a person; `resume` looks again. */
async function stopReasonOf(
  context: NodeContext,
  view: PullView,
  pull: PullState,
): Promise<{ reason: string; text: string } | null> {
  if (view.state === 'closed') return { reason: 'closed', text: `${view.url} was closed` }
  if (view.state === 'merged') return null
  if (view.hasConflict)
    return { reason: 'conflict', text: `${view.url} conflicts with ${view.base}; resolve it, then signalbox resume` }
  if (view.head === pull.head || (await isBehind(context, view, pull))) return null
  return (await takeOverCommits(context, view, pull))
    ? null
    : { reason: 'force_push', text: `${view.branch} was rewritten; its head is now ${view.head.slice(0, 12)}` }
}

/** A forge may report the head of before our push for a moment; the branch itself is up to date. */
async function isBehind(context: NodeContext, view: PullView, pull: PullState): Promise<boolean> {
  const { git } = context.git
  return (await git.isAncestor(view.head, pull.head)) && (await remoteHead(context, view.branch)) === pull.head
}

/** Takes over commits that someone added to the branch; false if they replace ours. */
async function takeOverCommits(context: NodeContext, view: PullView, pull: PullState): Promise<boolean> {
  const { git } = context
  if ((await git.commitOf(view.head)) === null)
    await git.git.run(['fetch', '--quiet', pushTarget(context), `refs/heads/${view.branch}`])
  const head = await git.git.head()
  if (head === null || !(await git.git.isAncestor(pull.head, view.head))) return false
  if (await git.git.isAncestor(view.head, head)) return true
  return (await git.git.try(['merge', '--ff-only', '--quiet', view.head])).code === 0
}

async function withLogs(
  { services }: NodeContext,
  forge: Forge,
  view: PullView,
  items: readonly PullItem[],
): Promise<PullItem[]> {
  const result: PullItem[] = []
  for (const item of items) {
    const check = item.kind === 'check' ? view.checks.find(({ name }) => name === item.file) : undefined
    const log = check ? await forge.log(check).catch(() => '') : ''
    // Logs of forges separate columns by tabs, which a request would mark as hidden characters.
    const text = services.redactor.redact(stripAnsi(log)).replaceAll('\t', '  ')
    result.push(log === '' ? item : { ...item, body: text.slice(-LOG_MAX) })
  }
  return result
}

function observed(before: PullState | null, now: PullState) {
  const facts = ({ state, head, checks }: PullState) => JSON.stringify([state, head, checks])
  if (before && facts(before) === facts(now)) return []
  const count = (state: string) => now.checks.filter(check => check.state === state).length
  const checks = { pending: count('pending'), passed: count('passed'), failed: count('failed') }
  return [newEvent('pull.observed', { number: now.number, url: now.url, state: now.state, head: now.head, checks })]
}

function roundsQuestion({ number, round_limit: limit }: PullState, rounds: number, items: number) {
  return {
    kind: 'gate' as const,
    title: `#${number} has ${plural(items, 'new item')} after ${plural(rounds, 'round')}`,
    text: `The limit is ${plural(limit, 'round')}.`,
    input: { gate: 'rounds', rounds, limit, items },
    options: [
      { key: 'more', label: 'Allow as many rounds again' },
      { key: 'stop', label: 'Stop; the run can be resumed', meaning: 'cancel' as const },
    ],
  }
}
