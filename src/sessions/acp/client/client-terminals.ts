import type { Clock } from '../../../clock/index.js'
import type { KeeperListener, KeeperPort, KeptExit, KeptSession } from '../../../keeper/index.js'
import { endProcesses, isOfStep, processStart, STEP_MARK, withLimitMark } from '../../../process/index.js'
import { CallError } from './call-error.js'
import { commandLine, type TerminalCommand, terminalProgram } from './terminal-command.js'
import { TerminalOutput } from './terminal-output.js'

interface ClientTerminalsOptions {
  session: string
  keeper: KeeperPort
  clock: Clock
  /** How many bytes of output the agent asked to keep; undefined if it did not say. */
  limitOf(terminal: string): number | undefined
  /** What a command has printed so far, for people. */
  onPrinted(terminal: string, output: string): void
  onError(error: unknown): void
}

interface Terminal {
  pid: number
  /** Null where the system does not say. */
  start: string | null
  output: TerminalOutput
  exit: KeptExit | null
  exited: Promise<KeptExit>
}

/** At the same time. */
const OPEN_MAX = 32
const KILL_GRACE_MS = 2_000
/** How often people see new output of a running command. */
const SHOWN_EVERY_MS = 250
/** Their size means nothing: they are pipes. */
const SIZE = { cols: 80, rows: 24 }

/**
 * Commands that the agent of a session runs through Signalbox. The keeper owns their processes
 * under the name `<session>/<terminal>`: they outlive the daemon, and the next one finds them there
 * with their output. Each is a process group with a mark of its own; with its terminal, or its
 * session, all of it ends.
 */
export class ClientTerminals {
  readonly #options: ClientTerminalsOptions
  readonly #open = new Map<string, Promise<Terminal>>()

  constructor(options: ClientTerminalsOptions) {
    this.#options = options
  }

  /** Starts a command, unless an earlier daemon has started it. @throws CallError */
  async create(id: string, command: TerminalCommand, cwd: string): Promise<void> {
    const { session, keeper } = this.#options
    const kept = await this.#keptSessions()
    if (kept.some(({ id: name }) => name === this.#nameOf(id))) return void (await this.#find(id))
    if (kept.length >= OPEN_MAX)
      throw new CallError('invalidParams', `${OPEN_MAX} terminals are open; release one of them first`)
    const name = this.#nameOf(id)
    const program = withLimitMark(name, terminalProgram(command), { path: undefined, cwd })
    const spawned = await keeper
      .spawn({
        id: name,
        ...program,
        cwd,
        env: { [STEP_MARK]: name },
        inherits: session,
        ...SIZE,
        recording: null,
        pipes: true,
        command: commandLine(command),
      })
      .catch(error => {
        throw new CallError('internal', `the command cannot be started: ${(error as Error).message}`)
      })
    await this.#opened(id, spawned)
  }

  async output(id: string): Promise<{ output: string; truncated: boolean; exit: KeptExit | null }> {
    const { output, exit } = await this.#find(id)
    return { ...output.read(), exit }
  }

  async exit(id: string): Promise<KeptExit> {
    return (await this.#find(id)).exited
  }

  /** Ends the command; its output stays. */
  async kill(id: string): Promise<void> {
    const terminal = await this.#find(id)
    await this.#end(this.#nameOf(id), terminal)
    await terminal.exited
  }

  /** Ends the command and forgets the terminal. */
  async release(id: string): Promise<void> {
    await this.kill(id)
    this.#open.delete(id)
    await this.#options.keeper.forget(this.#nameOf(id))
  }

  /** The session has ended: also commands that an earlier daemon started. */
  async endAll(): Promise<void> {
    const prefix = this.#nameOf('')
    for (const { id } of await this.#keptSessions())
      await this.release(id.slice(prefix.length)).catch(this.#options.onError)
  }

  #nameOf(id: string): string {
    return `${this.#options.session}/${id}`
  }

  async #keptSessions(): Promise<KeptSession[]> {
    const prefix = this.#nameOf('')
    return (await this.#options.keeper.list()).filter(({ id }) => id.startsWith(prefix))
  }

  /** @throws CallError for one that was never created, or was released. */
  async #find(id: string): Promise<Terminal> {
    const known = this.#open.get(id)
    if (known) return known
    const kept = (await this.#keptSessions()).find(({ id: name }) => name === this.#nameOf(id))
    if (!kept) throw new CallError('notFound', `unknown terminal "${id}": it was never created, or was released`)
    return this.#open.get(id) ?? this.#opened(id, kept)
  }

  #opened(id: string, kept: KeptSession): Promise<Terminal> {
    const opening = this.#attach(id, kept)
    this.#open.set(id, opening)
    opening.catch(() => this.#open.delete(id))
    return opening
  }

  async #attach(id: string, kept: KeptSession): Promise<Terminal> {
    const { keeper, clock, limitOf, onPrinted, onError } = this.#options
    let exitedWith: (exit: KeptExit) => void = () => undefined
    const terminal: Terminal = {
      pid: kept.pid,
      // The system may have given the id of an ended process to another one.
      start: kept.exit ? null : processStart(kept.pid),
      output: new TerminalOutput(limitOf(id)),
      exit: null,
      exited: new Promise(resolve => {
        exitedWith = resolve
      }),
    }
    let isShownSoon = false
    const show = () => {
      isShownSoon = false
      onPrinted(id, terminal.output.read().output)
    }
    let isFirst = true
    const listener: KeeperListener = {
      output: (bytes, _, offset) => {
        if (isFirst && offset > 0) terminal.output = new TerminalOutput(limitOf(id), offset)
        isFirst = false
        terminal.output.push(bytes)
        if (isShownSoon) return
        isShownSoon = true
        clock.setTimer(SHOWN_EVERY_MS, show)
      },
      exited: exit => {
        terminal.exit = exit
        show()
        exitedWith(exit)
      },
      lagging: offset => void listen(offset).catch(onError),
      resized: () => undefined,
      unrecorded: () => undefined,
    }
    const listen = async (offset: number): Promise<void> => {
      const result = await keeper.attach(kept.id, offset, listener)
      if (result.state === 'attached') return
      isFirst = true
      await listen(result.oldestOffset)
    }
    await listen(0)
    return terminal
  }

  /** What the command left running too. */
  async #end(name: string, { pid, start, exit }: Terminal): Promise<void> {
    const { clock } = this.#options
    const leaders = exit ? [] : [{ pid, processStart: start }]
    await endProcesses({ leaders, isWanted: found => isOfStep(found, name), graceMs: KILL_GRACE_MS, clock })
  }
}
