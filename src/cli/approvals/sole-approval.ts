import { Ledger } from '../../approvals/index.js'
import { SignalboxError } from '../../errors/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'

/**
 * The one request that waits, for a command that names none. Where several do, nobody can know which is meant: they are listed, and nothing
 * is decided. Read from the store, so that gates of runs without a daemon count as well.
 *
 * @throws SignalboxError `E_UNKNOWN` where none waits, `E_ID_AMBIGUOUS` where several do.
 */
export async function soleApproval(context: CommandContext, command: string): Promise<string> {
  const waiting = await withStore(context, async store =>
    (await new Ledger(store).list({ isOpenOnly: true })).filter(
      ({ state, kind }) => state === 'pending' && kind !== 'auth',
    ),
  )
  const [only] = waiting
  if (!only)
    throw new SignalboxError('E_UNKNOWN', 'nothing waits for a decision', { next: 'signalbox approvals --all' })
  if (waiting.length === 1) return only.id
  const listed = waiting.map(({ id, display }) => `${id} (${visibleText(display.title)})`)
  throw new SignalboxError('E_ID_AMBIGUOUS', `${waiting.length} requests wait: ${listed.join(', ')}`, {
    next: `signalbox ${command} ${only.id}`,
  })
}
