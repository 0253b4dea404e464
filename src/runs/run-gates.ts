import { randomBytes } from 'node:crypto'
import { type ApprovalRecord, approvalStream, type Ledger, type ProposedDecision } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import { type InterviewAnswer, runStream } from '../engine/index.js'
import { newEvent } from '../events/index.js'
import { openLedger } from '../host/index.js'
import type { EventStore } from '../store/index.js'
import { createRedactor, secretsFromEnvironment } from '../text/index.js'
import { isAcceptedByDaemon } from './accepted-by-daemon.js'
import type { StartContext } from './start-context.js'

/** The person at the terminal of the command that drives a run. */
export interface Answerer {
  id: string
  name: string
}

type LedgerContext = Pick<StartContext, 'store' | 'home' | 'env'>

/** The ledger of the home, to read and to refuse by the same rules as the daemon. */
export function ledgerOf({ store, home, env }: LedgerContext): Ledger {
  const redactor = createRedactor({ secretValues: secretsFromEnvironment(env) })
  return openLedger({ store, settings: home.settings, redactor })
}

/**
 * The ledger of a command that drives a run. It signs what is answered in its own terminal, and
 * accepts from elsewhere only what the daemon has accepted: any process of the user, an agent's
 * included, can write to the store.
 */
export function drivingLedger({ store, home, env }: LedgerContext): Ledger {
  const { settings } = home
  // The password of a shared store keeps agents out of it.
  if (settings.sharedStore) return ledgerOf({ store, home, env })
  return openLedger({
    store,
    settings,
    redactor: createRedactor({ secretValues: secretsFromEnvironment(env) }),
    secret: randomBytes(32).toString('base64url'),
    isAccepted: ({ id }) => isAcceptedByDaemon(settings.daemonSocket, id),
  })
}

/** Has the daemon decide, which knows by the kernel who calls. */
export type DecideInDaemon = (record: ApprovalRecord, decision: ProposedDecision) => Promise<void>

/** Answers gates of runs: the rules hold as on every surface. */
export class RunGates {
  readonly #ledger: Ledger
  readonly #store: EventStore
  readonly #decide: DecideInDaemon

  /** @param decide if absent, this process decides and signs the decision itself. */
  constructor(ledger: Ledger, store: EventStore, decide?: DecideInDaemon) {
    this.#ledger = ledger
    this.#store = store
    this.#decide = decide ?? (async ({ id }, decision) => void (await ledger.decide(id, decision)))
  }

  get(id: string): Promise<ApprovalRecord | null> {
    return this.#ledger.get(id)
  }

  /**
   * @throws SignalboxError when the gate does not offer this answer, is closed, or the rules refuse
   * the decision.
   */
  async answer(record: ApprovalRecord, answer: InterviewAnswer, { id, name }: Answerer): Promise<void> {
    if ('skipped' in answer) return this.#skip(record)
    await this.#decide(record, {
      fingerprint: record.fingerprint,
      ...answer,
      seen: { displayHash: record.display.hash, whole: true },
      actor: { kind: 'person', id, name, role: 'owner' },
      surface: 'cli',
      auth: { by: 'terminal', pid: process.pid, hasTerminal: process.stdin.isTTY === true },
      idempotencyKey: newNonce(),
    })
  }

  /** No answer will come: the gate's node fails, and none of its edges is taken. */
  async #skip(record: ApprovalRecord): Promise<void> {
    const reason = 'skipped without an answer'
    const gate = record.source.requestKey
    this.#ledger.skip(record.id)
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
