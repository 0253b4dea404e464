import { createInterface, type Interface } from 'node:readline'
import { systemClock } from '../../clock/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { shortAge } from '../watch/watch-rows.js'
import type { LiveData } from './live-data.js'
import type { CockpitRow } from './rows.js'
import { nameOf, projectName, sinceOf, statusOf } from './rows.js'

/*
 * The cockpit for screen readers: nothing is drawn or moved. Each change is a line, and what the
 * person types is a command of signalbox without the word signalbox: `approve`, `send 1 "…"`.
 */

/** Runs one command line, and returns its exit code. */
type RunCommand = (words: readonly string[]) => Promise<number>

const HELP = [
  'list                    the sessions, most urgent first',
  'approvals               the open requests, whole',
  'approve, deny, answer   decide a request, by its id if there are several',
  'send 1 "text"           write a prompt to session 1',
  'start demo              start a session with an agent; stop 1 ends session 1',
  'attach 1                use the session’s own screen',
  'help, quit              every other command of signalbox also works',
]

export class LineCockpit {
  readonly #context: CommandContext
  readonly #data: LiveData
  readonly #runCommand: RunCommand
  readonly #printed = new Map<string, string>()
  #isCommandRunning = false

  constructor(context: CommandContext, data: LiveData, runCommand: RunCommand) {
    this.#context = context
    this.#data = data
    this.#runCommand = runCommand
  }

  /** Says what changed since the last call. */
  changed(): void {
    // A command has the terminal; changes are printed after it.
    if (this.#isCommandRunning) return
    for (const row of this.#data.rows()) {
      const state = `${statusOf(row)} ${row.request?.id ?? ''}`
      if (this.#printed.get(row.id) === state) continue
      this.#printed.set(row.id, state)
      this.#context.out(lineOf(row))
      if (row.request) this.#context.out(`  request ${row.request.id}; approve, deny or answer it`)
    }
  }

  /** Reads commands until `quit` or the end of the input. */
  async run(): Promise<void> {
    this.#context.out('Signalbox. Type help for the commands, quit to leave; agents keep running.')
    for (;;) {
      const line = await nextLine()
      const words = line === null ? ['quit'] : wordsOf(line)
      const [first = ''] = words
      if (first === 'quit' || first === 'exit' || first === 'q') return
      if (first === '') continue
      if (first === 'help' && words.length === 1) for (const text of HELP) this.#context.out(text)
      else if (first === 'list' || first === 'ls') this.#list()
      else await this.#command(words)
    }
  }

  #list(): void {
    const rows = this.#data.rows()
    if (rows.length === 0) this.#context.out('no sessions yet; start demo starts one')
    for (const row of rows) this.#context.out(lineOf(row))
  }

  async #command(words: readonly string[]): Promise<void> {
    this.#isCommandRunning = true
    try {
      await this.#runCommand(words[0] === 'signalbox' ? words.slice(1) : words)
    } finally {
      this.#isCommandRunning = false
    }
    this.changed()
  }
}

function lineOf(row: CockpitRow): string {
  const { pane, request, halt } = row
  const since = sinceOf(row) ?? systemClock.now()
  const location = pane ? pane.place : `run ${request ? (request.subject.run ?? '') : row.id}`
  const who = [location, pane?.agent ?? pane?.job ?? '', nameOf(row), projectName(row)].filter(Boolean).join(', ')
  const why = halt && !request ? `, ${visibleText(halt.why)}` : ''
  return `${statusOf(row)}: ${who}, ${shortAge(Math.max(0, systemClock.now() - since))}${why}`
}

/** One line of input; null at its end. A command that asks something has the input to itself. */
function nextLine(): Promise<string | null> {
  const reader: Interface = createInterface({ input: process.stdin, terminal: false })
  return new Promise(resolve => {
    let line: string | null = null
    reader.once('line', text => {
      line = text
      reader.close()
    })
    reader.once('close', () => resolve(line))
  })
}

/** Words of a command line; quotes keep blanks. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(found => found[1] ?? found[2] ?? found[3] ?? '')
}
