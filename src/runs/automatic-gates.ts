import type { ApprovalRequest, Ledger } from '../approvals/index.js'
import { newNonce } from '../clock/index.js'
import type { AutomaticAnswer, GateLedger } from '../engine/index.js'
import { gateAnswer } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import type { StoredEvent } from '../store/index.js'
import { canonicalJson } from '../text/index.js'

/**
 * The gates of runs in the ledger. `--auto-approve` decides by the same rules as a person: the
 * decision is on record, and a lockdown refuses it.
 */
export class AutomaticGates implements GateLedger {
  readonly #ledger: Ledger
  readonly #onWaits: ((approval: string) => void) | undefined

  /** @param onWaits the answer was refused: the gate waits for a person. */
  constructor(ledger: Ledger, onWaits?: (approval: string) => void) {
    this.#ledger = ledger
    this.#onWaits = onWaits
  }

  stored(request: ApprovalRequest): ApprovalRequest {
    return this.#ledger.stored(request)
  }

  grant(approval: string): Promise<boolean> {
    return this.#ledger.decideByGrant(approval)
  }

  /** The answer must be word for word what the ledger accepted for this gate. */
  async isProven(run: string, { type, data }: StoredEvent): Promise<boolean> {
    if (!this.#ledger.isSigning) return true
    const record = await this.#ledger.get(String(data.approval))
    if (!record || record.subject.run !== run || record.source.requestKey !== data.gate) return false
    if (type === 'gate.expired') return this.#ledger.isSkipped(record.id)
    if (!record.decision || !(await this.#ledger.isProven(record))) return false
    const [answered] = gateAnswer(record, record.decision, 0)
    return canonicalJson(answered!.events[0]!.data) === canonicalJson(data)
  }

  async answer(approval: string, answer: AutomaticAnswer): Promise<boolean> {
    const record = await this.#ledger.get(approval)
    if (record?.state !== 'pending') return true
    try {
      await this.#ledger.decide(approval, {
        ...answer,
        fingerprint: record.fingerprint,
        seen: { displayHash: record.display.hash, whole: false },
        actor: { kind: 'auto', id: 'auto-approve', name: 'auto-approve', role: 'approver' },
        surface: 'cli',
        idempotencyKey: newNonce(),
      })
      return true
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      this.#onWaits?.(approval)
      return false
    }
  }
}
