import {
  type Classification,
  classify,
  initialMemory,
  type Observation,
  type Outline,
  outlineOf,
  type Pack,
  parsePack,
  recordInput,
  type ScreenMemory,
} from '../screen/index.js'
import {
  type EmulatorOptions,
  type EmulatorState,
  type Frame,
  FrameCoalescer,
  type ProgramStatus,
  type Row,
  TerminalEmulator,
  type TerminalEvent,
  type TerminalEvidence,
} from '../terminal/index.js'
import type { KeyModes, ScreenView } from './screen-view.js'
import { asRunning, DeclaredEnd, LineEditor, Settler, type SettleSettings, SpinnerCells } from './settle.js'

/** The outputs of a pane's bytes, in order. */
export type PaneOutput =
  | { type: 'reply'; bytes: Uint8Array }
  | { type: 'evidence'; t: number; evidence: TerminalEvidence }
  | { type: 'look'; look: Look }

/** One classified frame. `isSettled`: it lasted. `isConfirmed`: the reading accepts it. */
export interface Look {
  /** The frame's time, or later if the same screen was read again. */
  t: number
  frame: Frame
  observation: Observation
  outline: Outline
  atWork: Classification['atWork']
  isSettled: boolean
  isConfirmed: boolean
}

/** Reads by structure alone. */
const STRUCTURE_ONLY_PACK = parsePack('pack = 1\nagent = "none"\n', 'none')

/** For a later host: the terminal and the memory of the classifier. */
export interface PaneScreenState {
  emulator: EmulatorState
  memory: ScreenMemory
}

/**
 * A supervised terminal: bytes in, looks out. Time is data here as in the emulator, so that a
 * recording, a late reader and a live session use the same code; the owner calls `tick` at
 * `nextDeadline`.
 */
export class PaneScreen implements ScreenView {
  readonly #pack: Pack
  #emulator: TerminalEmulator
  readonly #coalescer = new FrameCoalescer()
  readonly #settler: Settler
  readonly #declared = new DeclaredEnd()
  readonly #editor = new LineEditor()
  readonly #spinners = new SpinnerCells()
  #memory: ScreenMemory = initialMemory()
  #last: Look | null = null
  #outlined: { layout: Classification['layout']; outline: Outline } | null = null
  #faults = 0
  /** The newest frame was suppressed after a resize. */
  #isSuppressed = false

  constructor(pack: Pack, options: EmulatorOptions, restored?: PaneScreenState) {
    this.#pack = pack
    this.#settler = new Settler(pack.idleMs / 1000)
    this.#emulator = restored ? TerminalEmulator.restore(restored.emulator) : new TerminalEmulator(options)
    if (restored) this.#memory = restored.memory
  }

  feed(bytes: Uint8Array, t: number, options: { live: boolean }): PaneOutput[] {
    return [...this.#endSuppression(at => at < t), ...this.#handle(this.#emulator.feed(bytes, t, options), t)]
  }

  tick(t: number): PaneOutput[] {
    return [...this.#endSuppression(at => at <= t), ...this.#handle(this.#emulator.tick(t), t)]
  }

  resize(cols: number, rows: number, t: number): PaneOutput[] {
    return [...this.#endSuppression(at => at < t), ...this.#handle(this.#emulator.resize(cols, rows, t), t)]
  }

  /** Ends the open frame now; inside a synchronized update the last complete frame is kept. */
  endFrame(t: number): PaneOutput[] {
    const outputs = this.#handle(this.#emulator.tick(t), t)
    const forced = this.#emulator.isFrameOpen ? this.#emulator.endFrame(t) : []
    const frames = forced.flatMap(event => (event.type === 'frame' && !event.frame.torn ? [event.frame] : []))
    for (const frame of [...this.#coalescer.flush(Number.POSITIVE_INFINITY), ...frames]) {
      if (!frame.suppressed) outputs.push({ type: 'look', look: this.#classify(frame) })
    }
    return outputs
  }

  /** Reads the current screen, for a host that continues: it may never change again. */
  readCurrent(t: number): PaneOutput[] {
    return [{ type: 'look', look: this.#classify({ ...this.#emulator.currentFrame(), t }) }]
  }

  recordInput(t: number): void {
    this.#memory = recordInput(this.#memory, t)
  }

  /** An empty terminal, for content captured as a whole; the classifier's memory stays. */
  reset(options: EmulatorOptions): void {
    this.#emulator = new TerminalEmulator(options)
    this.#isSuppressed = false
    this.#editor.forget()
  }

  settleBy(settings: SettleSettings): void {
    this.#settler.applySettings(settings)
  }

  requireIdleFor(seconds: number, until: number): void {
    this.#settler.requireIdleFor(seconds, until)
  }

  nextDeadline(): number | null {
    const deadlines = [
      this.#emulator.nextDeadline(),
      this.#coalescer.nextDeadline(),
      this.#settler.nextDeadline(),
      this.#isSuppressed ? this.#emulator.suppressedUntil : null,
      this.#last && this.#memory.recheckAt,
    ].filter(at => at !== null)
    return deadlines.length === 0 ? null : Math.min(...deadlines)
  }

  /** Screens on which the classifier failed. */
  get faults(): number {
    return this.#faults
  }

  get last(): Look | null {
    return this.#last
  }

  get emulator(): TerminalEmulator {
    return this.#emulator
  }

  get modes(): KeyModes {
    const { isBracketedPaste, isApplicationCursor } = this.#emulator
    return { isBracketedPaste, isApplicationCursor }
  }

  get programStatus(): ProgramStatus {
    return this.#emulator.programStatus
  }

  readRows(firstId: number, lastId: number): Row[] {
    return this.#emulator.readRows(firstId, lastId)
  }

  serialize(): PaneScreenState {
    return { emulator: this.#emulator.serialize(), memory: this.#memory }
  }

  /** All may have been drawn while frames were suppressed after a resize: read it at its end. */
  #endSuppression(isDue: (at: number) => boolean): PaneOutput[] {
    const at = this.#emulator.suppressedUntil
    if (!this.#isSuppressed || !isDue(at)) return []
    const drawn = this.#handle(this.#emulator.tick(at), at)
    this.#isSuppressed = false
    // A frame that is still open ends by its deadline, and is no longer suppressed.
    return this.#emulator.nextDeadline() === null ? [...drawn, ...this.#handle(this.#emulator.endFrame(at), at)] : drawn
  }

  #handle(events: TerminalEvent[], t: number): PaneOutput[] {
    const output: PaneOutput[] = []
    for (const event of events) {
      if (event.type === 'reply') output.push({ type: 'reply', bytes: event.bytes })
      else if (event.type === 'evidence') output.push({ type: 'evidence', t: event.t, evidence: event.evidence })
      else {
        this.#isSuppressed = event.frame.suppressed
        for (const frame of this.#coalescer.push(event.frame))
          output.push({ type: 'look', look: this.#classify(frame) })
      }
    }
    for (const frame of this.#coalescer.flush(t)) output.push({ type: 'look', look: this.#classify(frame) })
    const again = this.#settler.nextDeadline()
    if (again !== null && t >= again && this.#last && !this.#last.isSettled)
      output.push({ type: 'look', look: this.#lookAgain(t) })
    const { recheckAt } = this.#memory
    if (recheckAt !== null && t >= recheckAt && this.#last)
      output.push({ type: 'look', look: this.#classify({ ...this.#last.frame, t }) })
    return output
  }

  /**
   * A classifier that throws must not crash the host: the frame is read again by structure, without
   * pack and memory.
   */
  #read(frame: Frame): Classification {
    try {
      return classify(frame, this.#memory, this.#pack)
    } catch {
      this.#faults++
      return classify(frame, initialMemory(), STRUCTURE_ONLY_PACK)
    }
  }

  #classify(frame: Frame): Look {
    const { observation: seen, memory, layout, atWork } = this.#read(frame)
    this.#memory = memory
    const editor = this.#editor.judge(seen, frame, this.#emulator.isBracketedPaste)
    const observation = editor === 'runs' ? asRunning(seen) : seen
    const isSpinning = this.#spinners.observe(frame, layout.composer?.first ?? 0)
    const isSettled = this.#settler.accept(observation, frame.t, { isCertain: editor === 'reads', isSpinning })
    const isDeclared = this.#declared.observe(observation) && !isSpinning
    const isConfirmed = isSettled || isDeclared
    const outline = this.#outlineOf(layout, frame)
    this.#last = { t: frame.t, frame, observation, outline, atWork, isSettled, isConfirmed }
    return this.#last
  }

  /** The same layout has the same outline. */
  #outlineOf(layout: Classification['layout'], frame: Frame): Outline {
    if (this.#outlined?.layout !== layout) this.#outlined = { layout, outline: outlineOf(layout, frame) }
    return this.#outlined.outline
  }

  /** A look at the unchanged screen at a later time. */
  #lookAgain(t: number): Look {
    const before = this.#last!
    const isSettled = this.#settler.accept(before.observation, t, { isSpinning: this.#spinners.isSpinning(t) })
    this.#last = { ...before, t, isSettled, isConfirmed: isSettled || before.isConfirmed }
    return this.#last
  }
}
