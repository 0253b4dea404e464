import { closeSync, constants, openSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import { demoArgv, temporaryDirectory } from '../demo-agent/terminal-harness.js'

/** What the demo agent printed, and when the terminal was resized. */
export type DemoEvent = { t: number; bytes: Uint8Array } | { t: number; cols: number; rows: number }

export interface DemoSession {
  markdown: string
  cols: number
  rows: number
  args?: string[]
  speed?: number
  /** Sizes that the terminal takes one after the other while the agent answers. */
  sizes?: readonly { cols: number; rows: number }[]
}

const DONE = 'Finished in'
const PROMPT = 'go on'
/** The agent shows this in its input box when it has drawn everything before it. */
const LAST_KEYS = 'zzz'
/** Ends a test that hangs. */
const WAIT_MS = 150_000
/*
 * Recorded time is counted, not measured, so that the same bytes are read the same on a busy
 * machine: a chunk takes CHUNK_S, the agent draws a new size within DRAWN_S, and a size then lasts
 * for SIZE_S, which is longer than rows are held after a resize.
 */
const CHUNK_S = 0.03
const DRAWN_S = 0.05
const SIZE_S = 0.5

/**
 * Lets the demo agent give one answer in a real PTY. Ends when the agent has finished and every
 * size was drawn. Each step waits for what the agent draws.
 */
export async function recordDemo(session: DemoSession): Promise<DemoEvent[]> {
  const home = temporaryDirectory()
  const scenario = join(home, 'scenario.json')
  const turns = [{ steps: [{ say: { markdown: session.markdown } }] }]
  await writeFile(scenario, JSON.stringify({ name: 'answer', description: 'one answer', turns }))
  const args = demoArgv(['--speed', String(session.speed ?? 0), '--scenario', scenario, ...(session.args ?? [])])
  const pty = spawn(process.execPath, args, {
    name: 'xterm-256color',
    cols: session.cols,
    rows: session.rows,
    cwd: home,
    encoding: null,
    env: { ...process.env, COLORTERM: 'truecolor', SIGNALBOX_DEMO_HOME: home, NO_COLOR: '' },
  })
  const slave = openSync((pty as IPty & { ptsName: string }).ptsName, constants.O_RDWR | constants.O_NOCTTY)
  const reader = new Reader(pty)
  try {
    await reader.until(text => text.includes('▷'))
    pty.write(PROMPT)
    await reader.until(text => text.includes(PROMPT))
    pty.write('\r')
    await reader.until(text => text.includes('◆'))
    for (const size of session.sizes ?? []) await reader.resize(size)
    await reader.until(() => reader.all.includes(DONE))
    pty.write(LAST_KEYS)
    await reader.until(text => text.includes(LAST_KEYS))
  } finally {
    pty.kill()
    closeSync(slave)
  }
  return reader.events
}

/** Collects what the agent prints, with counted times. */
class Reader {
  readonly events: DemoEvent[] = []
  /** Everything that was printed. */
  all = ''
  readonly #pty: IPty
  readonly #decoder = new TextDecoder()
  #t = 0
  /** While a size is drawn, time does not pass this, however many chunks are still in the PTY. */
  #latest = Number.POSITIVE_INFINITY
  #onOutput: () => void = () => undefined

  constructor(pty: IPty) {
    this.#pty = pty
    pty.onData(data => {
      const bytes = Buffer.from(data as unknown as Uint8Array)
      this.#t = Math.min(this.#t + CHUNK_S, this.#latest)
      this.events.push({ t: this.#t, bytes })
      this.all += this.#decoder.decode(bytes, { stream: true })
      this.#onOutput()
    })
  }

  /** Waits until this holds for the text that is printed from now on. */
  async until(holds: (text: string) => boolean): Promise<void> {
    const from = this.all.length
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the demo agent stopped: ${this.all.slice(-400)}`)), WAIT_MS)
      this.#onOutput = () => {
        if (!holds(this.all.slice(from))) return
        clearTimeout(timer)
        resolve()
      }
      this.#onOutput()
    })
  }

  /**
   * Waits until the agent has drawn itself in the new size: its input box reaches from edge to
   * edge.
   */
  async resize({ cols, rows }: { cols: number; rows: number }): Promise<void> {
    const isSame = cols === this.#pty.cols && rows === this.#pty.rows
    this.events.push({ t: this.#t, cols, rows })
    const edge = new RegExp(`(?<!─)─{${cols}}(?=[^─])`, 'u')
    this.#latest = this.#t + DRAWN_S
    this.#pty.resize(cols, rows)
    // The agent draws nothing if nothing changed.
    if (!isSame) await this.until(text => edge.test(text))
    this.#t = this.#latest + SIZE_S
    this.#latest = Number.POSITIVE_INFINITY
  }
}
