import { systemClock } from '../clock/index.js'
import { toSignalboxError } from '../errors/index.js'
import { mayHaveStore, type StoreSettings, storeAddress, storeFile, storeName } from '../host/index.js'
import { openStore, quarantine } from '../store/index.js'
import { plural } from '../text/index.js'
import { CLOCK_OFFSET_MAX_MS } from '../workers/index.js'
import { type DoctorFinding, failure } from './finding.js'

/** Checks the integrity of the store. With `fix`, a damaged store is moved aside and salvaged. */
export async function checkStore(settings: StoreSettings, { fix }: { fix: boolean }): Promise<DoctorFinding> {
  if (!mayHaveStore(settings)) return { check: 'store', level: 'ok', message: 'not created yet' }
  const name = storeName(settings)
  try {
    const store = await openStore({ ...storeAddress(settings), clock: systemClock })
    try {
      const problems = await store.check()
      if (problems.length > 0) {
        const next = settings.sharedStore
          ? problems.find(problem => problem.next !== undefined)?.next
          : 'signalbox doctor --fix moves it aside and keeps what can be read'
        return {
          check: 'store',
          level: 'error',
          message: problems.map(problem => problem.message).join('; '),
          ...(next !== undefined && { next }),
        }
      }
      const offsetMs = systemClock.now() - (await store.now())
      if (Math.abs(offsetMs) > CLOCK_OFFSET_MAX_MS)
        return {
          check: 'store',
          level: 'warning',
          message: `the clock of this machine is ${describeOffset(offsetMs)} that of ${name}`,
          next: 'set it, or use a time service; deadlines and leases follow the store’s clock',
        }
      return { check: 'store', level: 'ok', message: `${plural(await store.head(), 'event')} in ${name}` }
    } finally {
      await store.close()
    }
  } catch (error) {
    if (!fix || settings.sharedStore || toSignalboxError(error).code !== 'E_STORE_CORRUPT')
      return failure('store', error)
    const moved = await quarantine(storeFile(settings.dataDirectory), { clock: systemClock })
    return {
      check: 'store',
      level: 'warning',
      message: `the store was damaged; moved to ${moved.movedTo}, ${plural(moved.salvaged?.events ?? 0, 'event')} kept`,
    }
  }
}

function describeOffset(ms: number): string {
  return `${Math.round(Math.abs(ms) / 1000)} s ${ms > 0 ? 'ahead of' : 'behind'}`
}

/** Verifies the ledger's hash chain: it shows decisions changed or removed afterwards. */
export async function checkLedger(settings: StoreSettings): Promise<DoctorFinding | null> {
  if (!mayHaveStore(settings)) return null
  const open = async () => openStore({ ...storeAddress(settings), clock: systemClock })
  const store = await open().catch(() => null)
  // A store that cannot be opened is reported by `checkStore`.
  if (!store) return null
  try {
    const [first, ...others] = await store.checkChain()
    if (!first) return { check: 'ledger', level: 'ok', message: 'the chain of hashes is intact' }
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
