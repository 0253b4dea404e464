import type { GateQuestion, Reply } from '../../engine/index.js'
import { newEvent } from '../../events/index.js'
import { type ItemsGatePayload, isAutomatic, itemsQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { isSerious, itemKey, type ReviewItem } from '../review-object.js'
import { routeAfterItems } from '../routing.js'
import { historyUpdate } from './history-update.js'
import { codeAt } from './item-code.js'

type Judged = ItemsGatePayload['items'][number]

/** Chooses the items to fix: a person, or in an auto-approved run the Evaluator. */
export async function items(context: NodeContext): Promise<NodeResult> {
  const { state, reply } = context
  const judged = judgedItems(context)
  if (!reply) {
    const { question } = ask(context, judged, state.evaluation_result?.summary ?? '')
    return { question: state.auto_approve ? { ...question, automatic: { choices: ['all'] } } : question }
  }
  const words = [...(reply.choices ?? []), ...(reply.option === '' ? [] : [reply.option])]
  const limit = passLimit(state)
  const hasPasses = state.review_pass < limit
  // Asking for another review decides nothing about the items.
  if (words.includes('pass') && !hasPasses)
    return ask(context, judged, `This was the last of ${limit} passes; select the items to fix, or none.`)
  if (words.includes('pass') && state.pull)
    return { route: 'observe', update: { history: historyUpdate(context, reply.by, 'asks to check it again first') } }
  if (words.includes('pass'))
    return {
      route: 'reviewer',
      update: {
        review_pass: state.review_pass + 1,
        history: historyUpdate(context, reply.by, 'asks for another review first'),
      },
    }
  return decide(context, judged, chosen(judged, words), reply, noteOf(reply))
}

function ask({ state }: NodeContext, judged: Judged[], summary: string): { question: GateQuestion } {
  const { review_pass: pass } = state
  const of = passLimit(state)
  return { question: itemsQuestion({ gate: 'items', pass, of, summary, items: judged }) }
}

/** A pull request has rounds, a review has passes. */
function passLimit({ pull, max_review_passes: passes }: NodeContext['state']): number {
  return pull?.round_limit ?? passes
}

function judgedItems({ state }: NodeContext): Judged[] {
  const evaluated = new Map(state.evaluation_result?.items.map(entry => [entry.number, entry]))
  return (state.structured_review?.items ?? []).map(item => ({
    ...item,
    disposition: evaluated.get(item.number)?.disposition ?? 'clarify',
    reason: evaluated.get(item.number)?.reason ?? '',
  }))
}

function wouldImplement({ disposition }: Judged): boolean {
  return disposition === 'implement'
}

function chosen(judged: readonly Judged[], words: readonly string[]): Judged[] {
  if (words.includes('none')) return []
  return judged.filter(
    item =>
      words.includes(String(item.number)) ||
      (words.includes('all') && wouldImplement(item)) ||
      (words.includes('critical') && item.severity === 'critical') ||
      (words.includes('major') && isSerious(item)),
  )
}

function noteOf({ text, note }: Reply): string | null {
  return [text, note].filter(Boolean).join('\n') || null
}

/** Items not fixed are settled: not raised again; serious ones remain objections. */
function decide(
  context: NodeContext,
  judged: readonly Judged[],
  approved: readonly Judged[],
  reply: Reply,
  note: string | null,
): NodeResult {
  const { by } = reply
  const { state, cwd } = context
  const left = judged.filter(item => !approved.includes(item))
  const prints = left.map(item => itemKey(item, codeAt(cwd, item)))
  const open = left.filter(item => isSerious(item) && item.disposition !== 'reject').map(objectionOf)
  return {
    route: routeAfterItems({ approved: approved.length, isPull: state.pull !== null }),
    update: {
      approved_items: approved.map(({ number }) => number),
      settled_items: [...new Set([...state.settled_items, ...prints])],
      open_objections: [...new Set([...state.open_objections, ...open])],
      user_message: note,
      driver_session_id: null,
      history: historyUpdate(context, by, `${approved.length} of ${judged.length} items will be fixed`),
    },
    events: [
      newEvent('items.decided', {
        approved: approved.map(({ number }) => number),
        by,
        isAutomatic: isAutomatic(reply),
      }),
    ],
  }
}

function objectionOf(item: Pick<ReviewItem, 'severity' | 'file' | 'title'>): string {
  return `[${item.severity}] ${item.file} ${item.title}`.trim()
}
