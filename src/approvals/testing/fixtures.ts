import type { Menu } from '../../screen/index.js'
import type { ProposedDecision } from '../decide.js'
import type { ApprovalRecord, ApprovalRequest } from '../record.js'
import { requestFromMenu } from '../request-from-menu.js'
import { requestFromReport, type StructuredReport } from '../request-from-report.js'

export const SUBJECT = { agent: 'demo', session: 'ses_1', project: '/p', cwd: '/p', hostName: 'here' }

export function menuOf(labels: readonly string[], fields: Partial<Menu> = {}): Menu {
  const selected = fields.selected === undefined ? 0 : fields.selected
  return {
    hash: `hash of ${labels.join('|')}`,
    kind: 'permission',
    origin: 'agent',
    layout: 'vertical',
    title: 'Bash',
    question: 'May I run this?',
    body: ['$ npm test'],
    options: labels.map((label, index) => ({
      index,
      label,
      selected: index === selected,
      checked: null,
      meaning: /^no/i.test(label) ? 'deny' : /^yes/i.test(label) ? 'allow-once' : 'choice',
      danger: false,
    })),
    selected,
    multi: false,
    tabs: [],
    text: null,
    more: { above: false, below: false },
    isCut: false,
    footer: [],
    danger: [],
    keys: { choose: 'arrows', confirm: '\r', toggle: ' ' },
    rows: [3, 9],
    live: { proofs: ['nothing-below'], since: 1, afterInput: true },
    ...fields,
  }
}

export function requestOf(fields: Partial<ApprovalRequest> = {}): ApprovalRequest {
  return {
    ...requestFromMenu(menuOf(['Yes', 'Yes, always', 'No']), { kind: 'permission', subject: SUBJECT, instance: '3:1' }),
    ...fields,
  }
}

export function recordOf(fields: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return { ...requestOf(), id: 'apr_1', state: 'pending', version: 1, requestedAt: 1000, delivery: [], ...fields }
}

export function decisionOf(
  request: Pick<ApprovalRequest, 'fingerprint' | 'display'>,
  fields: Partial<ProposedDecision> = {},
): ProposedDecision {
  return {
    fingerprint: request.fingerprint,
    option: 'Yes',
    seen: { displayHash: request.display.hash, whole: true },
    actor: { kind: 'person', id: 'ada', name: 'Ada', role: 'approver' },
    surface: 'web',
    idempotencyKey: 'key-1',
    ...fields,
  }
}

/** A request of a structured channel, such as an agent's hook. */
export function reportedOf(
  report: Partial<StructuredReport> = {},
  subject: Partial<ApprovalRequest['subject']> = {},
): ApprovalRequest {
  return requestFromReport(
    { channel: 'hook', requestKey: 'k1', tool: 'Bash', input: { command: 'npm test' }, ...report },
    { subject: { ...SUBJECT, ...subject }, home: '/home/ada', realPath: path => path },
  )
}
