import type { Approval, InMilliseconds } from '../../server/index.js'
import { visibleText } from '../../text/index.js'

/** An approval as the daemon describes it. */
export type ApprovalInfo = InMilliseconds<Approval>
export type OptionInfo = Pick<ApprovalInfo['request']['options'][number], 'key' | 'label' | 'meaning'>

/** The request as a person must see it, each line of foreign text behind a mark of ours. */
export function approvalLines(approval: ApprovalInfo): string[] {
  const { request, subject, risk, fingerprint } = approval
  return [
    `${request.tool} · ${subject.project}`,
    ...valueLines(approval.display.blocks),
    `risk ${risk.level}: ${risk.reasons.join('; ')}`,
    ...optionLines(request),
    ...(approval.behind ? [`behind ${approval.behind}: its menu is not on screen yet`] : []),
    ...(approval.follows ? [`follows ${approval.follows}, which changed before it was answered`] : []),
    ...(approval.changed
      ? [`changed since you last looked: ${approval.changed.map(path => visibleText(path)).join(', ')}`]
      : []),
    ...(approval.repeats
      ? [`asks in a loop: ${approval.repeats} times within 10 minutes (deny --interrupt stops it)`]
      : []),
    ...(approval.neverAuto ? [`only you decide this, one at a time: ${approval.neverAuto}`] : []),
    ...(approval.deadline ? [`until ${new Date(approval.deadline.at).toISOString()}`] : []),
    `fingerprint ${fingerprint.slice(0, 16)}`,
  ]
}

/** Those of a form by its questions, each with the name that tells it from an equal one. */
function optionLines({ questions, options }: ApprovalInfo['request']): string[] {
  if (questions.length < 2) return [`options: ${options.map(option => option.label).join(' · ') || '(a text)'}`]
  return questions.map(({ text, multi }, index) => {
    const own = options.filter(({ question }) => (question ?? 0) === index)
    return `${visibleText(text)}${multi ? ' (any of)' : ''} ${own.map(({ key }) => key).join(' · ')}`
  })
}

function valueLines(blocks: ApprovalInfo['display']['blocks']): string[] {
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

/** What became of a decision, in a line: `applied`, `stale (gone)`. */
export function endOf({ state, outcome }: ApprovalInfo): string {
  const way = outcome?.evidence?.find(evidence => evidence.kind === 'note')?.way
  const note =
    way === undefined ? '' : `; the agent was told why (${way === 'undelivered' ? 'not: it takes no text' : way})`
  return `${state}${outcome?.reason ? ` (${outcome.reason})` : ''}${note}`
}
