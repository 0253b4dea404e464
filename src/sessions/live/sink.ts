import type { ApprovalRecord } from '../../approvals/index.js'
import type { Block } from '../../screen/index.js'

/** A turn's message: what the agent said between two points where it stopped to be answered. */
export interface MessageRef {
  session: string
  turn: string
  message: string
}

export interface Notice {
  kind: 'auth' | 'silence' | 'crash' | 'lost' | 'not-ready' | 'undelivered'
  text: string
  /** Rows of the screen that say more. */
  rows?: string[]
  /** An address the person should open. */
  link?: string
}

/** What a sink can do: whoever renders for it and whoever hands over edits keeps to that. */
export interface SinkCaps {
  /** A message can be changed after it was shown. */
  edit: boolean
  drafts: boolean
  buttons: boolean
  files: boolean
  /** Longest message, in the sink's own units; more becomes several. */
  maxUnits: number
  /** Least time between two edits of a message. */
  minEditMs: number
  format: 'blocks' | 'markdown' | 'html' | 'rich'
}

/** Blocks as they are, at once: terminals and everything on this machine. */
export const BLOCK_CAPS: SinkCaps = {
  edit: true,
  drafts: false,
  buttons: true,
  files: true,
  maxUnits: Number.MAX_SAFE_INTEGER,
  minEditMs: 0,
  format: 'blocks',
}

/**
 * Where a session is shown. A sink renders and delivers; it decides nothing. `update` may drop all but the newest; what must arrive is
 * retried by the caller (`deliveredSink`) until it has. A message is named by its `MessageRef`, the same after a restart: under that name
 * a sink keeps what it needs to edit instead of sending again.
 */
export interface Sink {
  readonly kind: 'terminal' | 'web' | 'telegram'
  readonly caps: SinkCaps
  open(message: MessageRef): Promise<void>
  update(message: MessageRef, blocks: readonly Block[]): void
  /** Must arrive. The same message may be closed again, with better blocks. */
  close(message: MessageRef, blocks: readonly Block[]): Promise<void>
  /** Must arrive. */
  ask(approval: ApprovalRecord): Promise<void>
  settle(approval: ApprovalRecord): Promise<void>
  notice(session: string, notice: Notice): Promise<void>
  typing(session: string, isOn: boolean): void
}
