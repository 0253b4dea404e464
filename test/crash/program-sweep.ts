import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEDGER_STREAMS, ledgerProjections } from '../../src/approvals/index.js'
import { systemClock } from '../../src/clock/index.js'
import { runsProjection } from '../../src/engine/index.js'
import { openStore, type StoredEvent } from '../../src/store/index.js'
import { GraphHome } from '../e2e/graph-home.js'
import { type SessionInfo, waitFor } from '../e2e/harness.js'
import type { Loss } from './sweep.js'

/*
 * The crash sweep over the whole program: the daemon with a session, and the commands that drive
 * runs, each killed right before an event becomes durable (the sync of the store). The next command
 * continues, as a person would. Invariants: docs/guarantees.md.
 */

export const PROGRAM_KINDS = ['session', 'oneshot', 'graph', 'pipeline'] as const
export type ProgramKind = (typeof PROGRAM_KINDS)[number]

/** Where the process dies: at which event, or at which call that changes a file; 0 is nowhere. */
interface ProgramCrash {
  at: number
  isCalls: boolean
  loss: Loss
}

/**
 * A trial with its own home. @returns how many events became durable, or calls were made, in the
 * process that was to die.
 */
export async function programTrial(
  kind: ProgramKind,
  shim: string,
  { at, isCalls, loss }: ProgramCrash,
): Promise<number> {
  const home = new GraphHome()
  const countFile = join(home.directory, 'count')
  const crash = {
    LD_PRELOAD: shim,
    CRASH_DIR: home.path('data'),
    CRASH_AT: String(at),
    ...(!isCalls && { CRASH_SYNCS: '1' }),
    CRASH_LOSE: loss,
    CRASH_SEED: String(at * 2654435761 + 1),
    CRASH_COUNT: countFile,
    SIGNALBOX_DEMO_SPEED: '0',
    SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'),
  }
  try {
    await (kind === 'session' ? playSession(home, crash) : playRun(kind, home, crash))
    await checkStore(home, kind)
    return existsSync(countFile) ? Number(readFileSync(countFile, 'utf8')) : 0
  } catch (error) {
    throw new Error(
      `${kind}, killed before ${isCalls ? 'call' : 'sync'} ${at}, losing ${loss}: ${(error as Error).message}`,
      { cause: error },
    )
  } finally {
    await home.close()
  }
}

/**
 * The daemon owns a session whose agent asks twice: the first request is allowed, the second
 * denied.
 */
async function playSession(home: GraphHome, crash: Record<string, string>): Promise<void> {
  const ran = join(home.work, 'ran.txt')
  const tool = (name: string) => ({
    tool: { name: 'Shell', kind: 'shell', command: `echo ${name} >> ${ran}`, permission: true, onDeny: 'continue' },
  })
  const scenario = join(home.directory, 'asks.json')
  writeFileSync(
    scenario,
    JSON.stringify({ name: 'asks', turns: [], otherwise: { steps: [tool('first'), tool('second')] } }),
  )
  const daemon = home.start(['serve', '--port', '0', '--json'], { env: crash })
  const ended = new Promise(resolve => daemon.once('exit', resolve))
  // A command would start another daemon if this one did not answer yet.
  await Promise.race([ended, new Promise(resolve => daemon.stdout!.once('data', resolve))])
  const tolerant = (args: string[], env = {}) => home.run(args, { env }).catch(() => null)
  const sessions = async () =>
    JSON.parse((await tolerant(['sessions', '--json']))?.stdout || '[]') as (SessionInfo & { idle?: boolean })[]
  const session = await waitFor('a session', async () => {
    const [live] = await sessions()
    if (!live)
      await tolerant(['start', 'demo', '--json', '--', '--speed', '0', '--scenario', scenario], {
        SIGNALBOX_DEMO_HOME: crash.SIGNALBOX_DEMO_HOME!,
      })
    return live
  })
  await waitFor(
    'the agent to be idle',
    async () => (await tolerant(['wait', session.id, '--for', 'idle', '--timeout', '20']))?.code === 0,
  )
  // A person who is told that a prompt was not delivered looks at the conversation, and sends it
  // again if it is not there.
  let sent = await tolerant(['send', session.id, 'go'])
  await waitFor('both requests to be decided', async () => {
    const list = JSON.parse((await tolerant(['approvals', '--all', '--json']))?.stdout || '[]') as {
      id: string
      state: string
      fingerprint: string
      request: { text?: string; input?: { command?: string } }
    }[]
    for (const one of list.filter(({ state }) => state === 'pending')) {
      const isFirst = JSON.stringify(one.request).includes('echo first')
      await tolerant(isFirst ? ['approve', one.id, '--fingerprint', one.fingerprint] : ['deny', one.id])
    }
    const isOpen = list.some(({ state }) => state === 'pending' || state === 'decided')
    const [live] = await sessions()
    if (sent?.code !== 0 && live?.idle && prompts(crash.SIGNALBOX_DEMO_HOME!) === 0)
      sent = await tolerant(['send', session.id, 'go'])
    return list.length >= 2 && !isOpen && live?.idle === true
  })
  const got = prompts(crash.SIGNALBOX_DEMO_HOME!)
  if (got !== 1) throw new Error(`one prompt was sent; the agent got ${got}`)
  const lines = existsSync(ran) ? readFileSync(ran, 'utf8') : ''
  if (lines !== 'first\n') throw new Error(`allowed once: first, denied: second; it ran ${JSON.stringify(lines)}`)
  await tolerant(['serve', '--stop'])
  await ended
}

/** How many prompts the agent got, by its own transcript. */
function prompts(demoHome: string): number {
  const directory = join(demoHome, 'sessions')
  const files = existsSync(directory) ? readdirSync(directory).filter(name => name.endsWith('.jsonl')) : []
  return files
    .flatMap(name => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean))
    .filter(line => line.startsWith('{"type":"user"')).length
}

const COMMANDS = {
  oneshot: ['oneshot', 'Note the task', '--agent', 'demo'],
  graph: ['run', 'flow.dot', '--auto-approve'],
  pipeline: ['implement', 'issue.md', '--agent', 'demo', '--auto-approve'],
} as const

/** A command drives the run; if it dies, the run is resumed, or started again if there is none. */
async function playRun(kind: Exclude<ProgramKind, 'session'>, home: GraphHome, crash: Record<string, string>) {
  home.write('issue.md', 'Add a farewell to the README\n')
  home.graph(
    'a [shape=parallelogram, tool_command="echo a"]; g [shape=hexagon, label="Ship?"]; b [shape=parallelogram, tool_command="echo b"]; start -> a -> g; g -> b [label="[Y] Yes"]; g -> a [label="[N] No"]; b -> exit',
  )
  home.commit('flow')
  const env = { SIGNALBOX_DEMO_SPEED: '0', SIGNALBOX_DEMO_HOME: join(home.directory, 'demo') }
  const args = [...COMMANDS[kind], ...(kind === 'graph' ? await home.trust('flow.dot') : [])]
  const runs = async () =>
    JSON.parse((await home.run(['runs', '--json'])).stdout || '[]') as { id: string; status: string }[]
  // The process of the command is the one that dies.
  const first = await home.finish(closed(home, args, crash))
  for (let tries = 0; ; tries++) {
    const all = await runs()
    if (all.length > 1) throw new Error(`there are ${all.length} runs`)
    if (all[0]?.status === 'completed') return
    if (tries === 5) throw new Error(`the run is ${all[0]?.status}: ${first.stderr}`)
    const next = all[0] ? ['resume', all[0].id] : args
    await home.finish(closed(home, next, env))
  }
}

function closed(home: GraphHome, args: readonly string[], env: Record<string, string>) {
  const child = home.start(args, { env })
  child.stdin!.end()
  return child
}

async function checkStore(home: GraphHome, kind: ProgramKind): Promise<void> {
  const store = await openStore({
    path: home.path('data', 'signalbox.db'),
    clock: systemClock,
    projections: [runsProjection, ...ledgerProjections] as never,
    chained: LEDGER_STREAMS,
  })
  let log: StoredEvent[]
  try {
    const problems = [...(await store.check()), ...(await store.checkChain())]
    if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('; '))
    log = await store.readAll({ after: 0, limit: 100_000 })
  } finally {
    await store.close()
  }
  const once = (what: string, names: string[]) => {
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) throw new Error(`${what} twice: ${twice.join(', ')}`)
  }
  const of = (type: string, field: string) =>
    log
      .filter(event => event.type === type)
      .map(({ stream, data }) => `${stream} ${(data as Record<string, string>)[field]}`)
  // An answer whose proof died with a process is refused, and the gate is asked again.
  const refusals = of('gate.refused', 'gate')
  const ofGates = (type: string) =>
    of(type, 'gate').filter((gate, index, all) => {
      const earlier = all.slice(0, index).filter(one => one === gate).length
      return earlier === 0 || earlier > refusals.filter(one => one === gate).length
    })
  once('ended', of('step.ended', 'step'))
  once('a gate opened', ofGates('gate.opened'))
  once('a gate answered', ofGates('gate.answered'))
  once(
    'completed',
    log.filter(({ type }) => type === 'run.completed').map(({ stream }) => stream),
  )
  once(
    'decided',
    log.filter(({ type }) => type === 'approval.decided').map(({ stream }) => stream),
  )
  once(
    'applied',
    log.filter(({ type }) => type === 'approval.applied').map(({ stream }) => stream),
  )
  if (kind === 'pipeline') once('committed', home.git('log', '--all', '--format=%s').split('\n').filter(Boolean))
}
