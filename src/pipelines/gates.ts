import type { GateQuestion, Reply } from '../engine/index.js'
import { plural } from '../text/index.js'
import type { ReviewItem } from './review-object.js'
import type { ImplementationState } from './state.js'

/*
 * The questions of a pipeline, as data that every surface can show. They are requests in the ledger
 * (`kind` plan, review or gate, `source.channel` run); `request.input` is one of the payloads
 * below, distinguished by `gate`; `request.options` are the possible answers, by key;
 * `request.text` says the same in words. The answer is bound to all of it: a changed plan or
 * another item has another fingerprint.
 *
 * How to answer: `{ option }`, with a `text` or `note` where the option takes one. `approve`
 * accepts an `editedInput` (the payload with another `plan_markdown`), which equals `edit` with the
 * plan as `text` but allows longer plans. Items go into `choices` (numbers as text, or one of all ·
 * none · critical · major · pass), remarks on them into `note`. Everything else is refused by the
 * ledger (`approvals/read-answer.ts`), and the gate stays open.
 */

export interface PlanGatePayload {
  gate: 'plan'
  goal: string | null
  plan_path: string | null
  plan_hash: string
  plan_markdown: string
  /** The number of this plan within the run, from 1. */
  version: number
  validation: { valid: boolean; issues: string[]; severity: string }
  tasks: { number: string; title: string | null }[]
  key_files: string[]
  /** The plan was only in the answer, not in a file. */
  is_salvaged: boolean
  /** Feedback of people on earlier plans. */
  rejections: string[]
  /** Changes since the previous version, as a unified diff; null for the first. */
  diff: string | null
}

export interface ItemsGatePayload {
  gate: 'items'
  pass: number
  of: number
  summary: string
  items: (ReviewItem & { disposition: string; reason: string })[]
}

export interface ObjectionsGatePayload {
  gate: 'objections'
  task: { number: string; title: string | null; index: number; of: number }
  reviews: number
  items: ReviewItem[]
}

export interface HookGatePayload {
  gate: 'hook'
  /** In a review: the pass whose fixes were to be committed, instead of a task. */
  task: { number: string; title: string | null; index: number; of: number }
  output: string
  isReview?: boolean
}

export interface SpendingGatePayload {
  gate: 'spending'
  limit: 'task_usd' | 'day_usd'
  spent: number
  of: number
}

export function planQuestion(payload: PlanGatePayload, problem: string | null): GateQuestion {
  const { validation, tasks, goal } = payload
  const lines = [
    ...(problem === null ? [] : [problem, '']),
    ...(validation.issues.length > 0 ? [`Plan check: ${validation.issues.join(', ')}`, ''] : []),
    ...(payload.is_salvaged
      ? ['The Architect gave this plan in its answer instead of a file; Signalbox saved it to the file.', '']
      : []),
    `Goal: ${goal ?? 'none'}`,
    `${plural(tasks.length, 'task')}: ${tasks.map(({ number, title }) => `${number} ${title ?? ''}`.trim()).join(' · ') || 'none'}`,
    ...(payload.key_files.length > 0 ? [`Files: ${payload.key_files.join(', ')}`] : []),
    ...(payload.plan_path ? [`Plan: ${payload.plan_path}`] : []),
    '',
    payload.plan_markdown,
  ]
  return {
    kind: 'plan',
    title: `Approve the plan${goal ? `: ${goal}` : ''}`.slice(0, 200),
    text: lines.join('\n'),
    input: { ...payload },
    takesEdits: true,
    options: [
      { key: 'approve', label: 'Approve', meaning: 'allow-once' },
      { key: 'edit', label: 'Approve with my edits', meaning: 'text', takes: 'text' },
      { key: 'reject', label: 'Reject with feedback and get a new plan', meaning: 'deny-with-text', takes: 'reason' },
      { key: 'replace', label: 'Replace it with my plan and ask again', meaning: 'text', takes: 'text' },
      { key: 'cancel', label: 'Cancel the run', meaning: 'cancel' },
    ],
  }
}

export function itemsQuestion(payload: ItemsGatePayload): GateQuestion {
  const { items, summary, pass, of } = payload
  const line = ({ number, severity, file, line: at, title, issue, disposition, reason }: (typeof items)[number]) => {
    const location = at === null ? file : `${file}:${at}`
    // A short comment of a person is both title and issue.
    const about = issue === title ? [] : [issue]
    return [`${number}. [${severity}] ${location} ${title}`, ...about, `${disposition}: ${reason}`].join('\n   ')
  }
  return {
    kind: 'review',
    title: `Which of ${plural(items.length, 'item')} should be fixed? (pass ${pass} of ${of})`,
    text: [summary, '', ...items.map(line)].join('\n'),
    input: { ...payload },
    isMulti: true,
    options: [
      ...items.map(item => ({
        key: String(item.number),
        label: `${item.severity} ${item.file}${item.line === null ? '' : `:${item.line}`} ${item.title}`.slice(0, 200),
      })),
      { key: 'all', label: 'All items that the Evaluator recommends to implement' },
      { key: 'critical', label: 'The critical items' },
      { key: 'major', label: 'The critical and major items' },
      { key: 'none', label: 'None', isAlone: true },
      ...(pass < of ? [{ key: 'pass', label: 'Review again before I decide', isAlone: true }] : []),
    ],
  }
}

export function objectionsQuestion(payload: ObjectionsGatePayload): GateQuestion {
  const { task, reviews, items } = payload
  const lines = items.map(item => `- [${item.severity}] ${item.file} ${item.title}: ${item.issue}`)
  return {
    kind: 'review',
    title: `Task ${task.index} of ${task.of} was not approved after ${plural(reviews, 'review')}`,
    text: [`Task ${task.number}: ${task.title ?? ''}`, '', ...lines].join('\n'),
    input: { ...payload },
    options: [
      { key: 'more', label: 'Allow more attempts', takes: 'count' },
      { key: 'accept', label: 'Accept it with these objections' },
      { key: 'stop', label: 'Stop the run', meaning: 'cancel' },
    ],
  }
}

export function hookQuestion(payload: HookGatePayload): GateQuestion {
  return {
    kind: 'gate',
    title: `A hook rejected the commit of ${payload.isReview ? 'the fixes of pass' : 'task'} ${payload.task.index} of ${payload.task.of}`,
    text: payload.output,
    input: { ...payload },
    options: [
      { key: 'fix', label: 'Let the Developer fix it' },
      { key: 'bypass', label: 'Commit without hooks' },
      { key: 'stop', label: 'Stop the run', meaning: 'cancel' },
    ],
  }
}

export function spendingQuestion(payload: SpendingGatePayload): GateQuestion {
  const { limit, spent, of } = payload
  return {
    kind: 'gate',
    title: `The budget ${limit === 'task_usd' ? 'of this task' : 'for today'} is used up: $${spent.toFixed(2)} of $${of.toFixed(2)}`,
    text: 'The next agent step waits for your decision.',
    input: { ...payload },
    options: [
      { key: 'raise', label: `Continue with $${of.toFixed(2)} more` },
      { key: 'stop', label: 'Stop here; the run can be resumed', meaning: 'cancel' },
      { key: 'cancel', label: 'Cancel the run', meaning: 'cancel' },
    ],
  }
}

export function taskOf({ tasks, current_task_index: index, total_tasks: total }: ImplementationState) {
  const task = tasks[index]
  return { number: task?.number ?? String(index + 1), title: task?.title ?? null, index: index + 1, of: total ?? 1 }
}

/** `--auto-approve` answered, not a person. */
export function isAutomatic({ by }: Pick<Reply, 'by'>): boolean {
  return by === 'auto-approve'
}
