import { join } from 'node:path'
import { LEDGER_STREAMS, ledgerProjections } from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import { runsProjection } from '../engine/index.js'
import { validateEvent } from '../events/index.js'
import { sessionsProjection } from '../sessions/index.js'
import { type EventStore, openStore } from '../store/index.js'
import { trustProjection } from '../trust/index.js'
import { telegramProjections } from './telegram-projections.js'

export function openHomeStore(options: {
  dataDirectory: string
  clock: Clock
  onError(error: unknown): void
}): Promise<EventStore> {
  return openStore({
    path: join(options.dataDirectory, 'signalbox.db'),
    clock: options.clock,
    projections: [
      sessionsProjection,
      ...ledgerProjections,
      runsProjection,
      trustProjection,
      ...telegramProjections,
    ] as never,
    chained: LEDGER_STREAMS,
    validate: validateEvent,
    onError: options.onError,
  })
}
