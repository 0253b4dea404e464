import { type ChildProcess, spawn } from 'node:child_process'
import { ControlStream } from './control-stream.js'

export interface ControlClientOptions {
  /** The tmux program. */
  file: string
  socket: string
  /** The tmux session to attach to, by its id (`$1`). */
  session: string
  env: NodeJS.ProcessEnv
  output(pane: string, bytes: Uint8Array): void
  notice(name: string, rest: string): void
  /** The client has ended: detached, or its session or server is gone. */
  ended(): void
}

/** Our client changes nothing: it sets no size, and a flooding pane is paused. */
const FLAGS = 'ignore-size,pause-after=5'

/** One client of a tmux session in control mode: pipes, no terminal, no shell. */
export class ControlClient {
  readonly session: string
  readonly #child: ChildProcess
  readonly #pending: { resolve(lines: string[]): void; reject(error: Error): void }[] = []
  #isEnded = false
  /** Commands before the client is attached would be lost. */
  #unsent: string[] | null = []

  constructor(options: ControlClientOptions) {
    const { file, socket, session, env } = options
    this.session = session
    // -u: names and titles in UTF-8, not with underscores for characters beyond ASCII.
    this.#child = spawn(file, ['-u', '-S', socket, '-C', 'attach-session', '-t', session, '-f', FLAGS], {
      env,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const stream = new ControlStream()
    this.#child.stdin!.on('error', () => undefined)
    this.#child.stdout!.on('data', (chunk: Buffer) => {
      try {
        for (const message of stream.push(chunk)) {
          if (message.type === 'output') options.output(message.pane, message.bytes)
          else if (message.type === 'notice') {
            if (message.name === 'session-changed') this.#begin()
            options.notice(message.name, message.rest)
          } else if (message.isOurs) this.#answer(message.isOk, message.lines)
        }
      } catch {
        this.close()
      }
    })
    const end = () => {
      if (this.#isEnded) return
      this.#isEnded = true
      for (const { reject } of this.#pending.splice(0)) reject(new Error('the tmux client has ended'))
      options.ended()
    }
    this.#child.on('error', end)
    this.#child.on('close', end)
  }

  /** One command of tmux's language; ids and formats of ours only, never text from outside. */
  command(line: string): Promise<string[]> {
    return new Promise((resolve, reject) => this.ask(line, resolve, reject))
  }

  /**
   * Calls back at the reply's exact place in the output; with a promise, later output could
   * overtake the reply.
   */
  ask(line: string, resolve: (lines: string[]) => void, reject: (error: Error) => void): void {
    if (this.#isEnded) reject(new Error('the tmux client has ended'))
    else {
      this.#pending.push({ resolve, reject })
      if (this.#unsent) this.#unsent.push(line)
      else this.#child.stdin!.write(`${line}\n`)
    }
  }

  #begin(): void {
    const lines = this.#unsent ?? []
    this.#unsent = null
    for (const line of lines) this.#child.stdin!.write(`${line}\n`)
  }

  /** Detaches; an empty line ends a control client. */
  close(): void {
    if (this.#isEnded) return
    this.#child.stdin!.end('\n')
    this.#child.kill('SIGTERM')
  }

  #answer(isOk: boolean, lines: Buffer[]): void {
    const waiting = this.#pending.shift()
    if (!waiting) return
    const text = lines.map(line => line.toString('utf8'))
    if (isOk) waiting.resolve(text)
    else waiting.reject(new Error(text.join(' ') || 'tmux refused a command'))
  }
}
