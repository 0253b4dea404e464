import { existsSync } from 'node:fs'
import { systemClock } from '../../clock/index.js'
import { openStore } from '../../store/index.js'
import type { Finding } from './checks.js'

/** Walks the chain of the ledger: an approval that was changed or taken out of the log afterwards is found here. */
export async function checkLedger(path: string): Promise<Finding | null> {
  if (!existsSync(path)) return null
  const store = await openStore({ path, clock: systemClock }).catch(() => null)
  // A store that cannot be opened is the finding of another check.
  if (!store) return null
  try {
    const [first, ...others] = await store.checkChain()
    if (!first) return { check: 'ledger', level: 'ok', message: 'every decision is as it was written' }
    const more = others.length > 0 ? ` and at ${others.length} more places` : ''
    return {
      check: 'ledger',
      level: 'error',
      message: `${first.message.replace(/\.$/, '')} (position ${first.position})${more}`,
      next: 'do not rely on decisions from there on; compare with a backup',
    }
  } finally {
    await store.close()
  }
}
