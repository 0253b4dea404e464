import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { CLI, type RunOptions, type SessionInfo, TestHome, waitFor } from '../../e2e/harness.js'
import type { Loose } from '../../server/support.js'
import { compiledChild } from '../../support/compiled.js'
import type { Attack } from './attack.js'
import { ATTACKS } from './attacks.js'
import { HELPERS } from './helpers.js'

/** Root may do everything, so a test that runs as root plays this user: nobody. */
const USER = 65_534
const isRoot = process.getuid?.() === 0
const AS_USER = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []

/** Text that only the victim's session, or the files of the user, contain. */
const AUTHOR = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.org']
const CANARY = 'canary-7f3a9c'
/** In a file that only a link leads to. */
const LINKED = 'linked-51c2e8'

export interface Outcome {
  /** The attack reached its goal. */
  succeeded: boolean
  /** What it printed, and what was left. */
  evidence: string
}

/**
 * A home with two sessions: the victim, whose request waits for a decision, and a hostile program,
 * which runs each script that it gets, several at a time. The victim's request is looked at after
 * each attack; if it is no longer pending, every attack that ran since the last look is blamed.
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
  #session = ''
  #isSandboxed = false
  /** Names of scripts for the hostile program: a pipe. */
  #jobs: number | null = null
  #isDecided = false

  override get env(): Record<string, string> {
    // The shell of `nobody` ends at once, and a tmux server with it.
    return { ...super.env, HOME: this.person, USER: 'attacked', SHELL: '/bin/sh', SIGNALBOX_TRACEABLE: '' }
  }

  override start(args: readonly string[], options: RunOptions = {}) {
    return super.start(args, { through: AS_USER, ...options })
  }

  /** `options`: those of `start` for the hostile session. */
  async prepare(options: readonly string[] = []): Promise<void> {
    for (const path of [this.person, join(this.person, '.ssh'), this.path('config'), this.hostile])
      mkdirSync(path, { recursive: true, mode: 0o700 })
    writeFileSync(join(this.person, '.ssh', 'id_ed25519'), `PRIVATE ${CANARY}\n`, { mode: 0o600 })
    writeFileSync(join(this.person, '.netrc'), `machine example.com password ${CANARY}\n`, { mode: 0o600 })
    writeFileSync(join(this.person, '.pgpass'), `${LINKED}\n`, { mode: 0o600 })
    this.#settings = 'server.port = 0\nmcp.decide_as = "local"\n'
    writeFileSync(this.path('config', 'config.toml'), this.#settings, { mode: 0o600 })
    const asks = { tool: { name: 'Shell', kind: 'shell', command: `echo ${CANARY}`, permission: true } }
    writeFileSync(
      join(this.work, 'asks.json'),
      JSON.stringify({ name: 'asks', turns: [], otherwise: { steps: [asks, { say: { markdown: 'Done.' } }] } }),
    )
    writeFileSync(join(this.work, 'gate.dot'), GATE)
    writeFileSync(join(this.hostile, 'loop.sh'), LOOP)
    for (const [name, text] of Object.entries(HELPERS)) writeFileSync(join(this.hostile, name), text)
    writeFileSync(join(this.directory, 'shared-tmp'), `${CANARY}\n`)
    spawnSync('mkfifo', [join(this.hostile, 'jobs')])
    for (const args of [
      ['init', '-q'],
      ['add', 'loop.sh'],
      [...AUTHOR, 'commit', '-qm', 'first'],
    ])
      spawnSync('git', args, { cwd: this.hostile, env: this.env })
    // The dashboard starts git for each new file: only the files of these attacks are shown there.
    writeFileSync(join(this.hostile, '.git', 'info', 'exclude'), '/*/\n!/git-*/\n!/link-shown/\n*.py\n')
    if (isRoot) {
      spawnSync('chown', ['-R', `${USER}:${USER}`, this.directory])
      chmodSync(this.directory, 0o755)
    }
    const victim = await this.startDemo(['--scenario', join(this.work, 'asks.json'), '--speed', '0'])
    await this.run(['send', victim.id, `say ${CANARY}`, '--wait', '--timeout', '60'])
    this.#asked = await waitFor('the request of the victim', async () =>
      (await this.json<Loose[]>(['approvals', '--json'])).find(({ state }) => state === 'pending'),
    )
    const gate = await this.#startRun()
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
      RUN: gate.subject.run,
      GATE: gate.id,
      GATE_NAME: gate.source.requestKey,
      GATE_FINGERPRINT: gate.fingerprint,
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
    this.#isSandboxed = options.length > 0
    const started = ['start', '--json', ...options, '--', 'sh', 'loop.sh']
    this.#session = (await this.json<SessionInfo>(started, { cwd: this.hostile })).id
    this.#jobs = openSync(join(this.hostile, 'jobs'), 'r+')
  }

  /** A run that waits at a gate, driven by the daemon. */
  async #startRun(): Promise<Loose> {
    const [, hash] = /--trust (\w+)/.exec((await this.run(['run', 'gate.dot', '--detach'])).stderr)!
    await this.ok(['run', 'gate.dot', '--detach', '--trust', hash!])
    return waitFor('the gate of the run', async () =>
      (await this.json<Loose[]>(['approvals', '--json'])).find(({ source }) => source.channel === 'run'),
    )
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
    if (this.#jobs !== null) closeSync(this.#jobs)
    this.#agent?.close()
    this.#client?.kill()
    await super.close()
  }

  get hostile(): string {
    return join(this.directory, 'hostile')
  }

  /**
   * Tries all attacks for which the machine has the programs. Those of one lane share something
   * that one attack at a time may change.
   */
  async attackAll(isPossible: (attack: Attack) => boolean): Promise<Map<string, Outcome>> {
    const found = new Map<string, Outcome>()
    const possible = ATTACKS.filter(isPossible)
    const walk = async (attacks: Iterable<Attack>) => {
      for (const attack of attacks) found.set(attack.id, await this.#attempt(attack))
    }
    const inLane = (lane: string) => possible.filter(attack => laneOf(attack) === lane)
    // Two lanes take turns in one list.
    const others = inLane('any').values()
    await Promise.all([walk(inLane('tmux')), walk(others), walk(others)])
    await walk(inLane('last'))
    return new Map(ATTACKS.flatMap(({ id }) => (found.has(id) ? [[id, found.get(id)!]] : [])))
  }

  /** Whether the script of an attack reaches its goal in a shell of the person. */
  async succeedsForPerson({ script, goal }: Attack): Promise<boolean> {
    const [file, ...args] = [...AS_USER, 'sh', '-c', this.#withFacts(script)]
    const { stdout } = spawnSync(file!, args, { cwd: this.work, env: this.env, encoding: 'utf8' })
    return this.#hasReached(goal, stdout)
  }

  #withFacts(script: string): string {
    const facts = Object.entries(this.#facts).map(([key, value]) => `${key}='${value}'\n`)
    return `${facts.join('')}${script}\n`
  }

  async #attempt({ id, script, goal }: Attack): Promise<Outcome> {
    const directory = join(this.hostile, id)
    mkdirSync(directory)
    writeFileSync(join(directory, 'attack.sh'), this.#withFacts(script))
    if (isRoot) chownSync(directory, USER, USER)
    writeSync(this.#jobs!, `${id}\n`)
    await waitFor(`the attack ${id}: ${script}`, () => existsSync(join(directory, 'done')))
    const output = readFileSync(join(directory, 'out'), 'utf8')
    return { succeeded: await this.#hasReached(goal, output), evidence: output.trim().slice(-300) }
  }

  async #hasReached(goal: Attack['goal'], output: string): Promise<boolean> {
    if (goal === 'read' || goal === 'token' || goal === 'escape')
      return output.includes('REACHED') || this.#leaks(output)
    if (goal === 'later') return this.#hasRunLater()
    if (goal === 'shown') return (await this.#changes()).includes(LINKED)
    if (goal === 'write') return ['.bashrc', '.claude'].some(name => existsSync(join(this.person, name)))
    if (goal === 'settings') return readFileSync(this.path('config', 'config.toml'), 'utf8') !== this.#settings
    if (goal === 'gate') return this.#hasPassedGate()
    this.#isDecided ||= await this.#hasDecision()
    return this.#isDecided
  }

  /** The person compares files in the project, and looks at the changes in the dashboard. */
  async #hasRunLater(): Promise<boolean> {
    await this.#changes()
    const [file, ...args] = [...AS_USER, 'git', 'status', '--ignore-submodules=dirty']
    spawnSync(file!, args, { cwd: this.hostile, env: this.env })
    const ran = join(this.person, 'ran')
    const hasRun = existsSync(ran)
    rmSync(ran, { force: true })
    this.#restoreRepository()
    return hasRun
  }

  /** Without a sandbox an attack changes the repository for the next one. */
  #restoreRepository(): void {
    const at = (...parts: string[]) => join(this.hostile, ...parts)
    if (existsSync(at('was-git'))) {
      rmSync(at('.git'), { recursive: true })
      renameSync(at('was-git'), at('.git'))
    }
    for (const name of ['.git/hooks', '.git/commondir', '.gitattributes'])
      if (!this.#isSandboxed) rmSync(at(name), { recursive: true, force: true })
    for (const key of ['filter.x.clean', 'core.fsmonitor'])
      spawnSync('git', ['config', '-f', at('.git', 'config'), '--unset', key])
  }

  /** What the dashboard shows of the hostile session. */
  async #changes(): Promise<string> {
    const token = readFileSync(this.path('state', 'token'), 'utf8').trim()
    const get = async (path: string) =>
      (
        await fetch(`${this.#facts.ADDRESS}/api/v1/sessions/${this.#session}/${path}`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).text()
    const paths = ['git', 'diff', 'tree', 'files?path=link-shown/notes.txt', 'files?path=link-shown/folder/.pgpass']
    return (await Promise.all(paths.map(get))).join('\n')
  }

  /** The node behind the gate writes a file. */
  #hasPassedGate(): boolean {
    return existsSync(join(this.work, 'passed'))
  }

  /** Whether the victim's request was decided, and the decision took effect. */
  async #hasDecision(): Promise<boolean> {
    const { state, outcome } = (await this.#record()) ?? (await this.#restarted())
    if (state === 'pending') return false
    // A decision that the host did not deliver has not decided anything.
    return !(state === 'stale' && outcome?.reason === 'unproven')
  }

  /** Asked of the daemon directly: a command line for each attack would take most of the time. */
  async #record(): Promise<Loose | null> {
    const token = readFileSync(this.path('state', 'token'), 'utf8').trim()
    const answer = await fetch(`${this.#facts.ADDRESS}/api/v1/approvals/${this.#asked.id}`, {
      headers: { authorization: `Bearer ${token}` },
    }).catch(() => null)
    return answer?.ok ? ((await answer.json()) as Loose) : null
  }

  /** After an attack has killed the daemon: the next command of the person starts another one. */
  async #restarted(): Promise<Loose> {
    const records = await this.json<Loose[]>(['approvals', '--all', '--json'])
    const server = JSON.parse(readFileSync(this.path('run', 'server.json'), 'utf8')) as Loose
    this.#facts = { ...this.#facts, ADDRESS: String(server.address ?? server.url), DAEMON_PID: String(this.daemon) }
    return records.find(({ id }) => id === this.#asked.id)!
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

const GATE = `digraph ship {
  start [shape=Mdiamond]; exit [shape=Msquare]
  ask [shape=hexagon, label="Ship it?"]; ship [shape=parallelogram, tool_command="touch passed"]
  start -> ask; ask -> ship [label="[A] Approve"]; ask -> exit [label="[R] Reject"]; ship -> exit
}`

const LOOP = `
attack() {
  cd "$1"
  ln -s ../*.py .
  timeout 60 sh attack.sh > out 2>&1 < /dev/null
  : > done
}
while read -r name; do attack "$name" & done < jobs
`

/** The person's tmux can be attacked in one way at a time; some attacks end what others need. */
function laneOf({ isLast = false, needs }: Attack): 'tmux' | 'any' | 'last' {
  if (isLast) return 'last'
  return needs === 'tmux' ? 'tmux' : 'any'
}
