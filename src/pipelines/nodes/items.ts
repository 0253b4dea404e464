import type { Reply } from '../../engine/index.js'
import { newEvent } from '../../events/index.js'
import { type ItemsGatePayload, itemsQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'
import { isSerious, itemPrint, type ReviewItem } from '../review-object.js'
import { routeAfterItems } from '../routing.js'
import { noted } from './common.js'
import { codeAt } from './review-parts.js'

type Judged = ItemsGatePayload['items'][number]

/** Which items are fixed: the person ticks them; a run that approves by itself takes all that the Evaluator would implement. */
export async function items(context: NodeContext): Promise<NodeResult> {
  const { state, reply } = context
  const judged = judgedItems(context)
  if (!reply) {
    if (state.auto_approve) return decide(context, judged, judged.filter(wouldImplement), 'auto-approve', true, null)
    return ask(context, judged, state.evaluation_result?.summary ?? '')
  }
  const words = [...(reply.choices ?? []), ...(reply.option === '' ? [] : [reply.option])]
  const hasPasses = state.review_pass < state.max_review_passes
  // Whoever wants another look has decided nothing about the items.
  if (words.includes('pass') && !hasPasses)
    return ask(context, judged, `This was the last of ${state.max_review_passes} passes; pick what to fix, or none.`)
  if (words.includes('pass'))
    return {
      route: 'reviewer',
      update: { review_pass: state.review_pass + 1, history: noted(context, reply.by, 'wants another review first') },
    }
  return decide(context, judged, chosen(judged, words), reply.by, false, noteOf(reply))
}

function ask({ state }: NodeContext, judged: Judged[], summary: string): NodeResult {
  const { review_pass: pass, max_review_passes: of } = state
  return { question: itemsQuestion({ gate: 'items', pass, of, summary, items: judged }) }
}

function judgedItems({ state }: NodeContext): Judged[] {
  const said = new Map(state.evaluation_result?.items.map(entry => [entry.number, entry]))
  return (state.structured_review?.items ?? []).map(item => ({
    ...item,
    disposition: said.get(item.number)?.disposition ?? 'clarify',
    reason: said.get(item.number)?.reason ?? '',
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

/** What is not fixed is settled: it is not raised again, and what is serious about it stays an objection. */
function decide(
  context: NodeContext,
  judged: readonly Judged[],
  approved: readonly Judged[],
  by: string,
  isAutomatic: boolean,
  note: string | null,
): NodeResult {
  const { state, cwd } = context
  const left = judged.filter(item => !approved.includes(item))
  const prints = left.map(item => itemPrint(item, codeAt(cwd, item)))
  const open = left.filter(item => isSerious(item) && item.disposition !== 'reject').map(objectionOf)
  return {
    route: routeAfterItems({ approved: approved.length, isAnotherPass: false }),
    update: {
      approved_items: approved.map(({ number }) => number),
      settled_items: [...new Set([...state.settled_items, ...prints])],
      open_objections: [...new Set([...state.open_objections, ...open])],
      user_message: note,
      driver_session_id: null,
      history: noted(context, by, `${approved.length} of ${judged.length} items are to be fixed`),
    },
    events: [newEvent('items.decided', { approved: approved.map(({ number }) => number), by, isAutomatic })],
  }
}

export function objectionOf(item: Pick<ReviewItem, 'severity' | 'file' | 'title'>): string {
  return `[${item.severity}] ${item.file} ${item.title}`.trim()
}
