import { randomInt } from 'node:crypto'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import type { Clock, Timer } from '../../clock/index.js'
import type { PersonTerminal } from '../../process/index.js'
import { truncate, visibleText } from '../../text/index.js'
import { isSameSecret } from './same-secret.js'

/**
 * An action that was refused because the process gave no proof. A code is good for exactly this.
 */
export interface ProvenAct {
  /** The operation and what it is about. */
  key: string
  /** The action, as text for a person. */
  text: string
}

const DIGITS = 6
/** How long a code can be typed. */
const SHOWN_MS = 60_000
/** The multiplexer draws over it whenever it has something to show. */
const REPAINT_MS = 500
const COLUMNS = 76

interface Shown {
  code: string
  act: ProvenAct
  stop(): void
}

/**
 * Codes that prove that a person is behind a process in tmux. Any program of the user can start
 * processes there and type into them, but none can read what is written to the terminal in which
 * the person's client of tmux runs: its text goes to the terminal's window, and nowhere else. So
 * the daemon writes a code there, and a process that knows it was told by a person who reads that
 * terminal. A code is for one process and one act, works once, and one wrong attempt ends it.
 */
export class TerminalCodes {
  readonly #clock: Clock
  readonly #refused = new Map<number, ProvenAct>()
  readonly #shown = new Map<number, Shown>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The process may ask for a code for this. */
  refused(pid: number, act: ProvenAct): void {
    this.#refused.delete(pid)
    this.#refused.set(pid, act)
    // Processes end without telling: only the latest are of interest.
    for (const old of [...this.#refused.keys()].slice(0, -100)) this.#refused.delete(old)
  }

  /** Shows a new code; false if the process was refused nothing, or there is no such terminal. */
  show(pid: number, terminals: readonly PersonTerminal[]): boolean {
    const act = this.#refused.get(pid)
    this.#shown.get(pid)?.stop()
    if (!act) return false
    const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0')
    const lines = [visibleText(`Signalbox: ${act.text}`), `To confirm this, type ${code}`]
    const paint = () => terminals.filter(({ path }) => write(path, banner(lines))).length
    if (paint() === 0) return false
    const end = this.#clock.monotonic() + SHOWN_MS
    let timer: Timer
    const stop = () => {
      timer.cancel()
      this.#shown.delete(pid)
      for (const { client } of terminals) redraw(client)
    }
    const again = () => {
      if (this.#clock.monotonic() >= end) return stop()
      paint()
      timer = this.#clock.setTimer(REPAINT_MS, again)
    }
    timer = this.#clock.setTimer(REPAINT_MS, again)
    this.#shown.set(pid, { code, act, stop })
    return true
  }

  /** The act that the code confirms; null if it is wrong. Either way it works no more. */
  redeem(pid: number, typed: string): ProvenAct | null {
    const shown = this.#shown.get(pid)
    shown?.stop()
    return shown && isSameSecret(typed.replaceAll(/\s/g, ''), shown.code) ? shown.act : null
  }
}

/** On the first rows, in reverse; cursor and colours stay as they were. */
function banner(lines: readonly string[]): string {
  const rows = lines.map((line, row) => `\u001b[${row + 1};1H\u001b[0;7m ${truncate(line, COLUMNS).padEnd(COLUMNS)} `)
  return `\u001b7${rows.join('')}\u001b[0m\u001b8`
}

function write(path: string, text: string): boolean {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK)
    try {
      return writeSync(file, text) > 0
    } finally {
      closeSync(file)
    }
  } catch {
    // The terminal was closed, or accepts no text at the moment.
    return false
  }
}

/** A multiplexer draws everything again when its terminal may have another size. */
function redraw(client: number): void {
  try {
    process.kill(client, 'SIGWINCH')
  } catch {
    // It has ended.
  }
}
