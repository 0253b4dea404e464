import { useState } from 'preact/hooks'
import { plainLabel, visibleText } from '../../../src/text/visible-text'
import { plural } from '../api/format'
import type { Approval, PlanGate } from '../api/types'
import { Blocks } from '../blocks/blocks'
import { markdownBlocks } from '../blocks/markdown'
import { DiffView } from '../diff/diff-view'
import { Revealed } from '../diff/styled-text'
import { parseUnified } from '../diff/unified-diff'
import type { Decision } from '../store/actions'
import { Segments } from '../ui/tabs'
import { planIssue } from './plan-issues'

interface PlanFormProps {
  approval: Approval
  plan: PlanGate
  isBusy: boolean
  /** The page has shown the whole request. */
  hasSeenAll: boolean
  onAnswer(decision: Omit<Decision, 'whole'>): void
}

type Shown = 'plan' | 'changes' | 'edit'

/** A plan to read, to compare with the previous version, to edit, and to approve or reject. */
export function PlanForm({ approval, plan, isBusy, hasSeenAll, onAnswer }: PlanFormProps) {
  const [shown, setShown] = useState<Shown>('plan')
  const [text, setText] = useState(plan.plan_markdown)
  const [feedback, setFeedback] = useState('')
  const isEdited = text.trim() !== plan.plan_markdown.trim()
  const approve = () =>
    onAnswer(isEdited ? { option: 'approve', editedInput: { ...plan, plan_markdown: text } } : { option: 'approve' })
  // A plan without tasks counts as one task, which has no title.
  const tasks = plan.tasks.filter(({ title }) => title !== null)
  const cancel = approval.request.options.find(({ key }) => key === 'cancel')
  return (
    <div class="card-form plan-form">
      <div class="row wrap">
        <Segments<Shown>
          label="Plan"
          value={shown}
          onChange={setShown}
          choices={[
            { value: 'plan', label: `Version ${plan.version}` },
            ...(plan.diff === null ? [] : [{ value: 'changes' as const, label: 'Changes' }]),
            { value: 'edit', label: isEdited ? 'Edited' : 'Edit' },
          ]}
        />
        <span class="small soft">
          {tasks.length === 0 ? 'No tasks' : plural(tasks.length, 'task')}
          {plan.key_files.length > 0 && ` · ${plural(plan.key_files.length, 'file')}`}
        </span>
      </div>
      {plan.validation.issues.length > 0 && (
        <div class="plan-findings small">
          <p class="strong">{plan.validation.valid ? 'The check noted:' : 'The check does not accept this plan:'}</p>
          <ul aria-label="Findings of the plan check">
            {plan.validation.issues.map(issue => (
              <li key={issue}>
                <Revealed text={planIssue(issue)} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {shown === 'plan' && (
        <div class="plan-text">
          {tasks.length > 0 && (
            <ol class="plan-tasks" aria-label="Tasks">
              {tasks.map(({ number, title }) => (
                <li key={number}>
                  <span class="num dim">{number}</span> <Revealed text={title!} />
                </li>
              ))}
            </ol>
          )}
          {text.trim() === '' && <p class="small soft">The plan is empty.</p>}
          <Blocks blocks={markdownBlocks(visibleText(isEdited ? text : plan.plan_markdown, { tabs: 'keep' }))} />
        </div>
      )}
      {shown === 'changes' && (
        <div class="plan-text">
          {parseUnified(withHeader(plan.diff ?? '')).map(({ name, lines }) => (
            <DiffView key={name} lines={lines} file="plan.md" />
          ))}
          {plan.rejections.length > 0 && (
            <p class="small soft">Feedback on the previous plan: {plan.rejections.at(-1)}</p>
          )}
        </div>
      )}
      {shown === 'edit' && (
        <textarea
          class="input code"
          rows={14}
          aria-label="Edit the plan"
          spellcheck={false}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      )}
      <div class="field">
        <label for={`feedback-${approval.id}`}>Feedback for a new plan (needed to reject this one)</label>
        <textarea
          id={`feedback-${approval.id}`}
          class="input"
          rows={2}
          value={feedback}
          onInput={event => setFeedback(event.currentTarget.value)}
        />
      </div>
      <div class="card-actions plan-actions">
        <button
          type="button"
          class="btn tall deny"
          disabled={isBusy || feedback.trim() === ''}
          onClick={() => onAnswer({ option: 'reject', text: feedback.trim() })}
        >
          Reject
        </button>
        <div class="between">
          {cancel && (
            <button type="button" class="btn quiet" disabled={isBusy} onClick={() => onAnswer({ option: cancel.key })}>
              {plainLabel(cancel.label)}
            </button>
          )}
        </div>
        <button type="button" class="btn solid tall allow" disabled={isBusy || !hasSeenAll} onClick={approve}>
          {isEdited ? 'Approve with my edits' : 'Approve'}
        </button>
      </div>
    </div>
  )
}

/** The diff of the plan has no file header. */
function withHeader(diff: string): string {
  return diff.startsWith('diff --git') ? diff : `diff --git a/plan b/plan\n${diff}`
}
