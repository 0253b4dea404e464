import type { Observation } from '../screen/index.js'
import type { Frame } from '../terminal/index.js'

/*
 * When an idle look counts. A working agent flickers, so an idle state is accepted only after it
 * has lasted (`Settler`). Three other classes handle special cases: a row that declares the end of
 * the work (`DeclaredEnd`), a spinner that still spins (`SpinnerCells`), and a shell whose line
 * editor shows whether it reads a command or runs one (`LineEditor`). `PaneScreen` asks all four
 * about every frame.
 */

/** How many looks, how far apart, an idle state must last; or the time for which one is enough. */
export interface SettleSettings {
  looks: number
  gapS: number
  maxS: number
}
const DEFAULT_SETTINGS: SettleSettings = { looks: 3, gapS: 0.1, maxS: 0.7 }
/** Times are sums of floating-point seconds: a look exactly at its deadline must count. */
const ROUNDING_S = 1e-9

/**
 * Work and menus are accepted at once; idle is not. Agents flicker: the working row disappears
 * between two tools, the composer returns for a frame. Changing from a busy view to an idle one
 * needs three looks at least 100 ms apart, or 700 ms, with nothing else in between.
 */
export class Settler {
  #isBusy = false
  /** Something other than dialogs has been seen. */
  #hasStarted = false
  #since: number | null = null
  #looks = 0
  #lastLook = 0
  #settings = DEFAULT_SETTINGS
  #required: { s: number; until: number } | null = null
  readonly #leastS: number

  /** `leastS`: an idle state lasts at least this long; some agents pause between two steps. */
  constructor(leastS = 0) {
    this.#leastS = leastS
  }

  applySettings(settings: SettleSettings): void {
    this.#settings = settings
  }

  /** For a pane that flickers: until then an idle state must last this long. */
  requireIdleFor(s: number, until: number): void {
    this.#required = { s, until }
  }

  /**
   * True if the observation counts now. `isCertain`: the program itself declares itself idle, there
   * is nothing to wait for; `isSpinning`: a spinner still spins, so the idle time has not started.
   */
  accept(
    observation: Observation,
    t: number,
    { isCertain = false, isSpinning = false }: { isCertain?: boolean; isSpinning?: boolean } = {},
  ): boolean {
    if (!isIdle(observation)) {
      this.#since = null
      this.#isBusy = observation.busy === true || observation.awaiting !== null || this.#isBusy
      this.#hasStarted ||= observation.busy === true
      return true
    }
    // A startup dialog (trust, a key, a theme) has been answered: no work can return after it.
    if (!this.#isBusy || isCertain || !this.#hasStarted) {
      this.#becomeIdle()
      return true
    }
    if (this.#since === null || isSpinning) {
      this.#since = t
      this.#looks = 1
      this.#lastLook = t
      return false
    }
    if (t - this.#lastLook >= this.#settings.gapS - ROUNDING_S) {
      this.#looks++
      this.#lastLook = t
    }
    const lasted = t - this.#since + ROUNDING_S
    if (lasted < this.#leastS) return false
    const isRequired = this.#required !== null && t < this.#required.until
    if (isRequired ? lasted < this.#required!.s : this.#looks < this.#settings.looks && lasted < this.#settings.maxS)
      return false
    this.#becomeIdle()
    return true
  }

  #becomeIdle(): void {
    this.#since = null
    this.#isBusy = false
    this.#hasStarted = true
  }

  /** When to read again although nothing changed. */
  nextDeadline(): number | null {
    return this.#since === null ? null : this.#lastLook + this.#settings.gapS
  }
}

function isIdle(observation: Observation): boolean {
  return observation.busy === false && observation.awaiting === null
}

/*
 * An idle state is accepted late, because a working agent flickers. But some agents end a turn with
 * a dedicated row ("Worked for 12s", "Interrupted"), with nothing below it but the live input box:
 * then there is nothing to wait for, the end was declared.
 *
 * Only a row that appeared with the end counts. A row that was already there during the work ended
 * an earlier turn: work that starts without a prompt (a finished background task wakes the agent)
 * is drawn below it, and its flicker must be waited out as usual.
 *
 * Not its responsibility: the phases of a session, which keep waiting until idle has settled.
 */
export class DeclaredEnd {
  #isOpen = false

  /** True if this look shows the end of the work seen before it. */
  observe(observation: Observation): boolean {
    const { busy, awaiting, terminator, anchored } = observation
    if (busy === true || awaiting !== null) {
      this.#isOpen = terminator === null
      return false
    }
    return this.#isOpen && busy === false && anchored && terminator !== null
  }
}

/*
 * A spinner that spins above the input box means work, whichever program drew it: when its block
 * has scrolled out of a window that was made smaller, no rule about blocks finds it any more. Only
 * braille cells count, in place, while the rest of their row stays the same, twice within a second
 * and a half; it lapses a second after the last change. It never starts work, it only keeps an end
 * from being accepted.
 */
const WINDOW_S = 1.5
const MOTION_EXPIRY_S = 1
const SPINS_MIN = 2
const BRAILLE = /^[\u2801-\u28ff]$/u

interface Cell {
  glyph: string
  others: string
  spins: number[]
}

export class SpinnerCells {
  #cells = new Map<string, Cell>()

  /** `above`: the number of rows from the top in which a spinner counts. */
  observe(frame: Frame, above: number): boolean {
    const next = new Map<string, Cell>()
    for (const [y, { text }] of frame.lines.slice(0, above).entries()) {
      const x = text.search(/[\u2801-\u28ff]/u)
      if (x < 0 || !BRAILLE.test(text[x]!)) continue
      const cell = `${y} ${x}`
      const others = text.slice(0, x) + text.slice(x + 1)
      const before = this.#cells.get(cell)
      const hasSpun = before !== undefined && before.others === others && before.glyph !== text[x]
      const spins = [...(before?.others === others ? before.spins : []), ...(hasSpun ? [frame.t] : [])]
      next.set(cell, { glyph: text[x]!, others, spins: spins.filter(at => frame.t - at <= WINDOW_S) })
    }
    this.#cells = next
    return this.isSpinning(frame.t)
  }

  isSpinning(t: number): boolean {
    return [...this.#cells.values()].some(
      ({ spins }) => spins.length >= SPINS_MIN && t - spins.at(-1)! <= MOTION_EXPIRY_S,
    )
  }
}

/*
 * A shell that edits its own command line enables bracketed paste while it reads one, and disables
 * it before it runs it (readline, zle and fish do). So once a prompt has been seen with the mode
 * on, the mode says more than the text: the same prompt with the mode off was printed by a command
 * that still runs, and with the mode on it can be accepted at once.
 *
 * A prompt with another text proves nothing: a shell inside the shell may have no line editor at
 * all. After a screen was captured as a whole, the mode is unknown, so everything is learned again.
 */
export type LineEditorState = 'reads' | 'runs' | 'unknown'

export class LineEditor {
  #prompt: string | null = null

  /** Whether the terminal's mode proves that this frame shows a shell's prompt. */
  judge(observation: Observation, frame: Frame, isPasteBracketed: boolean): LineEditorState {
    if (observation.view !== 'idle_prompt') return 'unknown'
    if ((observation as Observation<'idle_prompt'>).payload.prompt !== 'shell') return 'unknown'
    const row = frame.lines[frame.cursor.y]?.text ?? ''
    const prompt = row.slice(0, frame.cursor.x).trimEnd().replace(/\d+/gu, '0')
    const known = this.#prompt
    if (isPasteBracketed) {
      // The text after the known prompt is being typed.
      const isKnown = known !== null && prompt.startsWith(known)
      if (!isKnown) this.#prompt = prompt
      return isKnown ? 'reads' : 'unknown'
    }
    return known !== null && prompt === known ? 'runs' : 'unknown'
  }

  forget(): void {
    this.#prompt = null
  }
}

/** A prompt that only looks like one: a command runs. */
export function asRunning(observation: Observation): Observation {
  return {
    ...observation,
    view: 'tool_running',
    payload: { tool: { name: 'Shell', kind: 'shell', summary: '' } },
    rule: 'generic/line-editor-off',
    busy: true,
    awaiting: null,
  } as Observation<'tool_running'>
}
