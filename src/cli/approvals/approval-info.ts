import type { ApprovalRecord } from '../../approvals/index.js'
import { optionText, visibleText } from '../../text/index.js'

/** An approval as the daemon describes it, with the request to be answered first. */
export type ApprovalInfo = ApprovalRecord & { behind?: string }

/** The request as a person must see it; each line of the agent's text starts with a mark. */
export function approvalLines(approval: ApprovalInfo): string[] {
  const { request, subject, risk, fingerprint } = approval
  return [
    `${request.tool} · ${subject.project}`,
    ...valueLines(approval.display.blocks as DisplayBlock[]),
    `risk ${risk.level}: ${risk.reasons.join('; ')}`,
    ...optionLines(request),
    ...(approval.behind ? [`blocked by ${approval.behind}: that menu must be answered first`] : []),
    ...(approval.follows ? [`supersedes ${approval.follows}, which changed before it was answered`] : []),
    ...(approval.changed
      ? [`changed since you last looked: ${approval.changed.map(path => visibleText(path)).join(', ')}`]
      : []),
    ...(approval.repeats
      ? [`asks in a loop: ${approval.repeats} times within 10 minutes (deny --interrupt stops it)`]
      : []),
    ...(approval.terminalOnly ? [`it can be allowed only in the terminal: ${approval.terminalOnly}`] : []),
    ...(approval.neverAuto ? [`only a person can decide this, one at a time: ${approval.neverAuto}`] : []),
    ...(approval.deadline ? [`until ${new Date(approval.deadline.at).toISOString()}`] : []),
    `fingerprint ${fingerprint.slice(0, 16)}`,
  ]
}

/** A part of the display: a label of Signalbox, or a value as it really reads. */
interface DisplayBlock {
  kind?: string
  text?: string
  reading?: string
}

/** The options; of a form by question, each with its unique key. */
function optionLines({ questions, options }: ApprovalInfo['request']): string[] {
  if (questions.length < 2)
    return [`options: ${options.map(({ label }) => optionText(label)).join(' · ') || '(a text)'}`]
  return questions.map(({ text, multi }, index) => {
    const own = options.filter(({ question }) => (question ?? 0) === index)
    return `${visibleText(text)}${multi ? ' (any of)' : ''} ${own.map(({ key }) => optionText(key)).join(' · ')}`
  })
}

function valueLines(blocks: readonly DisplayBlock[]): string[] {
  const lines: string[] = []
  let value = ''
  const endValue = () => {
    if (value !== '') lines.push(...value.split('\n').map(line => `│ ${line}`))
    value = ''
  }
  for (const { kind, text = '', reading } of blocks) {
    if (kind === 'label') {
      endValue()
      lines.push(`${text}:`)
    } else value += reading === undefined ? text : `${text}⟦reads ${reading}⟧`
  }
  endValue()
  return lines
}

function observedEnd({ actor, result }: NonNullable<NonNullable<ApprovalRecord['outcome']>['observed']>): string {
  return `${result ?? 'answered'} in the agent’s own dialog by ${actor.name}`
}

/** The outcome of a decision in a line: `applied`, `stale (gone)`. */
export function endOf({ state, outcome }: ApprovalRecord): string {
  const evidence = (outcome?.evidence ?? []) as { kind: string; way?: string }[]
  const way = evidence.find(({ kind }) => kind === 'note')?.way
  const delivered = way === 'undelivered' ? 'could not be delivered' : `was delivered (${way})`
  const note = way === undefined ? '' : `; the reason ${delivered}`
  if (outcome?.observed) return observedEnd(outcome.observed)
  return `${state}${outcome?.reason ? ` (${outcome.reason})` : ''}${note}`
}
