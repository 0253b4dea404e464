import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { CLI, type RunOptions, type SessionInfo, TestHome, waitFor } from '../../e2e/harness.js'
import type { Loose } from '../../server/support.js'
import { compiledChild } from '../../support/compiled.js'
import type { Attack } from './attack.js'
import { HELPERS } from './helpers.js'

/** Root may do everything, so a test that runs as root plays this user: nobody. */
const USER = 65_534
const isRoot = process.getuid?.() === 0
const AS_USER = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []

/** Text that only the victim's session, or the files of the user, contain. */
const CANARY = 'canary-7f3a9c'

export interface Outcome {
  /** The attack reached its goal. */
  succeeded: boolean
  /** What it printed, and what was left. */
  evidence: string
}

/**
 * A home with two sessions: the victim, whose request waits for a decision, and a hostile program,
 * which runs each script that it gets.
 */
export class HostileHome extends TestHome {
  readonly person = join(this.directory, 'person')
  #facts: Record<string, string> = {}
  #asked!: {
    id: string
    fingerprint: string
    display: { hash: string }
    request: { options: { key: string; meaning: string }[] }
  }
  #agent: Server | null = null
  #client: ChildProcess | null = null
  /** What the person's terminal showed. */
  shown = ''
  #settings = ''
  #turn = 0

  override get env(): Record<string, string> {
    // The shell of `nobody` ends at once, and a tmux server with it.
    return { ...super.env, HOME: this.person, USER: 'attacked', SHELL: '/bin/sh', SIGNALBOX_TRACEABLE: '' }
  }

  override start(args: readonly string[], options: RunOptions = {}) {
    return super.start(args, { through: AS_USER, ...options })
  }

  /** `boxed`: the options of `start` for the hostile session. */
  async prepare(boxed: readonly string[] = []): Promise<void> {
    for (const path of [
      this.person,
      join(this.person, '.ssh'),
      this.path('config'),
      this.hostile,
      join(this.hostile, 'in'),
    ])
      mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.person, '.ssh', 'id_ed25519'), `PRIVATE ${CANARY}\n`, { mode: 0o600 })
    writeFileSync(join(this.person, '.netrc'), `machine example.com password ${CANARY}\n`, { mode: 0o600 })
    this.#settings = 'server.port = 0\n'
    writeFileSync(this.path('config', 'config.toml'), this.#settings, { mode: 0o600 })
    const asks = { tool: { name: 'Shell', kind: 'shell', command: `echo ${CANARY}`, permission: true } }
    writeFileSync(
      join(this.work, 'asks.json'),
      JSON.stringify({ name: 'asks', turns: [], otherwise: { steps: [asks, { say: { markdown: 'Done.' } }] } }),
    )
    writeFileSync(join(this.hostile, 'loop.sh'), LOOP)
    for (const [name, text] of Object.entries(HELPERS)) writeFileSync(join(this.hostile, name), text)
    writeFileSync(join(this.directory, 'shared-tmp'), `${CANARY}\n`)
    if (isRoot) {
      spawnSync('chown', ['-R', `${USER}:${USER}`, this.directory])
      chmodSync(this.directory, 0o755)
    }
    const victim = await this.startDemo(['--scenario', join(this.work, 'asks.json'), '--speed', '0'])
    await this.run(['send', victim.id, `say ${CANARY}`, '--wait', '--timeout', '60'])
    this.#asked = await waitFor('the request of the victim', async () =>
      (await this.json<Loose[]>(['approvals', '--json'])).find(({ state }) => state === 'pending'),
    )
    const server = JSON.parse(readFileSync(this.path('run', 'server.json'), 'utf8')) as Loose
    const { pid: victimPid } = await this.session(victim.id)
    const paths = await this.json<Loose>(['paths', '--json'])
    this.#facts = {
      SIGNALBOX: `${process.execPath} ${CLI}`,
      NODE: process.execPath,
      SB_HOME: this.home,
      SOCKET: String(paths['daemon socket']),
      KEEPER: String(paths['keeper socket']),
      ADDRESS: String(server.address ?? server.url),
      APPROVAL: this.#asked.id,
      FINGERPRINT: this.#asked.fingerprint,
      DISPLAY_HASH: this.#asked.display.hash,
      VICTIM: victim.id,
      VICTIM_PID: String(victimPid),
      DAEMON_PID: String(this.daemon),
      KEEPER_PID: String(this.keeper),
      PERSON: this.person,
      OPTION: this.#asked.request.options.find(({ meaning }) => meaning === 'allow-once')!.key,
      FORGE: compiledChild(join(import.meta.dirname, 'forge.child.ts')),
      TMUX_SOCKET: join(this.directory, 'tmux.sock'),
      AGENT_SOCKET: join(this.directory, 'agent.sock'),
      SHARED_TMP: join(this.directory, 'shared-tmp'),
    }
    this.#startPrograms()
    this.#facts.TMUX_TTY = await waitFor('the client of tmux', () => {
      const list = ['tmux', '-S', this.#facts.TMUX_SOCKET!, 'list-clients', '-F', '#{client_tty}']
      const [file, ...args] = [...AS_USER, ...list] as [string, ...string[]]
      return spawnSync(file, args, { encoding: 'utf8' }).stdout.trim()
    })
    await this.json<SessionInfo>(['start', '--json', ...boxed, '--', 'sh', 'loop.sh'], { cwd: this.hostile })
  }

  /** What a user has running: tmux with a shell, and an SSH agent. */
  #startPrograms(): void {
    const tmux = [
      'tmux',
      '-S',
      this.#facts.TMUX_SOCKET!,
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '80',
      '-y',
      '24',
      'sh',
    ]
    const [file, ...args] = [...AS_USER, ...tmux] as [string, ...string[]]
    spawnSync(file, args, { env: this.env, cwd: this.work })
    this.#attachTmux()
    this.#agent = createServer(socket => socket.destroy()).listen(this.#facts.AGENT_SOCKET, () => {
      if (isRoot) chownSync(this.#facts.AGENT_SOCKET!, USER, USER)
    })
  }

  /** The person looks at tmux, in a terminal that only this test reads. */
  #attachTmux(): void {
    const [file, ...args] = [...AS_USER, 'script', '-qfc', `tmux -S ${this.#facts.TMUX_SOCKET} attach`, '/dev/null']
    this.#client = spawn(file!, args, {
      env: { ...this.env, TERM: 'xterm' },
      cwd: this.work,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    this.#client.stdout?.on('data', (chunk: Buffer) => (this.shown += chunk.toString('utf8')))
  }

  override async close(): Promise<void> {
    this.#agent?.close()
    this.#client?.kill()
    await super.close()
  }

  get hostile(): string {
    return join(this.directory, 'hostile')
  }

  async attempt({ script, goal }: Attack): Promise<Outcome> {
    const name = `${++this.#turn}`
    const { daemons } = this.processes()
    const facts = Object.entries({ ...this.#facts, DAEMON_PID: String(daemons[0] ?? this.#facts.DAEMON_PID) }).map(
      ([key, value]) => `${key}='${value}'\n`,
    )
    const file = join(this.hostile, 'in', `${name}.new`)
    writeFileSync(file, `${facts.join('')}${script}\n`)
    if (isRoot) chownSync(file, USER, USER)
    renameSync(file, join(this.hostile, 'in', `${name}.sh`))
    const done = join(this.hostile, 'in', `${name}.done`)
    await waitFor(`the attack ${name}: ${script}`, () => existsSync(done))
    const output = readFileSync(join(this.hostile, 'in', `${name}.out`), 'utf8')
    rmSync(done)
    return { succeeded: await this.#hasReached(goal, output), evidence: output.trim().slice(-300) }
  }

  async #hasReached(goal: Attack['goal'], output: string): Promise<boolean> {
    if (goal === 'read' || goal === 'token' || goal === 'escape')
      return output.includes('REACHED') || this.#leaks(output)
    if (goal === 'write') return existsSync(join(this.person, '.bashrc'))
    if (goal === 'settings') return readFileSync(this.path('config', 'config.toml'), 'utf8') !== this.#settings
    const [record] = (await this.json<Loose[]>(['approvals', '--all', '--json'])).filter(
      ({ id }) => id === this.#asked.id,
    )
    if (record.state === 'pending') return false
    // A decision that the host did not deliver has not decided anything.
    return !(record.state === 'stale' && record.outcome?.reason === 'unproven')
  }

  #leaks(output: string): boolean {
    const token = existsSync(this.path('state', 'token'))
      ? readFileSync(this.path('state', 'token'), 'utf8').trim()
      : ''
    return output.includes(CANARY) || (token !== '' && output.includes(token))
  }

  /** What the ledger says about attempts that it refused. */
  async refusals(): Promise<string[]> {
    const { refused } = await this.json<{ refused: { code: string; by: string }[] }>([
      'approvals',
      '--history',
      '--json',
    ])
    return refused.map(({ code, by }) => `${code} ${by}`)
  }
}

const LOOP = `
while :; do
  for file in in/*.sh; do
    [ -e "$file" ] || continue
    name=\${file%.sh}
    mv "$file" "$name.run"
    timeout 60 sh "$name.run" > "$name.out" 2>&1 < /dev/null
    mv "$name.run" "$name.done"
  done
  sleep 0.05
done
`
