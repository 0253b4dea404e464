import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * A tmux that does what a test says: a program of that name that forwards every command line of its
 * control clients to the test, and prints the test's answers. So pauses, deaths and reused ids
 * happen when the test wants them.
 */
const PROGRAM = `#!${process.execPath}
const { connect } = require('node:net')
const args = process.argv.slice(2)
const socket = connect(process.env.SCRIPTED_TMUX)
socket.on('error', () => process.exit(1))
socket.write((args.includes('-C') ? 'attach ' + args[args.indexOf('-t') + 1] : 'list-sessions') + '\\n')
if (args.includes('-C')) process.stdin.pipe(socket)
socket.pipe(process.stdout)
socket.on('end', () => process.exit(0))
`

export interface ScriptedPane {
  id: number
  pid: number
  rows: string[]
  window?: string
}

/** The server side, played by the test. */
export class ScriptedTmux {
  readonly directory = mkdtempSync(join(tmpdir(), 'scripted-tmux-'))
  /** The directory that the source scans; our socket is only a name there. */
  readonly sockets = join(this.directory, 'sockets')
  readonly socket = join(this.sockets, 'default')
  panes: ScriptedPane[] = []
  sessions = ['$0']
  isUp = true
  /** While set, lists of sessions are prepared but not sent. */
  holdsLists: Promise<void> | null = null
  /** Every command of the clients, in order. */
  readonly asked: string[] = []
  readonly #server: Server
  readonly #name: Server
  readonly #clients = new Set<Socket>()
  #number = 1

  private constructor() {
    mkdirSync(join(this.directory, 'bin'))
    mkdirSync(this.sockets)
    writeFileSync(join(this.directory, 'bin', 'tmux'), PROGRAM)
    chmodSync(join(this.directory, 'bin', 'tmux'), 0o755)
    this.#server = createServer(client => this.#serve(client))
    this.#name = createServer()
  }

  static async open(): Promise<ScriptedTmux> {
    const tmux = new ScriptedTmux()
    await new Promise<void>(resolve => tmux.#server.listen(join(tmux.directory, 'control'), resolve))
    await new Promise<void>(resolve => tmux.#name.listen(tmux.socket, resolve))
    return tmux
  }

  get env(): NodeJS.ProcessEnv {
    return { PATH: join(this.directory, 'bin'), SCRIPTED_TMUX: join(this.directory, 'control') }
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Sends a line of the control protocol to every client. */
  say(line: string): void {
    for (const client of this.#clients) client.write(`${line}\n`)
  }

  /** Disconnects every client. */
  die(): void {
    this.isUp = false
    for (const client of this.#clients) client.end('%exit\n')
    this.#clients.clear()
  }

  close(): void {
    for (const client of this.#clients) client.destroy()
    this.#server.close()
    this.#name.close()
    rmSync(this.directory, { recursive: true, force: true })
  }

  #serve(client: Socket): void {
    let rest = ''
    client.on('error', () => undefined)
    client.on('close', () => this.#clients.delete(client))
    client.on('data', chunk => {
      rest += String(chunk)
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const line of lines) this.#receive(client, line)
    })
  }

  #receive(client: Socket, line: string): void {
    if (line === 'list-sessions') {
      this.asked.push(line)
      const list = this.isUp ? `${this.sessions.join('\n')}\n` : ''
      return void Promise.resolve(this.holdsLists).then(() => client.end(list))
    }
    if (line.startsWith('attach ')) {
      if (!this.isUp) return void client.end('%exit\n')
      this.asked.push(line)
      this.#clients.add(client)
      client.write(`%session-changed ${line.slice('attach '.length)} main\n`)
      return
    }
    if (line === '') return void client.end('%exit\n')
    this.asked.push(line)
    const number = this.#number++
    client.write([`%begin 1 ${number} 1`, ...this.#answer(line), `%end 1 ${number} 1`, ''].join('\n'))
  }

  #answer(line: string): string[] {
    const pane = this.panes.find(({ id }) => new RegExp(`-t %${id}\\b`).test(line))
    if (line.startsWith('list-panes')) return this.panes.map(fields)
    if (line.startsWith('display-message')) return pane ? [`0|${pane.rows.length - 1}|0|80|24`] : []
    if (line.startsWith('capture-pane')) return pane?.rows ?? []
    return []
  }
}

function fields({ id, pid, window = 'w' }: ScriptedPane): string {
  const numbers = [`%${id}`, pid, 80, 24, 0, 0, 1, 1, 1, 0, '', id, 0, `/dev/pts/${id}`]
  return `${numbers.join('|')}\t${['main', window, 'bash', '/w', 'title'].join('\t')}`
}
