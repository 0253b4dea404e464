import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, SimulatedClock } from '../../clock/index.js'
import { validateEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { Ledger, type LedgerOptions } from '../ledger.js'
import { LEDGER_STREAMS, ledgerProjections } from '../streams.js'

/** A ledger on a temporary file, with a simulated clock. */
export class LedgerSite {
  readonly clock: SteppingClock
  readonly path: string
  readonly #directory: string
  readonly #open: EventStore[] = []

  constructor() {
    this.#directory = mkdtempSync(join(tmpdir(), 'signalbox-ledger-'))
    this.path = join(this.#directory, 'store.db')
    this.clock = new SteppingClock()
  }

  async store(): Promise<EventStore> {
    const store = await openLedgerStore(this.path, this.clock)
    this.#open.push(store)
    return store
  }

  async ledger(options: Omit<LedgerOptions, 'clock'> = {}): Promise<Ledger> {
    return new Ledger(await this.store(), { clock: this.clock, home: '/home/ada', ...options })
  }

  async close(): Promise<void> {
    for (const store of this.#open.splice(0)) await store.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

export function openLedgerStore(path: string, clock: Clock): Promise<EventStore> {
  return openTestStore({
    path,
    clock,
    projections: ledgerProjections as never,
    validate: validateEvent,
    chained: LEDGER_STREAMS,
  })
}

/** A simulated clock whose wall time can be set without time passing. */
export class SteppingClock extends SimulatedClock {
  #step = 0

  constructor() {
    super(1_000_000_000)
  }

  step(ms: number): void {
    this.#step += ms
  }

  override now(): number {
    return super.now() + this.#step
  }
}
