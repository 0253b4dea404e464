import type { ApprovalRequest } from '../../approvals/index.js'
import type { EventStore } from '../../store/index.js'
import { listRuns } from '../control.js'
import { runStream } from '../run-journal.js'
import type { AutomaticAnswer, GateLedger } from '../workflow.js'

/** Takes automatic answers with the event that the ledger of a home directory would write. */
export class TestGates implements GateLedger {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  stored(request: ApprovalRequest): ApprovalRequest {
    return request
  }

  async grant(): Promise<boolean> {
    return false
  }

  async answer(approval: string, answer: AutomaticAnswer): Promise<boolean> {
    const run = (await listRuns(this.#store)).find(({ gates }) => Object.values(gates).includes(approval))
    const gate = Object.entries(run?.gates ?? {}).find(([, id]) => id === approval)?.[0]
    if (!run || gate === undefined) return true
    const option = 'choices' in answer ? answer.choices[0]! : 'option' in answer ? answer.option : ''
    const data = { gate, approval, by: 'auto-approve', ...answer, option }
    await this.#store.append(runStream(run.id), 'any', [{ type: 'gate.answered', data }])
    return true
  }
}
