import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CLI, type TestHome, waitFor } from './harness.js'

/** A separate tmux server with one pane: the real terminal of a person. */
export class TmuxTerminal {
  readonly #home: TestHome
  readonly #socket: string

  constructor(home: TestHome, options: { name?: string; cols?: number; rows?: number } = {}) {
    this.#home = home
    this.#socket = join(home.directory, `tmux-${options.name ?? 'a'}`)
    const size = ['-x', String(options.cols ?? 100), '-y', String(options.rows ?? 30)]
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      't',
      ...size,
      '-c',
      home.work,
      'env',
      'PS1=$ ',
      'bash',
      '--norc',
      '--noprofile',
    )
    this.#tmux('set-option', '-g', 'status', 'off')
    this.#tmux('set-option', '-g', 'default-terminal', 'tmux-256color')
  }

  /** Types a signalbox command into the shell and presses Enter. */
  run(...args: string[]): void {
    this.type([process.execPath, CLI, ...args].map(word => `'${word.replaceAll("'", `'\\''`)}'`).join(' '))
    this.key('Enter')
  }

  type(text: string): void {
    this.#tmux('send-keys', '-t', 't', '-l', '--', text)
  }

  key(name: string): void {
    this.#tmux('send-keys', '-t', 't', name)
  }

  /** Pastes like a person: bracketed if the program asked for it. */
  paste(text: string): void {
    this.#tmux('set-buffer', '--', text)
    this.#tmux('paste-buffer', '-p', '-t', 't')
  }

  resize(cols: number, rows: number): void {
    this.#tmux('resize-window', '-t', 't', '-x', String(cols), '-y', String(rows))
  }

  /** The screen as text; rows have no trailing blanks. */
  screen(): string {
    return this.#tmux('capture-pane', '-p', '-t', 't')
      .split('\n')
      .map(row => row.trimEnd())
      .join('\n')
      .trimEnd()
  }

  /** Text, styles and cursor: must be the same after another program used the screen. */
  picture(): string {
    return `${this.#tmux('capture-pane', '-p', '-e', '-t', 't').trimEnd()}\n${this.format('#{cursor_x},#{cursor_y} #{cursor_flag} #{alternate_on} #{mouse_any_flag}')}`
  }

  format(text: string): string {
    return this.#tmux('display-message', '-p', '-t', 't', text).trim()
  }

  async see(pattern: RegExp | string, timeoutMs?: number): Promise<string> {
    const isThere = (screen: string) => (typeof pattern === 'string' ? screen.includes(pattern) : pattern.test(screen))
    try {
      return await waitFor(`the screen to show ${String(pattern)}`, () => [this.screen()].find(isThere), timeoutMs)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.screen()}`)
    }
  }

  close(): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server'])
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], {
      env: { ...this.#home.env, TERM: 'xterm-256color' },
      encoding: 'utf8',
    })
  }
}
