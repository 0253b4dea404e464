import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Approval, BatchResult, BatchResults, Page } from '../../server/index.js'
import { plural } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { approvalLines } from './approval-info.js'
import { localPerson } from './decide-request.js'

/** `approve <id> --all-like`: this request and the others of its session or run that ask for the same tool, at one press. */
export async function approveAllLike(
  context: CommandContext,
  { id, note, isJson }: { id: string; note: string | null; isJson: boolean },
): Promise<number> {
  requireOutside(context)
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'several requests at once are shown and asked at a terminal', {
      next: 'approve each with its fingerprint',
    })
  const client = await DaemonClient.connect(context)
  const first = await client.get<Approval>(`/approvals/${encodeURIComponent(id)}`)
  const items = (await client.get<Page<Approval>>('/approvals?state=pending')).items.reverse()
  const alike = items.filter(
    ({ request, subject }) =>
      request.tool === first.request.tool &&
      (subject.run === undefined ? subject.session === first.subject.session : subject.run === first.subject.run),
  )
  for (const item of alike) {
    context.out(context.style('bold', item.id))
    for (const line of approvalLines(item)) context.out(`  ${line}`)
  }
  const answer = await askLine(`allow ${plural(alike.length, 'request')} once each? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new SignalboxError('E_ROLE', 'nothing was decided')
  const results = await client.post<BatchResults>('/approvals/decisions', {
    items: alike.map(({ id: each, fingerprint }) => ({ id: each, fingerprint })),
    ...(note !== null && { note }),
    actor: localPerson(),
  })
  return tell(context, results.items, isJson)
}

export async function denyEverything(
  context: CommandContext,
  { note, isJson }: { note: string | null; isJson: boolean },
): Promise<number> {
  requireOutside(context)
  const client = await DaemonClient.connect(context)
  const results = await client.post<BatchResults>('/approvals/deny-all', {
    ...(note !== null && { note }),
    actor: localPerson(),
  })
  return tell(context, results.items, isJson)
}

function requireOutside({ env }: CommandContext): void {
  if (!env.SIGNALBOX_SESSION) return
  throw new SignalboxError('E_ROLE', 'an agent cannot decide for itself: this shell belongs to a session', {
    next: 'decide from a terminal of your own',
  })
}

function tell(context: CommandContext, items: readonly BatchResult[], isJson: boolean): number {
  if (isJson) context.json(items)
  else if (items.length === 0) context.out('nothing needs you')
  else for (const { id, state, message } of items) context.out(`${id}: ${state}${message ? ` (${message})` : ''}`)
  return items.some(({ state }) => state === 'refused') ? EXIT.rejected : EXIT.ok
}
