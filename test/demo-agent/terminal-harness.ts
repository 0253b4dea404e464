import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { afterAll } from 'vitest'

const ENTRY = fileURLToPath(new URL('../../dist/demo-agent/main.js', import.meta.url))
/** Ends a test that hangs; it does not limit the speed. */
const WAIT_MS = 120_000
/**
 * The agent ignores Enter for 100 ms after a menu appeared. Counted from the moment at which the
 * test sees the menu, this time is always enough, however busy the machine is.
 */
const MENU_GUARD_MS = 120

export const KEY = {
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  ctrlC: '\x03',
  ctrlD: '\x04',
  ctrlU: '\x15',
  ctrlJ: '\n',
  backspace: '\x7f',
} as const

export interface HarnessOptions {
  args?: string[]
  cwd?: string
  columns?: number
  rows?: number
  env?: Record<string, string>
  home?: string
  /** Answer OSC 7501 and the kitty keyboard query, as Signalbox's own emulator does. */
  answers?: boolean
}

/** Arguments that start the built demo agent. */
export function demoArgv(args: string[]): string[] {
  return [ENTRY, ...args]
}

const directories: string[] = []
afterAll(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
})

/** Removed after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-agent-'))
  directories.push(directory)
  return directory
}

/**
 * The demo agent in a real PTY with its screen in a real emulator. Tests wait for what the screen
 * shows.
 */
export class DemoTerminal {
  readonly home: string
  readonly statuses: string[] = []
  bytes = ''
  exit: { exitCode: number; signal: number | undefined } | null = null
  private readonly pty: IPty
  private readonly emulator: InstanceType<typeof xterm.Terminal>
  private readonly waiting = new Set<() => void>()

  constructor(options: HarnessOptions = {}) {
    const { columns = 100, rows = 40, answers = true } = options
    this.home = options.home ?? temporaryDirectory()
    this.emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
    this.pty = spawn(process.execPath, demoArgv(['--speed', '0', ...(options.args ?? [])]), {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd: options.cwd ?? this.home,
      env: { ...process.env, COLORTERM: 'truecolor', SIGNALBOX_DEMO_HOME: this.home, NO_COLOR: '', ...options.env },
    })
    const slave = openSync((this.pty as IPty & { ptsName: string }).ptsName, constants.O_RDWR | constants.O_NOCTTY)
    this.pty.onData(data => {
      this.bytes += data
      this.emulator.write(data, () => this.check())
    })
    this.pty.onExit(({ exitCode, signal }) => {
      closeSync(slave)
      this.emulator.write('', () => {
        this.exit = { exitCode, signal }
        this.check()
      })
    })
    this.emulator.onData(data => this.pty.write(data))
    this.emulator.parser.registerOscHandler(7501, data => {
      if (data !== '?') this.statuses.push(data)
      else if (answers) this.pty.write('\x1b]7501;?\x1b\\')
      return true
    })
    this.emulator.parser.registerCsiHandler({ prefix: '?', final: 'u' }, () => {
      if (answers) this.pty.write('\x1b[?0u')
      return true
    })
  }

  /** The rows that are visible now, right-trimmed. */
  get rows(): string[] {
    const buffer = this.emulator.buffer.active
    return Array.from(
      { length: this.emulator.rows },
      (_, row) =>
        buffer
          .getLine(buffer.viewportY + row)
          ?.translateToString(true)
          .slice(0, this.emulator.cols)
          .trimEnd() ?? '',
    )
  }

  get screen(): string {
    return this.rows.join('\n')
  }

  /** Visible rows and everything that scrolled away. */
  get everything(): string {
    const buffer = this.emulator.buffer.active
    return Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '').join(
      '\n',
    )
  }

  get cursorRow(): string {
    return this.rows[this.emulator.buffer.active.cursorY] ?? ''
  }

  get modes() {
    return this.emulator.modes
  }

  get buffer(): 'normal' | 'alternate' {
    return this.emulator.buffer.active.type
  }

  /** The colour of the first cell that shows `text`, as #rrggbb, or null for the default. */
  colorOf(text: string): string | null {
    const row = this.rows.findIndex(line => line.includes(text))
    const buffer = this.emulator.buffer.active
    const cell = buffer.getLine(buffer.viewportY + row)?.getCell(this.rows[row]?.indexOf(text) ?? 0)
    return cell?.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, '0')}` : null
  }

  type(text: string): void {
    this.pty.write(text)
  }

  resize(columns: number, rows: number): void {
    this.emulator.resize(columns, rows)
    this.pty.resize(columns, rows)
  }

  signal(name: string): void {
    this.pty.kill(name)
  }

  get pid(): number {
    return this.pty.pid
  }

  until(what: string | RegExp | (() => boolean)): Promise<void> {
    const holds = () =>
      typeof what === 'function'
        ? what()
        : typeof what === 'string'
          ? this.screen.includes(what)
          : what.test(this.screen)
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!holds()) return
        clearTimeout(timer)
        this.waiting.delete(look)
        resolve()
      }
      const timer = setTimeout(() => {
        this.waiting.delete(look)
        reject(new Error(`never saw ${String(what)}; exit ${JSON.stringify(this.exit)}; the screen:\n${this.screen}`))
      }, WAIT_MS)
      this.waiting.add(look)
      look()
    })
  }

  /** Confirms the menu that is shown, once it accepts Enter, and waits for the result. */
  async confirm(what: string | RegExp | (() => boolean)): Promise<void> {
    await new Promise(resolve => setTimeout(resolve, MENU_GUARD_MS))
    this.type(KEY.enter)
    await this.until(what)
  }

  async ask(prompt: string): Promise<void> {
    await this.until(/^▷ /m)
    this.type(prompt)
    await this.until(`▷ ${prompt}`)
    this.type(KEY.enter)
  }

  async exited(): Promise<{ exitCode: number; signal: number | undefined }> {
    await this.until(() => this.exit !== null)
    return this.exit!
  }

  close(): void {
    if (this.exit === null) this.pty.kill('SIGKILL')
    this.emulator.dispose()
  }

  private check(): void {
    for (const look of [...this.waiting]) look()
  }
}
