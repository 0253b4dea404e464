import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ownProgram } from './own-program.js'
import {
  type CommandOptions,
  type CommandResult,
  type RunCommand,
  runCommandHere,
  runCommandsBy,
} from './run-command.js'

/*
 * Starting a program copies the page tables of the process that starts it: 0.2 ms for each megabyte
 * that it uses, in which it does nothing else (docs/decisions/0097-a-helper-starts-commands.md). A
 * process with many sessions lets a small one start its commands. It is started with the first
 * command and ends with its owner.
 */

/** To the helper. */
export interface CommandCall {
  id: number
  file: string
  args: readonly string[]
  options: CommandOptions
}

/** From the helper. */
export type CommandAnswer = { id: number } & ({ result: CommandResult } | { error: CommandFailure })

/** Why a program could not be started, with the fields that callers look at. */
interface CommandFailure {
  message: string
  code?: string
}

interface Waiting {
  resolve(result: CommandResult): void
  reject(error: Error): void
}

class CommandHelper {
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | null = null
  #lastId = 0

  readonly run: RunCommand = (file, args, options = { cwd: '/' }) => {
    const child = this.#open()
    if (!child) return runCommandHere(file, args, options)
    const id = ++this.#lastId
    const { env = process.env, ...others } = options
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      // An unfinished command keeps its owner running, an idle helper does not.
      child.channel?.ref()
      child.send({ id, file, args, options: { ...others, env: { ...env } } } satisfies CommandCall, error => {
        if (error) this.#fail(id, error)
      })
    })
  }

  /** Null where the package is not built. */
  #open(): ChildProcess | null {
    if (this.#child?.connected) return this.#child
    const program = ownProgram('process/command-helper-main')
    if (!existsSync(program)) return null
    const child = fork(program, [], {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', answer => this.#receive(answer as CommandAnswer))
    // Nobody knows what became of its commands: they may not be run again.
    for (const event of ['exit', 'error'] as const) child.on(event, () => this.#lose(child))
    child.unref()
    child.channel?.unref()
    this.#child = child
    return child
  }

  #receive(answer: CommandAnswer): void {
    const waiting = this.#take(answer.id)
    if ('result' in answer) waiting?.resolve(answer.result)
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error))
  }

  #fail(id: number, error: Error): void {
    this.#take(id)?.reject(error)
  }

  #lose(child: ChildProcess): void {
    if (this.#child !== child) return
    this.#child = null
    if (child.connected) child.disconnect()
    for (const id of [...this.#waiting.keys()]) this.#fail(id, new Error('the process that runs commands has ended'))
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#child?.channel?.unref()
    return waiting
  }
}

let helper: CommandHelper | null = null

/** The commands of this process are started by a helper from now on. */
export function useCommandHelper(): void {
  helper ??= new CommandHelper()
  runCommandsBy(helper.run)
}
