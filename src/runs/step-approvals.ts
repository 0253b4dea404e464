import { hostname } from 'node:os'
import type { Activity } from '../activity/index.js'
import type { PermissionAnswer } from '../agents/index.js'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  isOpen,
  type Ledger,
  requestFromReport,
  waitForRecord,
} from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import type { AgentTurn, StepCall } from '../engine/index.js'
import type { EventStore } from '../store/index.js'

const CHANNEL = 'headless'

/** Requests of agents without a terminal: recorded, decided, answered. */
export class StepApprovals {
  readonly #store: EventStore
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor({ store, ledger, clock }: { store: EventStore; ledger: Ledger; clock: Clock }) {
    this.#store = store
    this.#ledger = ledger
    this.#clock = clock
  }

  /** Waits for the decision; a request that is closed without one is denied. */
  async ask(
    call: Pick<StepCall, 'run' | 'name' | 'signal' | 'notice' | 'step'>,
    { agent, cwd }: Pick<AgentTurn, 'agent' | 'cwd'>,
    { requestId, tool, input }: Pick<Extract<Activity, { type: 'approval' }>, 'requestId' | 'tool' | 'input'>,
  ): Promise<PermissionAnswer> {
    const { run, name } = call
    const record = await this.#ledger.request(
      requestFromReport(
        { channel: CHANNEL, requestKey: requestId, tool, input, can: ['edit', 'deny'] },
        { subject: { agent, run, effect: name, project: cwd, cwd, hostName: hostname() } },
      ),
    )
    if (record.state === 'pending') call.notice('info', `asks to use ${tool}: signalbox approve ${record.id}`)
    const isDone = ({ state }: ApprovalRecord) => state !== 'pending'
    const parts = { store: this.#store, clock: this.#clock }
    const closed = await waitForRecord(parts, record, isDone, { signal: call.signal })
    if (closed.state !== 'decided' || !closed.decision) {
      if (isOpen(closed)) await this.#ledger.cancelled(closed, 'the step was stopped')
      return { isAllowed: false, message: 'No decision was made in time.' }
    }
    if (!(await this.#ledger.isProven(closed))) {
      await this.#ledger.stale(closed, 'unproven')
      return { isAllowed: false, message: 'The decision did not come from a person.' }
    }
    await this.#ledger.delivering(closed, 'answer')
    await this.#ledger.applied(closed, [{ kind: CHANNEL, request: requestId }], this.#clock.now())
    return answerOf(closed.decision)
  }

  /** Cancels the requests of a step that ended in an unknown way. */
  async withdraw(step: string): Promise<void> {
    for (const record of await this.#ledger.list({ isOpenOnly: true }))
      if (record.source.channel === CHANNEL && record.subject.effect === step)
        await this.#ledger.cancelled(record, 'the step that asked has ended')
  }
}

function answerOf({ tier, note, text, editedInput }: ApprovalDecision): PermissionAnswer {
  const isAllowed = tier.startsWith('allow')
  const message = text ?? note
  return {
    isAllowed,
    ...(message !== undefined && { message }),
    ...(isAllowed && editedInput !== undefined && { editedInput }),
  }
}
