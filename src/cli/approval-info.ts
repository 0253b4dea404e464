/** An approval as the daemon describes it. */
export interface ApprovalInfo {
  id: string
  state: string
  kind: string
  requestedAt: number
  fingerprint: string
  subject: { agent: string; session?: string; project: string; cwd: string }
  request: {
    tool: string
    text: string | null
    questions: { text: string }[]
    options: { key: string; label: string; meaning: string }[]
  }
  risk: { level: string; reasons: string[] }
  display: { title: string; hash: string; blocks: { text?: string }[] }
  decision?: { option: string; actor: { name: string }; surface: string }
  outcome?: { reason?: string }
}

/** The request as a person must see it, each line of foreign text behind a mark of ours. */
export function approvalLines(approval: ApprovalInfo): string[] {
  const text = approval.display.blocks.map(block => block.text ?? '').join('')
  return [
    `${approval.request.tool} · ${approval.subject.project}`,
    ...text.split('\n').map(line => `│ ${line}`),
    `risk ${approval.risk.level}: ${approval.risk.reasons.join('; ')}`,
    `options: ${approval.request.options.map(option => option.label).join(' · ')}`,
    `fingerprint ${approval.fingerprint.slice(0, 16)}`,
  ]
}
