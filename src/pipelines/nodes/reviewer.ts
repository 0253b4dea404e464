import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addUsage, type Usage } from '../../engine/index.js'
import { newEvent } from '../../events/index.js'
import { plural } from '../../text/index.js'
import type { GivenFinding } from '../args.js'
import { extractStructured } from '../extract-structured.js'
import type { NodeContext, NodeResult } from '../node.js'
import { DIFF_MAX } from '../pipeline-git.js'
import { PROMPT_TEXTS } from '../prompts/prompt-texts.js'
import { type ReviewMaterial, reviewerPrompt } from '../prompts/role-prompts.js'
import { isApproved, itemKey, mergeReviews, REVIEW_SCHEMA, reviewObject } from '../review-object.js'
import { callOf, turnFailed } from '../role-turn.js'
import { routeAfterReview, routeAfterTaskReview } from '../routing.js'
import type { StateUpdate, TypedReview } from '../state.js'
import { historyUpdate } from './history-update.js'
import { codeAt } from './item-code.js'
import { findingsOf, runChecks } from './run-checks.js'
import { askSpending } from './spending.js'

/** Runs all review types at once, read-only. Without a valid object: no review. */
export async function reviewer(context: NodeContext): Promise<NodeResult> {
  const { state, args, call, git } = context
  const spending = await askSpending(context)
  if (spending) return spending
  const checks = await runChecks(context)
  const material = await materialOf(context, checks)
  const tree = material.tree ?? (await git.treeHash())
  const given = state.review_iteration === 0 ? commentsAsReview(args.findings) : null
  const ends: ReviewEnd[] = given
    ? [{ review: given, usage: undefined }]
    : await Promise.all(state.review_types.map(type => reviewOf(context, type, material)))
  const usage = ends.reduce<Usage | undefined>(
    (sum, end) => (end.usage ? (sum ? addUsage(sum, end.usage) : end.usage) : sum),
    undefined,
  )
  const spent = usage ? { usage } : {}
  const after = await git.treeHash()
  if (after !== tree) return { ...(await changedMeanwhile(context, tree, after)), ...spent }
  for (const end of ends) {
    if ('died' in end) return { ...turnFailed(end.died), ...spent }
    if ('problem' in end) return { ...failed(`a Reviewer returned no review: ${end.problem}`), ...spent }
  }
  const reviews = ends.flatMap(end => ('review' in end ? [end.review] : []))
  const fresh = reviews.map(review => withoutSettled(context, review))
  const extra = findingsOf(checks)
  const all: TypedReview[] =
    extra.length === 0
      ? fresh
      : [
          ...fresh,
          { type: 'checks', approved: false, severity: 'major', summary: 'Checks fail.', items: numbered(extra) },
        ]
  call.notice(
    'info',
    all
      .map(({ type, summary }) => `${type}: ${summary}`)
      .join(' · ')
      .slice(0, 500),
  )
  return { ...conclude(context, all, material), ...spent }
}

/** The comments of a person are a review like any other: the Evaluator judges each of them. */
function commentsAsReview(findings: readonly GivenFinding[]): TypedReview | null {
  if (findings.length === 0) return null
  const items = findings.map(({ file, line, text }, index) => ({
    number: index + 1,
    severity: 'major' as const,
    file,
    line,
    title: text.split('\n')[0]!.slice(0, 120),
    issue: text,
    why: 'a person commented on the changes',
    fix: '',
  }))
  return { type: 'comments', approved: false, severity: 'major', summary: plural(items.length, 'comment'), items }
}

function conclude(context: NodeContext, reviews: TypedReview[], material: Material): NodeResult {
  const { state } = context
  const merged = mergeReviews(reviews)
  const iteration = state.task_review_iteration + 1
  const update: StateUpdate = {
    last_reviews: reviews,
    last_review: merged,
    structured_review: merged,
    review_iteration: state.review_iteration + 1,
    code_changes_for_review: material.diff.file,
    history: historyUpdate(
      context,
      'reviewer',
      merged.approved ? 'approved' : `did not approve: ${merged.items.length} items`,
    ),
  }
  const finished = newEvent('review.finished', {
    isApproved: merged.approved,
    severity: merged.severity,
    items: merged.items.length,
    types: reviews.map(({ type }) => type),
    iteration: state.review_iteration + 1,
  })
  if (state.pipeline_type === 'review')
    return {
      route: routeAfterReview({ items: merged.items.length }),
      update: { ...update, evaluation_result: null, approved_items: [] },
      events: [finished],
    }
  const route = routeAfterTaskReview({
    reviews: reviews.map(isApproved),
    iteration,
    maxReviews: state.task_review_limit ?? context.args.profile.maxTaskReviews,
  })
  const tasks = state.tasks.map((task, index) =>
    index === state.current_task_index ? { ...task, iterations: iteration } : task,
  )
  return { route, update: { ...update, task_review_iteration: iteration, tasks }, events: [finished] }
}

type Material = Omit<ReviewMaterial, 'type' | 'guidelines' | 'problem'> & { tree: string | null }

/** The changes since the task started, or under review, in a file: they are large. */
async function materialOf(context: NodeContext, checks: Material['checks']): Promise<Material> {
  const { state, args, git, directory, step } = context
  const tree = args.target?.kind === 'range' && state.review_pass <= 1 ? null : await git.treeHash()
  const to = tree ?? `${(args.target as { to: string }).to}^{tree}`
  const from = state.task_base ?? 'HEAD^{tree}'
  const except = state.plan_path === null ? [] : [state.plan_path]
  const { text, hidden } = await git.diff(from, to, except)
  const file = join(directory, `changes-${step.visit}.diff`)
  writeFileSync(file, text)
  return {
    diff: { text, file, hidden, isBig: text.length > DIFF_MAX },
    checks,
    settled: state.settled_items,
    tree,
  }
}

type ReviewEnd = { usage: Usage | undefined } & (
  | { review: TypedReview }
  | { problem: string }
  | { died: Parameters<typeof turnFailed>[0] }
)

async function reviewOf(context: NodeContext, type: string, material: Material): Promise<ReviewEnd> {
  const { state, args, call } = context
  // A review that was complete before its host died counts: no Reviewer is asked twice.
  const kept = keptFile(context, type)
  if (existsSync(kept)) return { review: JSON.parse(readFileSync(kept, 'utf8')) as TypedReview, usage: undefined }
  const guidelines = PROMPT_TEXTS[`reviewer.${type}`] === undefined ? (args.profile.guidelines[type] ?? null) : null
  const part = type
  call.record(
    newEvent('review.started', { step: callOf(context, part).step, type, iteration: state.review_iteration + 1 }),
  )
  const end = await extractStructured(context, {
    turn: { role: 'reviewer', part },
    schema: reviewObject,
    jsonSchema: REVIEW_SCHEMA,
    prompt: problem => reviewerPrompt(state, args, { ...material, type, guidelines, problem }),
    isVoid: attempt => existsSync(voidFile(context, attempt)),
  })
  if (!('value' in end)) return end
  const review: TypedReview = { ...end.value, type, approved: isApproved(end.value) }
  keep(context, review)
  return { review, usage: end.usage }
}

function keep(context: NodeContext, review: TypedReview): void {
  writeFileSync(keptFile(context, review.type), JSON.stringify(review), { mode: 0o600 })
}

function keptFile({ directory, step }: NodeContext, type: string): string {
  return join(directory, `review-${step.visit}-${type}.json`)
}

/** Items that were rejected, deferred or not selected before are not raised again. */
function withoutSettled(context: NodeContext, review: TypedReview): TypedReview {
  const { settled_items: settled } = context.state
  if (settled.length === 0) return review
  const items = review.items.filter(item => !settled.includes(itemKey(item, codeAt(context.cwd, item))))
  if (items.length === review.items.length) return review
  return { ...review, items, approved: isApproved({ approved: items.length === 0 || review.approved, items }) }
}

/**
 * Reviewing must not change files. In the run's own worktree only the Reviewer can have done it,
 * and the files are restored; in a person's tree it may have been the person, and nothing is
 * touched. In either case the review does not count, because it was about other content.
 */
async function changedMeanwhile(context: NodeContext, before: string, after: string): Promise<NodeResult> {
  const { git, args } = context
  const paths = (await git.changedPaths(before, after)).slice(0, 10).join(', ')
  recordVoidReview(context)
  if (args.workspace.mode === 'in_place')
    return failed(`files changed during the review and were left as they are: ${paths}`)
  await git.git.restoreTree(before)
  return failed(`a Reviewer changed files; they were restored: ${paths}`)
}

/**
 * A Reviewer that changed files has not reviewed, and its answer stays void in every later attempt.
 */
function recordVoidReview(context: NodeContext): void {
  writeFileSync(voidFile(context, context.step.attempt), '', { mode: 0o600 })
  for (const type of context.state.review_types) rmSync(keptFile(context, type), { force: true })
}

function voidFile({ directory, step }: NodeContext, attempt: number): string {
  return join(directory, `review-${step.visit}-spoiled-${attempt}`)
}

function numbered(items: ReturnType<typeof findingsOf>) {
  return items.map((item, index) => ({ ...item, number: index + 1 }))
}

function failed(reason: string): NodeResult {
  return { failed: { status: 'fail', failure_reason: reason, failure_class: 'unknown' } }
}
