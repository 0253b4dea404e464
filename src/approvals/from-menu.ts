import type { Menu } from '../screen/index.js'
import { visibleValue } from '../text/index.js'
import { fingerprintOf, sha256 } from './fingerprint.js'
import type { ApprovalRequest } from './record.js'

/** Which approvals a menu kind becomes; null for what is nobody's decision (surveys, pickers a person opened). */
export function approvalKindOf(menu: Menu): ApprovalRequest['kind'] | null {
  if (menu.origin === 'user') return null
  switch (menu.kind) {
    case 'permission':
    case 'plan':
    case 'auth':
      return menu.kind
    case 'survey':
    case 'picker':
      return null
    default:
      return 'question'
  }
}

/** A live menu as a request for a decision: what is asked, what may be answered, and what exactly a decision will be bound to. */
export function requestFromMenu(
  menu: Menu,
  context: { kind: ApprovalRequest['kind']; subject: ApprovalRequest['subject']; instance: string },
): ApprovalRequest {
  const text = [...menu.body, menu.question].join('\n')
  const options = menu.options.map(option => ({
    key: option.label,
    label: option.label,
    meaning: option.meaning,
    from: 'agent' as const,
    danger: option.danger ? 'widens what runs unasked' : null,
  }))
  const tool = menu.title ?? menu.kind
  const questions = [{ text: menu.question, multi: menu.multi }]
  const shown = visibleValue(text)
  const visible = shown.findings.map(({ what, count }) => ({ what, count }))
  const blocks = shown.pieces.map(piece => ({ ...piece, kind: 'value' }))
  const title = `${tool}: ${menu.question}`
  const hasHidden = visible.length > 0
  return {
    kind: context.kind,
    subject: context.subject,
    request: { tool, input: null, text, questions, options, freeText: 'none' },
    source: {
      channel: 'screen',
      requestKey: context.instance,
      evidence: [{ kind: 'menu', rows: menu.rows, proofs: menu.live.proofs }],
    },
    fingerprint: fingerprintOf({
      kind: context.kind,
      agent: context.subject.agent,
      session: context.subject.session ?? '',
      subAgent: context.subject.subAgent,
      tool,
      input: null,
      text,
      cwd: context.subject.cwd,
      questions,
      options,
    }),
    menuPrint: menu.print,
    instance: context.instance,
    risk: hasHidden
      ? { level: 'high', reasons: ['hidden characters in the request'] }
      : { level: 'elevated', reasons: ['read from the screen; the agent gave no structured request'] },
    display: { title, blocks, visible, hash: sha256(JSON.stringify({ title, blocks })) },
  }
}
