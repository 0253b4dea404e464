import { newEvent } from '../../events/index.js'
import { extractStructured } from '../extract-structured.js'
import type { NodeContext, NodeResult } from '../node.js'
import { evaluatorPrompt } from '../prompts/role-prompts.js'
import { completeEvaluation, DISPOSITIONS, EVALUATION_SCHEMA, evaluationObject, isSerious } from '../review-object.js'
import { turnFailed } from '../role-turn.js'
import { routeAfterEvaluation } from '../routing.js'
import { historyUpdate } from './history-update.js'
import { codeAround } from './item-code.js'
import { askSpending } from './spending.js'

/** Decides what should become of every item, with evidence. It raises no items of its own. */
export async function evaluator(context: NodeContext): Promise<NodeResult> {
  const { state, args, call, cwd } = context
  const spending = await askSpending(context)
  if (spending) return spending
  const items = state.structured_review?.items ?? []
  const shown = items.map(item => ({ item, code: codeAround(cwd, item) }))
  const end = await extractStructured(context, {
    turn: { role: 'evaluator' },
    schema: evaluationObject,
    jsonSchema: EVALUATION_SCHEMA,
    prompt: problem => evaluatorPrompt(args, shown, problem),
  })
  const spent = end.usage ? { usage: end.usage } : {}
  if ('died' in end) return { ...turnFailed(end.died), ...spent }
  if ('problem' in end)
    return {
      failed: {
        status: 'fail',
        failure_reason: `the Evaluator returned no evaluation: ${end.problem}`,
        failure_class: 'unknown',
      },
      ...spent,
    }
  const { evaluation, invented } = completeEvaluation(end.value, items)
  if (invented.length > 0) call.notice('warning', `the Evaluator mentioned unknown items: ${invented.join(', ')}`)
  const counts = Object.fromEntries(
    DISPOSITIONS.map(name => [name, evaluation.items.filter(({ disposition }) => disposition === name).length]),
  ) as Record<(typeof DISPOSITIONS)[number], number>
  const route = routeAfterEvaluation({ mode: state.review_mode, toDecide: counts.implement + counts.clarify })
  const deferred = new Set(
    evaluation.items.filter(({ disposition }) => disposition === 'defer').map(({ number }) => number),
  )
  const left = items
    .filter(item => isSerious(item) && deferred.has(item.number))
    .map(item => `[${item.severity}] ${item.file} ${item.title}`)
  return {
    route,
    update: {
      evaluation_result: evaluation,
      ...(left.length > 0 && { open_objections: [...new Set([...state.open_objections, ...left])] }),
      history: historyUpdate(context, 'evaluator', evaluation.summary),
    },
    events: [newEvent('evaluation.finished', counts)],
    ...spent,
  }
}
