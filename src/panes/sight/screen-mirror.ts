import { ALTERNATE_FIRST_ID, EMPTY_PROGRAM_STATUS, type ProgramStatus, type Row } from '../../terminal/index.js'
import type { Look, PaneOutput } from '../pane-screen.js'
import type { KeyModes, ScreenView } from '../screen-view.js'
import type { SettleKnobs } from '../settle.js'
import type { SentLook, SentOutput, SightReply, SightRequest } from './messages.js'

/**
 * A screen that is read elsewhere, as it was at its newest look. Rows that did not change stay the
 * same objects, so that what is memoized for a row stays valid.
 */
export class ScreenMirror implements ScreenView {
  readonly #send: (request: SightRequest) => void
  readonly #normal = new MirroredRows()
  readonly #alternate = new MirroredRows()
  #last: Look | null = null
  #firstNeeded = 0
  #modes: KeyModes = { isBracketedPaste: false, isApplicationCursor: false }
  #status: ProgramStatus

  constructor(send: (request: SightRequest) => void, status: ProgramStatus = EMPTY_PROGRAM_STATUS) {
    this.#send = send
    this.#status = status
  }

  get last(): Look | null {
    return this.#last
  }

  get modes(): KeyModes {
    return this.#modes
  }

  get programStatus(): ProgramStatus {
    return this.#status
  }

  readRows(firstId: number, lastId: number): Row[] {
    return (firstId >= ALTERNATE_FIRST_ID ? this.#alternate : this.#normal).read(firstId, lastId)
  }

  /** Rows above this one will not be read any more. */
  release(firstId: number): void {
    if (firstId <= this.#firstNeeded) return
    this.#firstNeeded = firstId
    this.#send({ op: 'release', firstId })
  }

  recordInput(t: number): void {
    this.#send({ op: 'input', t })
  }

  settleBy(settings: SettleKnobs): void {
    this.#send({ op: 'settle', settings })
  }

  holdRest(seconds: number, until: number): void {
    this.#send({ op: 'hold-rest', seconds, until })
  }

  take({ outputs, modes }: SightReply): PaneOutput[] {
    this.#modes = modes
    return outputs.map(output => this.#decode(output))
  }

  #decode(output: SentOutput): PaneOutput {
    if (output.type === 'evidence' && output.evidence.kind === 'status') this.#status = output.evidence.status
    return output.type === 'look' ? { type: 'look', look: this.#see(output.look) } : output
  }

  #see({ frame: sent, rows, isRedrawn, t, isSettled, isConfirmed, observation, outline, atWork }: SentLook): Look {
    const before = this.#last
    this.#last = {
      t,
      frame: sent ? this.#frameOf(sent, rows, isRedrawn) : before!.frame,
      observation: observation ?? before!.observation,
      outline: outline ?? before!.outline,
      atWork: atWork ?? before!.atWork,
      isSettled,
      isConfirmed,
    }
    return this.#last
  }

  #frameOf(sent: NonNullable<SentLook['frame']>, rows: readonly Row[], isRedrawn: boolean): Look['frame'] {
    const { firstId, count, ...frame } = sent
    const isAlternate = frame.buffer === 'alternate'
    const mirrored = isAlternate ? this.#alternate : this.#normal
    if (isRedrawn) mirrored.clear()
    mirrored.put(rows)
    const first = isAlternate ? firstId : Math.min(firstId, Math.max(frame.history.firstId, this.#firstNeeded))
    mirrored.keep(first, firstId + count - 1)
    return { ...frame, lines: mirrored.read(firstId, firstId + count - 1) }
  }
}

/** Rows with consecutive ids. */
class MirroredRows {
  readonly #rows = new Map<number, Row>()
  #first = 0
  #last = -1

  put(rows: readonly Row[]): void {
    for (const row of rows) this.#rows.set(row.id, row)
  }

  /** Forgets the rows outside of this range. */
  keep(first: number, last: number): void {
    const isElsewhere = first > this.#last || last < this.#first
    if (isElsewhere) for (const id of this.#rows.keys()) if (id < first || id > last) this.#rows.delete(id)
    if (!isElsewhere) {
      for (let id = this.#first; id < first; id++) this.#rows.delete(id)
      for (let id = last + 1; id <= this.#last; id++) this.#rows.delete(id)
    }
    this.#first = first
    this.#last = last
  }

  clear(): void {
    this.#rows.clear()
  }

  read(firstId: number, lastId: number): Row[] {
    const rows: Row[] = []
    for (let id = Math.max(firstId, this.#first); id <= Math.min(lastId, this.#last); id++) {
      const row = this.#rows.get(id)
      if (row) rows.push(row)
    }
    return rows
  }
}
