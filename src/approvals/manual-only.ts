import type { Menu } from '../screen/index.js'
import type { ApprovalRecord, ApprovalRequest } from './record.js'

type MenuKind = Menu['kind']

/** Dialogs that only a person may answer, one at a time, after seeing them completely. */
const DIALOGS: Readonly<Partial<Record<MenuKind, string>>> = {
  trust: 'it is about trust in a folder, hooks or servers',
  auth: 'it is about signing in',
  api_key: 'it is about keys and accounts',
  update: 'it is about updating or installing',
  limit: 'it is about limits and money',
  resume: 'it may restore or discard work',
  confirm: 'the pack does not know this dialog',
  input: 'it asks for a text',
  other: 'the pack does not know this dialog',
}

export function manualOnlyReason(menu: Menu): string | undefined {
  if (menu.danger.includes('never-auto')) return 'the pack reserves it for a person'
  return DIALOGS[menu.kind]
}

/**
 * Why Signalbox may not type an answer that allows into this menu: people decide by what they have
 * seen, and the dialog hides a part of it. A guess has no proof that the dialog belongs to the
 * request.
 */
export function terminalOnlyReason(menu: Pick<Menu, 'isCut'>, { isGuess = false } = {}): string | undefined {
  if (menu.isCut) return 'the dialog on the screen shows only a part of the request'
  return isGuess ? 'the dialog on the screen does not show which request it belongs to' : undefined
}

/**
 * Why only a person may allow this request, and neither a grant nor a batch; null when they may.
 * Its kind, the dialog, contradictions and the risk count.
 */
export function whyManualOnly(request: Pick<ApprovalRequest, 'kind' | 'risk' | 'source' | 'neverAuto'>): string | null {
  if (request.kind !== 'permission') return `it is a ${request.kind}, not a permission`
  if (request.neverAuto) return request.neverAuto
  if (request.source.mismatch) return 'the agent’s report and its screen contradict each other'
  if (request.risk.level === 'high') return `its risk is high: ${request.risk.reasons[0] ?? ''}`
  return null
}

/** The option that allows once, if there is exactly one: grants and batches choose only that. */
export function allowOnceOption(
  request: Pick<ApprovalRequest, 'request'>,
): ApprovalRecord['request']['options'][number] | null {
  const options = request.request.options.filter(({ meaning, danger }) => meaning === 'allow-once' && danger === null)
  return options.length === 1 ? options[0]! : null
}
