import { hostname } from 'node:os'
import type { Activity } from '../activity/index.js'
import type { PermissionAnswer } from '../agents/index.js'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  isOpen,
  type Ledger,
  requestFromReport,
  type StructuredReport,
  waitForRecord,
} from '../approvals/index.js'
import type { Clock } from '../clock/index.js'
import type { AgentTurn, StepCall } from '../engine/index.js'
import { SANDBOX_CHANNEL } from '../host/index.js'
import type { EventStore } from '../store/index.js'

const CHANNEL = 'headless'
const CHANNELS: readonly string[] = [CHANNEL, SANDBOX_CHANNEL]

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

  /**
   * Waits for the decision; a request that is closed without one is denied. `ofSandbox`: not the
   * agent asks, but the sandbox of the step.
   */
  async ask(
    call: Pick<StepCall, 'run' | 'name' | 'signal' | 'notice' | 'step'>,
    { agent, cwd, project = cwd }: Pick<AgentTurn, 'agent' | 'cwd'> & { project?: string },
    { requestId, tool, input }: Pick<Extract<Activity, { type: 'approval' }>, 'requestId' | 'tool' | 'input'>,
    ofSandbox?: Pick<StructuredReport, 'options'>,
  ): Promise<PermissionAnswer> {
    const { run, name } = call
    const channel = ofSandbox ? SANDBOX_CHANNEL : CHANNEL
    const record = await this.#ledger.request(
      requestFromReport(
        { channel, requestKey: requestId, tool, input, ...(ofSandbox ?? { can: ['edit', 'deny'] as const }) },
        { subject: { agent, run, effect: name, project, cwd, hostName: hostname() } },
      ),
    )
    if (record.state === 'pending') call.notice('info', `asks to use ${tool}: signalbox approve ${record.id}`)
    const isDone = ({ state }: ApprovalRecord) => state !== 'pending'
    const parts = { store: this.#store, clock: this.#clock }
    const closed = await waitForRecord(parts, record, isDone, { signal: call.signal })
    if (closed.state !== 'decided' || !closed.decision) {
      if (isOpen(closed)) await this.#ledger.cancelled(closed, 'the step that asked has ended')
      return { isAllowed: false, message: 'No decision was made in time.' }
    }
    if (!(await this.#ledger.isProven(closed))) {
      await this.#ledger.stale(closed, 'unproven')
      return { isAllowed: false, message: 'The decision did not come from a person.' }
    }
    await this.#ledger.delivering(closed, 'answer')
    await this.#ledger.applied(closed, [{ kind: channel, request: requestId }], this.#clock.now())
    return answerOf(closed.decision)
  }

  /** Cancels the requests of a step that ended in an unknown way. */
  async withdraw(step: string): Promise<void> {
    for (const record of await this.#ledger.list({ isOpenOnly: true }))
      if (CHANNELS.includes(record.source.channel) && record.subject.effect === step)
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
