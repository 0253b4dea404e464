import type { Clock, Timer } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import { type Block, renderMarkdown } from '../../screen/index.js'
import type { Effects, Waiters } from '../effects.js'
import type { ClosedMessage } from './reported-text.js'
import { splitBlocks } from './split-blocks.js'

/** A turn's message: what the agent said between two points where it stopped for an answer. */
export interface MessageRef {
  session: string
  turn: string
  message: string
}

/** Ephemeral: surfaces show it now, and nothing stores it. */
export type SessionUpdate =
  | ({ type: 'message.update'; blocks: readonly Block[] } & MessageRef)
  | { type: 'typing'; session: string; on: boolean }

interface MessageWriterOptions {
  session: string
  clock: Clock
  effects: Effects
  waiters: Waiters
  emit(update: SessionUpdate): void
  /** How often `typing` is repeated while it lasts. */
  typingRepeatMs: number
  /** How long the end of a turn waits for the agent's own record. */
  transcriptWaitMs: number
  /** The session reads old bytes: it writes the log and shows nothing. */
  isCatchingUp(): boolean
  /** The agent's process has ended: its record will not grow. */
  isExited(): boolean
  /** Writes to the log now, within the running effect. */
  write<T extends EventType>(type: T, data: EventData<T>): Promise<unknown>
}

/** How a turn ended, if the message has to say so. */
export type Ending = 'interrupted' | 'failed' | 'crashed'

const ENDING_TEXT: Readonly<Record<Ending, string>> = {
  interrupted: 'Interrupted.',
  failed: 'The agent failed.',
  crashed: 'The agent ended in the middle of this.',
}

/** How many times as long a late record is waited for. */
const LATE_WAIT_FACTOR = 4

/** An open message with fewer visible characters is not shown yet. */
const CHARACTERS_MIN = 3

/** Writes a session's closed messages to the log and emits the open one while it grows. */
export class MessageWriter {
  readonly #options: MessageWriterOptions
  /** Messages in the log, and how often each was corrected. */
  readonly #revisions = new Map<string, number>()
  readonly #endings = new Map<string, Ending>()
  /** How many events hold a message: a very long one needs several. */
  readonly #eventCounts = new Map<string, number>()
  #closing = 0
  /** An answer of this session was in the agent's own record when its turn ended. */
  #hasRecord = false
  /** The turn that was opened last. */
  #turn: string | null = null
  /** The open message as it was last emitted. */
  #emitted: { message: string; blocks: readonly Block[] } | null = null
  #typing: Timer | null = null

  constructor(options: MessageWriterOptions) {
    this.#options = options
  }

  /** A message has ended and is not in the log yet. */
  get isClosing(): boolean {
    return this.#closing > 0
  }

  /** Emits the open message; the same list of blocks is emitted once. */
  update(ref: MessageRef | null, blocks: readonly Block[]): void {
    const { emit, isCatchingUp } = this.#options
    if (isCatchingUp() || !ref || this.#emitted?.blocks === blocks) return
    if (this.#emitted?.message !== ref.message && !isWorthShowing(blocks)) return
    this.#emitted = { message: ref.message, blocks }
    emit({ type: 'message.update', ...ref, blocks })
  }

  /** The agent begins or stops to think; repeated, because listeners may join late. */
  typing(isOn: boolean): void {
    const isSilent = this.#options.isCatchingUp()
    if (isOn && isSilent) return
    this.#typing?.cancel()
    this.#typing = null
    if (!isSilent) this.#emitTyping(isOn)
  }

  /** Nothing more is emitted by itself. */
  stop(): void {
    this.#typing?.cancel()
    this.#typing = null
  }

  /** A turn has started: messages of earlier turns no longer wait for their records. */
  turnBegun(turn: string): void {
    this.#turn = turn
    this.#options.waiters.wake()
  }

  /** `waits`: the turn has ended, so the message waits a little for the agent's own text. */
  close(closed: ClosedMessage, { ending, waits }: { ending: Ending | null; waits: boolean }): void {
    const { effects, isCatchingUp } = this.#options
    const isOld = isCatchingUp()
    if (ending) this.#endings.set(closed.message, ending)
    this.#closing++
    effects.enqueue(async () => {
      try {
        if (waits && !isOld) await this.#untilConfirmed(closed, ending)
        this.#revisions.set(closed.message, 0)
        await this.#write(closed, 0)
      } finally {
        this.#closing--
      }
    })
  }

  /**
   * An agent that has recorded earlier answers of this session will record this one, too, unless
   * the turn was cut: if its record has nothing of the turn yet, it is late. Only the newest turn
   * is waited for: the events of the next one would wait as well.
   */
  async #untilConfirmed(closed: ClosedMessage, ending: Ending | null): Promise<void> {
    const { waiters, transcriptWaitMs, isExited } = this.#options
    const isReady = () => closed.isConfirmed || isExited()
    await waiters.until(transcriptWaitMs, isReady)
    const isAnswer = ending === null && closed.command === undefined
    const isNewest = () => this.#turn === null || this.#turn === closed.turn
    const isLate = () => this.#hasRecord && isAnswer && isNewest() && closed.reported.length === 0 && !isReady()
    if (isLate()) await waiters.until(transcriptWaitMs * LATE_WAIT_FACTOR, () => !isLate())
    if (closed.reported.length > 0) this.#hasRecord = true
  }

  /** The agent's text came late; a message that is not in the log needs no revision. */
  patch(closed: ClosedMessage): void {
    const { effects, waiters } = this.#options
    this.#hasRecord = true
    const revision = this.#revisions.get(closed.message)
    if (revision === undefined) return waiters.wake()
    this.#revisions.set(closed.message, revision + 1)
    effects.enqueue(() => this.#write(closed, revision + 1))
  }

  async #write(closed: ClosedMessage, revision: number): Promise<void> {
    const { session, write } = this.#options
    const { turn, message } = closed
    const groups = splitBlocks(this.#withEnding(closed))
    // A correction may need fewer events than the message did: the rest is then empty.
    const count = Math.max(groups.length, this.#eventCounts.get(message) ?? 0)
    this.#eventCounts.set(message, count)
    for (let index = 0; index < count; index++) {
      const blocks = groups[index] ?? []
      await write('message.final', {
        session,
        turn,
        message: index === 0 ? message : `${message}+${index}`,
        markdown: renderMarkdown(blocks),
        blocks: blocks as unknown as EventData<'message.final'>['blocks'],
        ...((closed.continues || index < groups.length - 1) && { continues: true as const }),
        ...(closed.command !== undefined && { command: closed.command }),
        ...(revision > 0 && { revision }),
      })
    }
  }

  #withEnding({ message, blocks }: ClosedMessage): readonly Block[] {
    const ending = this.#endings.get(message)
    if (!ending) return blocks
    const last = blocks.at(-1)
    const line: Block = {
      id: `${message}.end`,
      rows: last ? [last.rows[1], last.rows[1]] : [0, 0],
      provisional: false,
      missing: false,
      source: 'screen',
      kind: 'prose',
      variant: 'paragraph',
      runs: [{ text: ENDING_TEXT[ending], italic: true }],
    }
    return [...blocks, line]
  }

  #emitTyping(isOn: boolean): void {
    const { session, clock, emit, typingRepeatMs } = this.#options
    emit({ type: 'typing', session, on: isOn })
    if (isOn) this.#typing = clock.setTimer(typingRepeatMs, () => this.#emitTyping(true))
  }
}

/** Asked until a message is shown: rendering it at every look would cost too much. */
function isWorthShowing(blocks: readonly Block[]): boolean {
  return renderMarkdown(blocks).replace(/\s/gu, '').length >= CHARACTERS_MIN
}
