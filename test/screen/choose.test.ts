import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { systemClock } from '../../src/clock/index.js'
import { Keeper, type KeeperListener } from '../../src/keeper/index.js'
import { PaneScreen } from '../../src/panes/index.js'
import type { Menu, Observation, Pack } from '../../src/screen/index.js'
import { chooseOption } from '../../src/sessions/index.js'

/*
 * Choosing by label with the real demo agent in a real PTY, for every layout of a menu. The agent
 * prints what it understood, and the test compares that.
 */
const agent = fileURLToPath(new URL('../../dist/demo-agent/main.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'signalbox-choose-'))
let pack: Pack

beforeAll(async () => {
  pack = await loadPack('demo', null)
  expect(existsSync(agent)).toBe(true)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** A demo agent that shows one menu, and its screen. */
class Subject implements KeeperListener {
  readonly #keeper = new Keeper(systemClock)
  readonly #screen: PaneScreen
  readonly #id: string
  #wake: () => void = () => undefined
  #t = 0

  constructor(id: string, cols: number, rows: number) {
    this.#id = id
    this.#screen = new PaneScreen(pack, { cols, rows })
  }

  async start(flags: string[]): Promise<void> {
    const { cols, rows } = this.#screen.emulator.size
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: directory,
      SIGNALBOX_DEMO_HOME: join(directory, this.#id),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
    }
    await this.#keeper.spawn({
      id: this.#id,
      file: process.execPath,
      args: [agent, '--scenario', 'menus', '--speed', '0', ...flags],
      cwd: directory,
      env,
      cols,
      rows,
      recording: join(directory, `${this.#id}.cast`),
    })
    await this.#keeper.attach(this.#id, 0, this)
    await this.until(() => this.seen?.composer?.empty === true)
  }

  async ask(layout: string): Promise<Menu> {
    await this.press(layout)
    await this.until(() => this.seen?.composer?.draft === layout)
    await this.press('\r')
    await this.until(() => this.menu() !== null)
    return this.menu()!
  }

  get seen(): Observation | null {
    return this.#screen.last?.observation ?? null
  }

  menu(): Menu | null {
    return this.seen?.view === 'tool_menu' ? (this.seen as Observation<'tool_menu'>).payload.menu : null
  }

  text(): string {
    return this.#screen.last?.frame.lines.map(row => row.text).join('\n') ?? ''
  }

  press(keys: string): Promise<void> {
    return this.#keeper.write(this.#id, new TextEncoder().encode(keys))
  }

  nextFrame(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = systemClock.setTimer(Math.min(ms, 20), done)
      const self = this
      function done() {
        timer.cancel()
        self.#tick()
        resolve()
      }
      this.#wake = done
    })
  }

  async until(holds: () => boolean): Promise<void> {
    const deadline = systemClock.monotonic() + 120_000
    while (!holds()) {
      if (systemClock.monotonic() > deadline) throw new Error(`waited too long; the screen:\n${this.text()}`)
      await this.nextFrame(50)
    }
  }

  output(bytes: Uint8Array, t: number): void {
    this.#t = t
    for (const output of this.#screen.feed(bytes, t, { live: true }))
      if (output.type === 'reply') void this.#keeper.write(this.#id, output.bytes)
    this.#wake()
  }

  resized(): void {}
  exited(): void {}
  lagging(): void {}
  unrecorded(): void {}

  #tick(): void {
    this.#t += 0.02
    this.#screen.tick(this.#t)
  }

  async end(): Promise<void> {
    await this.#keeper.signal(this.#id, 'SIGKILL').catch(() => undefined)
  }
}

const CASES: { layout: string; label: string; says: string; labels?: string[]; text?: string }[] = [
  { layout: 'numbered', label: 'Green', says: 'Green' },
  { layout: 'plain', label: 'Yellow', says: 'Yellow' },
  { layout: 'boxed', label: 'Green', says: 'Green' },
  { layout: 'horizontal', label: 'Reject', says: 'Reject' },
  { layout: 'columns', label: 'Siding', says: 'Siding' },
  {
    layout: 'wrapped',
    label:
      'Let the connecting services go on time and tell the passengers of the late train about the next one while they are still on their way',
    says: 'Let the connecting services',
  },
  { layout: 'scrolling', label: 'Platform 4', says: 'Platform 4' },
  { layout: 'multi', label: 'Yellow', labels: ['Yellow', 'White'], says: 'Yellow, White' },
  { layout: 'freetext', label: 'Type another name', text: 'Westgate', says: 'Westgate' },
  { layout: 'inline', label: 'y', says: 'Yes' },
  { layout: 'typed', label: 'Yellow', says: 'Yellow' },
]

describe.each([
  ['inline renderer', []],
  ['full screen', ['--fullscreen']],
] as const)('%s', (name, flags) => {
  test.each(CASES)('$layout: chooses "$says"', async ({ layout, label, labels, text, says }) => {
    const subject = new Subject(`${name.replace(' ', '-')}-${layout}`, 100, 30)
    try {
      await subject.start([...flags])
      const menu = await subject.ask(layout)
      const wanted = { hash: menu.hash, label, ...(labels && { labels }), ...(text !== undefined && { text }) }
      const outcome = await chooseOption(
        {
          menu: () => subject.menu(),
          press: keys => subject.press(keys),
          nextFrame: ms => subject.nextFrame(ms),
          picture: () => subject.text(),
        },
        wanted,
        { clock: systemClock, onStep: async () => undefined },
      )
      expect(outcome, subject.text()).toMatchObject({ result: 'applied' })
      await subject.until(() => subject.text().replace(/\s+/g, ' ').includes(`You chose: ${says}`))
    } finally {
      await subject.end()
    }
  })
})
