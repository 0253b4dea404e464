import type { ApprovalRecord, Ledger } from '../../approvals/index.js'
import { findRun } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import type { EventStore } from '../../store/index.js'
import { visibleText } from '../../text/index.js'

/**
 * The request that a command is about: the one with this id, the only one of this run, or, without
 * a word, the only one at all. Among several the command cannot choose: it lists them and decides
 * nothing.
 *
 * @throws SignalboxError `E_UNKNOWN` for none, `E_ID_AMBIGUOUS` for several.
 */
export async function findRequest(
  { ledger, store }: { ledger: Ledger; store: EventStore },
  word: string | undefined,
  command: string,
): Promise<ApprovalRecord> {
  if (word !== undefined && !word.startsWith('run_')) return ledger.find(word)
  const run = word === undefined ? null : (await findRun(store, word)).id
  const pending = (await ledger.list({ isOpenOnly: true })).filter(
    ({ state, kind, subject }) => state === 'pending' && kind !== 'auth' && (run === null || subject.run === run),
  )
  const [only] = pending
  if (!only)
    throw run === null
      ? new SignalboxError('E_UNKNOWN', 'no request waits for a decision', { next: 'signalbox approvals --all' })
      : new SignalboxError('E_UNKNOWN', `run ${run} waits for no decision`, { next: `signalbox show ${run}` })
  if (pending.length === 1) return only
  const listed = pending.map(({ id, display }) => `${id} (${visibleText(display.title)})`)
  throw new SignalboxError('E_ID_AMBIGUOUS', `${pending.length} requests wait: ${listed.join(', ')}`, {
    next: `name one of them: signalbox ${command} ${only.id}`,
  })
}
