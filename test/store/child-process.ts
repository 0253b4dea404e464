import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { compiledChild } from '../support/compiled.js'

interface ChildOptions {
  command?: readonly string[]
  uid?: number
  env?: Record<string, string>
}

/** A program in this directory, run in a separate process, that reads and writes lines. */
export class Child {
  readonly process: ChildProcess
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  readonly #lines: Interface
  /** Lines that were printed before there was a handler. */
  readonly #early: string[] = []
  #handler: ((line: string) => void) | null = null

  constructor(script: string, args: readonly string[], options: ChildOptions = {}) {
    const file = compiledChild(fileURLToPath(new URL(script, import.meta.url)))
    const [command = process.execPath, ...before] = [...(options.command ?? []), process.execPath]
    const spawnOptions = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }
    this.process = spawn(command, [...before, file, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      ...spawnOptions,
      env: { ...process.env, ...options.env },
    })
    this.exit = once(this.process, 'exit').then(([code, signal]) => ({ code, signal }))
    this.#lines = createInterface({ input: this.process.stdout! })
    this.#lines.on('line', line => (this.#handler ? this.#handler(line) : this.#early.push(line)))
  }

  onLine(handler: (line: string) => void): void {
    for (const line of this.#early.splice(0)) handler(line)
    this.#handler = handler
  }

  /** Waits for the next line. */
  async line(): Promise<string> {
    const early = this.#early.shift()
    if (early !== undefined) return early
    return new Promise(resolve => {
      this.#handler = line => {
        this.#handler = null
        resolve(line)
      }
    })
  }

  send(line: string): void {
    this.process.stdin!.write(`${line}\n`)
  }

  /** All lines until the end of the program's output. */
  async finish(): Promise<string[]> {
    const lines: string[] = []
    this.onLine(line => lines.push(line))
    const [{ code }] = await Promise.all([this.exit, once(this.#lines, 'close')])
    if (code !== 0) throw new Error(`the program ended with ${code}:\n${lines.join('\n')}`)
    return lines
  }
}
