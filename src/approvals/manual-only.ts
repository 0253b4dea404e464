import type { Menu } from '../screen/index.js'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

type MenuKind = Menu['kind']

/** Dialogs that only a person answers, one at a time, after seeing the whole. */
const DIALOGS: Readonly<Partial<Record<MenuKind, string>>> = {
  trust: 'it is about trusting a folder, hooks or servers',
  auth: 'it is about signing in',
  api_key: 'it is about keys and accounts',
  update: 'it is about updating or installing',
  limit: 'it is about limits and money',
  resume: 'it may restore or throw away work',
  confirm: 'it is a dialog that the pack does not know',
  input: 'it asks for a text',
  other: 'it is a dialog that the pack does not know',
}

export function manualOnlyReason(menu: Menu): string | undefined {
  if (menu.danger.includes('never-auto')) return 'the pack says that only a person answers it'
  return DIALOGS[menu.kind]
}

/**
 * Why neither a grant nor a batch nor anything else but a person may allow this request; null when one may. What the request says of
 * itself, what its risk is, and what its one allowing option would do all count.
 */
export function whyManualOnly(request: Pick<ApprovalRequest, 'kind' | 'risk' | 'source' | 'neverAuto'>): string | null {
  if (request.kind !== 'permission') return `it is a ${request.kind}, not a permission`
  if (request.neverAuto) return request.neverAuto
  if (request.source.mismatch) return 'structure and screen contradict each other'
  if (request.risk.level === 'high') return `its risk is high: ${request.risk.reasons[0] ?? ''}`
  return null
}

/** The plain "once", and only if there is exactly one: what a grant and a batch may choose. */
export function allowOnceOption(
  request: Pick<ApprovalRequest, 'request'>,
): ApprovalRecord['request']['options'][number] | null {
  const options = request.request.options.filter(({ meaning, danger }) => meaning === 'allow-once' && danger === null)
  return options.length === 1 ? options[0]! : null
}
