import type { BatchResult } from '../../approvals/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { ledgerOf } from '../../runs/index.js'
import { plural } from '../../text/index.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import { approvalLines } from './approval-info.js'
import { decideBatchThroughDaemon } from './daemon-decider.js'
import { findRequest } from './find-request.js'
import { agentRefused, callingAgent, localDecider } from './local-person.js'

interface BatchOptions {
  note: string | null
  isJson: boolean
}

/** `approve <id> --all-like`: allows it and others of its session for the same tool. */
export async function approveAllLike(
  context: CommandContext,
  { id, note, isJson }: BatchOptions & { id: string | undefined },
): Promise<number> {
  refuseAgents(context)
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'several requests at once can only be approved at a terminal', {
      next: 'approve each with its fingerprint',
    })
  return withStore(context, async (store, home) => {
    const ledger = ledgerOf({ store, home, env: context.env })
    const first = await findRequest({ ledger, store }, id, 'approve')
    const pending = (await ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
    const alike = pending.filter(
      ({ request, subject }) =>
        request.tool === first.request.tool &&
        (subject.run === undefined ? subject.session === first.subject.session : subject.run === first.subject.run),
    )
    for (const record of alike) {
      context.out(context.style('bold', record.id))
      for (const line of approvalLines(record, context, { indent: 2 })) context.out(line)
    }
    const typed = await askLine(`allow ${plural(alike.length, 'request')} once each? [y/N] `)
    if (!/^y(es)?$/i.test(typed.trim()))
      throw new SignalboxError('E_ROLE', 'cancelled: nothing was decided, and the requests still wait')
    const by = deciderWith(note)
    const items = alike.map(({ id, fingerprint }) => ({ id, fingerprint }))
    const results = await decideBatchThroughDaemon(context, 'decisions', { ...by, items })
    return report(context, results, isJson)
  })
}

/** `deny --all`: denies every request that waits. */
export async function denyEverything(context: CommandContext, { note, isJson }: BatchOptions): Promise<number> {
  refuseAgents(context)
  return withStore(context, async (store, home) => {
    const ledger = ledgerOf({ store, home, env: context.env })
    const waiting = await ledger.list({ isOpenOnly: true })
    const results = waiting.length === 0 ? [] : await decideBatchThroughDaemon(context, 'deny-all', deciderWith(note))
    return report(context, results, isJson)
  })
}

function deciderWith(note: string | null) {
  return { ...localDecider(), ...(note !== null && { note }) }
}

function refuseAgents(context: CommandContext): void {
  const agent = callingAgent(context)
  if (agent !== null) throw agentRefused(agent)
}

function report(context: CommandContext, items: readonly BatchResult[], isJson: boolean): number {
  if (isJson) context.json(items)
  else if (items.length === 0) context.out('no request waits for a decision')
  else for (const { id, state, message } of items) context.out(`${id}: ${state}${message ? ` (${message})` : ''}`)
  return items.some(({ state }) => state === 'refused') ? EXIT.rejected : EXIT.ok
}
