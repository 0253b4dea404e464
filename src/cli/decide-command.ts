import { userInfo } from 'node:os'
import { newNonce } from '../clock/index.js'
import { EXIT, SignalboxError } from '../errors/index.js'
import { type ApprovalInfo, approvalLines } from './approval-info.js'
import { askLine } from './ask.js'
import type { CommandContext } from './context.js'
import { DaemonClient } from './daemon-client.js'

export interface DecideOptions {
  id: string
  wants: 'allow' | 'deny'
  option: string | null
  fingerprint: string | null
  note: string | null
  isJson: boolean
}

/** What `approve` and `deny` share: look at the request, choose the option, decide once, and say what became of it. */
export async function decideFromCli(context: CommandContext, options: DecideOptions): Promise<number> {
  if (context.env.SIGNALBOX_SESSION) {
    throw new SignalboxError('E_ROLE', 'an agent cannot decide for itself: this shell belongs to a session', {
      next: 'decide from a terminal of your own',
    })
  }
  const client = await DaemonClient.connect(context)
  const approval = await client.get<ApprovalInfo>(`/approvals/${encodeURIComponent(options.id)}`)
  const option = pickOption(approval, options)
  if (options.wants === 'allow' && !options.fingerprint) await confirm(context, approval, option.label)
  const decided = await client.post<ApprovalInfo>(`/approvals/${approval.id}/decision`, {
    fingerprint: options.fingerprint ?? approval.fingerprint,
    option: option.key,
    ...(options.note !== null && { note: options.note }),
    seen: { displayHash: approval.display.hash, whole: true },
    idempotencyKey: newNonce(),
    actor: { id: 'local', name: userInfo().username },
    waitMs: 15_000,
  })
  if (options.isJson) context.json(decided)
  else
    context.out(
      `${decided.id}: ${option.label} — ${decided.state}${decided.outcome?.reason ? ` (${decided.outcome.reason})` : ''}`,
    )
  return decided.state === 'applied' ? EXIT.ok : EXIT.failed
}

function pickOption(approval: ApprovalInfo, { wants, option }: DecideOptions): { key: string; label: string } {
  const { options } = approval.request
  const known = `it offers: ${options.map(candidate => candidate.label).join(' · ')}`
  if (option !== null) {
    const found = options.filter(candidate => candidate.label === option)
    if (found.length === 1) return found[0]!
    throw new SignalboxError('E_APPROVAL_OPTION', `the request has no option "${option}"`, { next: known })
  }
  const meanings = wants === 'allow' ? ['allow-once'] : ['deny', 'cancel', 'deny-with-text']
  const found = meanings.map(meaning => options.find(candidate => candidate.meaning === meaning)).find(Boolean)
  if (found) return found
  throw new SignalboxError('E_APPROVAL_OPTION', `no option of this request plainly means ${wants}`, {
    next: `name one with --option; ${known}`,
  })
}

async function confirm(context: CommandContext, approval: ApprovalInfo, label: string): Promise<void> {
  if (!context.isInteractive) {
    throw new SignalboxError(
      'E_NEEDS_HUMAN',
      'without a terminal an approval needs the fingerprint of what was shown',
      {
        next: `--fingerprint ${approval.fingerprint.slice(0, 16)} for this request`,
      },
    )
  }
  for (const line of approvalLines(approval)) context.out(line)
  const answer = await askLine(`${label}? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new SignalboxError('E_ROLE', 'nothing was decided')
}
