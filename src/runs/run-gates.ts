import { type ApprovalRecord, approvalStream, type Ledger } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import { type Answer, runStream } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { openLedger } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import { createRedactor, secretsFromEnvironment } from '../text/index.js'
import type { StartContext } from './start-context.js'

/** The person at the terminal of the command that drives a run. */
export interface Answerer {
  id: string
  name: string
}

/**
 * The ledger of the home: a command decides by the same rules as the daemon, and needs none for it.
 */
export function ledgerOf({ store, home, env, clock }: Pick<StartContext, 'store' | 'home' | 'env' | 'clock'>): Ledger {
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(env) })
  return openLedger({ store, clock, settings: home.settings, redactor })
}

/** Answers gates of runs through the ledger: the rules hold as on every surface. */
export class RunGates {
  readonly #ledger: Ledger
  readonly #store: EventStore

  constructor(ledger: Ledger, store: EventStore) {
    this.#ledger = ledger
    this.#store = store
  }

  get(id: string): Promise<ApprovalRecord | null> {
    return this.#ledger.get(id)
  }

  /**
   * @throws SignalboxError when the gate does not offer this answer, is closed, or the rules refuse
   * the decision.
   */
  async answer(record: ApprovalRecord, answer: Answer, { id, name }: Answerer): Promise<void> {
    if ('skipped' in answer) return this.#skip(record)
    await this.#ledger.decide(record.id, {
      fingerprint: record.fingerprint,
      ...answer,
      seen: { displayHash: record.display.hash, whole: true },
      actor: { kind: 'person', id, name, role: 'owner' },
      surface: 'cli',
      idempotencyKey: newNonce(),
    })
  }

  /** No answer will come: the gate's node fails, and none of its edges is taken. */
  async #skip(record: ApprovalRecord): Promise<void> {
    const reason = 'skipped without an answer'
    const gate = record.source.requestKey
    await this.#store.appendAll([
      {
        stream: runStream(record.subject.run!),
        expected: 'any',
        events: [newEvent('gate.expired', { gate, approval: record.id, reason })],
      },
      { stream: approvalStream(record.id), expected: 'any', events: [newEvent('approval.cancelled', { reason })] },
    ])
  }
}
