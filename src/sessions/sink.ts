import type { ApprovalRecord } from '../approvals/index.js'
import type { Block } from '../screen/index.js'

/** A turn's message: what the agent said between two points where it stopped to be answered. */
export interface MessageRef {
  session: string
  turn: string
  message: string
}

export interface Notice {
  kind: 'auth' | 'silence' | 'crash' | 'lost' | 'not-ready'
  text: string
}

/**
 * Where a session is shown. A sink renders and delivers; it decides nothing. `update` may drop all but the newest; what `must arrive`
 * is retried by the caller until it has.
 */
export interface Sink {
  readonly kind: 'terminal' | 'web' | 'telegram'
  open(message: MessageRef): Promise<void>
  update(message: MessageRef, blocks: readonly Block[]): void
  /** Must arrive. */
  close(message: MessageRef, blocks: readonly Block[]): Promise<void>
  /** Must arrive. */
  ask(approval: ApprovalRecord): Promise<void>
  settle(approval: ApprovalRecord): Promise<void>
  notice(session: string, notice: Notice): Promise<void>
  typing(session: string, isOn: boolean): void
}
