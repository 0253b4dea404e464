import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LEDGER_STREAMS, ledgerProjections } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { runsProjection, serversProjection } from '../engine/index.js'
import { validateEvent } from '../events/index.js'
import { webhooksProjection } from '../notifications/index.js'
import { schedulesProjection } from '../schedules/index.js'
import { sessionsProjection } from '../sessions/index.js'
import { type EventStore, openStore, readPasswordFile } from '../store/index.js'
import { trustProjection } from '../trust/index.js'
import { workersProjection } from '../workers/projections/index.js'
import type { StoreSettings } from './settings.js'
import { telegramProjections } from './telegram-projections.js'

/** As `openStore` takes it. */
export function storeAddress({ dataDirectory, sharedStore }: StoreSettings) {
  if (!sharedStore) return { path: storeFile(dataDirectory) }
  const { url, passwordFile } = sharedStore
  return { url, ...(passwordFile !== null && { password: readPasswordFile(passwordFile) }) }
}

export function storeFile(dataDirectory: string): string {
  return join(dataDirectory, 'signalbox.db')
}

/** The file or the URL, for people. */
export function storeName({ dataDirectory, sharedStore }: StoreSettings): string {
  return sharedStore?.url ?? storeFile(dataDirectory)
}

/** For checks, which do not create a store. */
export function mayHaveStore({ dataDirectory, sharedStore }: StoreSettings): boolean {
  return sharedStore !== undefined || existsSync(storeFile(dataDirectory))
}

export async function openHomeStore(
  options: StoreSettings & { clock: Clock; onError(error: unknown): void },
): Promise<EventStore> {
  return openStore({
    ...storeAddress(options),
    clock: options.clock,
    projections: [
      sessionsProjection,
      ...ledgerProjections,
      runsProjection,
      trustProjection,
      workersProjection,
      serversProjection,
      ...telegramProjections,
      webhooksProjection,
      schedulesProjection,
    ] as never,
    chained: LEDGER_STREAMS,
    validate: validateEvent,
    onError: options.onError,
  })
}
