import type { ApprovalRecord, BatchResult, ProposedDecision } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient, isUnproven } from '../daemon-client.js'

const FINGERPRINT_DIGITS = 6

/**
 * Decides a request through the daemon, which knows by the kernel who calls, and which alone can
 * sign a decision so that sessions and runs accept it.
 */
export async function decideThroughDaemon(
  context: CommandContext,
  { id, fingerprint }: ApprovalRecord,
  { actor, auth: _, ...decision }: ProposedDecision,
): Promise<void> {
  const daemon = await DaemonClient.connect(context)
  const post = (confirmed: boolean) =>
    daemon.post(`/approvals/${encodeURIComponent(id)}/decision`, { ...decision, actor: personOf(actor), confirmed })
  await post(false).catch(async error => {
    if (!isStepUp(error) || isUnproven(error) || !context.isInteractive) throw error
    await typeFingerprint(fingerprint, error)
    await post(true)
  })
}

/** Decides several requests: `path` and `body` of the operation. */
export async function decideBatchThroughDaemon(
  context: CommandContext,
  path: 'decisions' | 'deny-all',
  { actor, ...body }: Pick<ProposedDecision, 'actor' | 'surface'> & Record<string, unknown>,
): Promise<BatchResult[]> {
  const daemon = await DaemonClient.connect(context)
  const { items } = await daemon.post<{ items: BatchResult[] }>(`/approvals/${path}`, {
    ...body,
    actor: personOf(actor),
  })
  return items
}

function personOf({ id, name }: ProposedDecision['actor']) {
  return { id, name }
}

/** If a second confirmation is required, the person types part of the fingerprint. */
async function typeFingerprint(fingerprint: string, error: SignalboxError): Promise<void> {
  const digits = fingerprint.slice(0, FINGERPRINT_DIGITS)
  const typed = await askLine(
    `high risk: type the first ${FINGERPRINT_DIGITS} digits of the fingerprint (${digits}) to continue: `,
  )
  if (typed.trim().toLowerCase() !== digits) throw error
}

function isStepUp(error: unknown): error is SignalboxError {
  return error instanceof SignalboxError && error.code === 'E_STEP_UP'
}
