import { z } from 'zod'
import { newEvent, PULL_VERDICTS } from '../../../events/index.js'
import { extractStructured } from '../../extract-structured.js'
import type { NodeContext, NodeResult } from '../../node.js'
import { triagePrompt } from '../../prompts/triage-prompt.js'
import type { EvaluationObject, ReviewItem } from '../../review-object.js'
import { turnFailed } from '../../role-turn.js'
import type { PullItem, StateUpdate, TypedReview } from '../../state.js'
import { historyUpdate } from '../history-update.js'
import { askSpending } from '../spending.js'

type Verdict = (typeof PULL_VERDICTS)[number]

const triageObject = z.object({
  items: z.array(
    z.object({ number: z.int().positive(), verdict: z.enum(PULL_VERDICTS), reason: z.string(), reply: z.string() }),
  ),
  summary: z.string(),
})
const TRIAGE_SCHEMA = z.toJSONSchema(triageObject) as object

/**
 * Judges every new item: what must be fixed, and what is only answered. Then a person selects, or
 * the profile does.
 */
export async function triage(context: NodeContext): Promise<NodeResult> {
  const { state, args } = context
  const spending = await askSpending(context)
  if (spending) return spending
  const pull = state.pull!
  const end = await extractStructured(context, {
    turn: { role: 'evaluator' },
    schema: triageObject,
    jsonSchema: TRIAGE_SCHEMA,
    prompt: problem => triagePrompt(args, pull, problem),
  })
  const spent = end.usage ? { usage: end.usage } : {}
  if ('died' in end) return { ...turnFailed(end.died), ...spent }
  if ('problem' in end) {
    const failure_reason = `the Evaluator returned no triage: ${end.problem}`
    return { failed: { status: 'fail', failure_reason, failure_class: 'unknown' }, ...spent }
  }
  const judged = new Map(end.value.items.map(entry => [entry.number, entry]))
  const items = pull.items.map((item): PullItem => {
    const {
      verdict = 'question',
      reason = 'the Evaluator did not mention it',
      reply = '',
    } = judged.get(item.number) ?? {}
    return { ...item, verdict, reason, reply }
  })
  const { review, evaluation } = asReview(items, end.value.summary, args.profile.pull.fixesNits)
  const toFix = evaluation.items.filter(({ disposition }) => disposition === 'implement').map(({ number }) => number)
  const needsPerson = items.some(item => policyOf(context, item) === 'ask')
  const update: StateUpdate = {
    pull: { ...pull, items },
    review_pass: state.review_pass + 1,
    structured_review: review,
    last_review: review,
    evaluation_result: evaluation,
    approved_items: needsPerson ? [] : toFix,
    driver_session_id: null,
    history: historyUpdate(context, 'evaluator', end.value.summary),
  }
  const counts = Object.fromEntries(
    PULL_VERDICTS.map(name => [name, items.filter(({ verdict }) => verdict === name).length]),
  ) as Record<Verdict, number>
  return {
    route: needsPerson ? 'items' : toFix.length > 0 ? 'developer' : 'answer',
    update,
    events: [newEvent('pull.triaged', { round: state.review_pass + 1, ...counts })],
    ...spent,
  }
}

function policyOf({ args }: NodeContext, { is_bot: isBot, kind }: PullItem): 'ask' | 'fix' | 'ignore' {
  if (kind === 'check') return 'fix'
  return args.profile.pull[isBot ? 'bots' : 'people']
}

const SEVERITY = { must_fix: 'major', question: 'minor', nit: 'minor', wrong: 'none', out_of_scope: 'none' } as const

/**
 * The items as those of a review, so that people select and the Developer fixes them in the same
 * way.
 */
function asReview(
  items: readonly PullItem[],
  summary: string,
  fixesNits: boolean,
): { review: TypedReview; evaluation: EvaluationObject } {
  const reviewed = items.map((item): ReviewItem => {
    const { number, kind, author, file, line, body, reason } = item
    const title = kind === 'check' ? `The check fails: ${file}` : `${author}: ${body.trim().split('\n').at(-1) ?? ''}`
    const verdict = item.verdict ?? 'question'
    return {
      number,
      severity: SEVERITY[verdict],
      file: kind === 'check' ? '' : file,
      line,
      title: title.slice(0, 200),
      issue: body,
      why: reason,
      fix: '',
    }
  })
  const disposition = (verdict: Verdict | null): EvaluationObject['items'][number]['disposition'] => {
    if (verdict === 'must_fix' || (verdict === 'nit' && fixesNits)) return 'implement'
    if (verdict === 'wrong') return 'reject'
    return verdict === 'question' ? 'clarify' : 'defer'
  }
  return {
    review: { type: 'pull_request', approved: false, severity: 'major', summary, items: reviewed },
    evaluation: {
      summary,
      items: items.map(({ number, kind, verdict, reason, reply }) => ({
        number,
        disposition: disposition(verdict),
        reason: [
          `${(verdict ?? 'question').replaceAll('_', ' ')}: ${reason}`,
          // A failed check has no author to reply to.
          ...(kind === 'check' || reply === '' ? [] : [`Reply: ${reply}`]),
        ].join('\n'),
      })),
    },
  }
}
