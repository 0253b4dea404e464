import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { buildTime, ownProgram, runCommand } from '../../process/index.js'
import type { Page, Run, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type Home, openHome } from '../home.js'
import { serverExtras } from '../serve/server-extras.js'
import { serverSettings } from '../serve/server-settings.js'
import { editSettings } from '../serve/settings-edit.js'
import { telegramSurface } from '../serve/telegram-surface.js'
import type { SessionInfo } from '../sessions/session-info.js'
import { version } from '../version.js'
import { openDemoChat } from './demo-chat.js'
import { markAlive, markEnded } from './demo-home.js'
import { AT_A_GATE, DONE_SOON, FAILS, IN_THE_MIDDLE, SCENARIOS } from './live-script.js'

const READY_MS = 20_000
const DAY_USD = 0.5

interface Seed {
  label: string
  prompt: string
  scenario: string
  project: string
}

/**
 * The whole product, alive, in a home of its own: agents at work, one that waits, runs in the middle of their graphs. It ends with this
 * command, and takes its agents with it. One that was killed goes on where it was, at the same address (`formerPort`): its agents have
 * run on meanwhile.
 */
export async function runLiveDemo(
  context: CommandContext,
  options: { directory: string; formerPort: number | null; speed: number; isJson: boolean; hasTelegram: boolean },
): Promise<number> {
  const agentHome = join(options.directory, 'agent')
  const scenarios = writeScenarios(join(options.directory, 'scenarios'))
  const projects = await makeProjects(options.directory)
  // Runs hand these on to their agents; nothing of them leaves this process.
  process.env.SIGNALBOX_DEMO_HOME = agentHome
  process.env.SIGNALBOX_DEMO_SCENARIO = scenarios('crew')
  process.env.SIGNALBOX_DEMO_SPEED = String(options.speed)
  const inside = { ...context, env: { ...process.env, SIGNALBOX_HOME: join(options.directory, 'home') } }
  writeSettings(openHome(inside))
  const chat = options.hasTelegram ? await openDemoChat(openHome(inside), options.directory) : null
  const home = openHome(inside)
  const log = (line: string) => void (context.env.SIGNALBOX_DEBUG && context.note(line))
  const telegram = telegramSurface(inside, home, log)
  const { startDaemon } = await import('../../server/index.js')
  const passed = ['SIGNALBOX_DEMO_HOME', 'SIGNALBOX_DEMO_SCENARIO', 'SIGNALBOX_DEMO_SPEED']
  const open = (port: number) =>
    startDaemon({
      settings: { ...home.settings, envPass: [...home.settings.envPass, ...passed] },
      server: { ...serverSettings(home.loaded.config, home.directories, { port }), isDemo: true },
      extras: { ...serverExtras(inside, home), ...telegram.extras, agent: 'demo' },
      surface: parts => telegram.open(parts),
      isDetached: false,
      clock: systemClock,
      version: version(),
      buildTime: buildTime(),
      log,
    })
  const daemon = await open(options.formerPort ?? 0).catch((error: unknown) => {
    if (!(error instanceof SignalboxError && error.code === 'E_PORT')) throw error
    return open(0)
  })
  markAlive(options.directory, Number(new URL(daemon.address!).port))
  const end = new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
  const client = await DaemonClient.connect(inside)
  const link = daemon.link()
  if (options.isJson)
    context.json({
      address: daemon.address,
      link,
      ...(chat && { chat: chat.page }),
      directory: options.directory,
      pid: process.pid,
    })
  else tell(context, { link: link ?? '', chat: chat?.page ?? null, isContinued: options.formerPort !== null })
  try {
    const seeds = sessionSeeds(projects)
    const ending = new AbortController()
    const seeded = seed(client, inside, seeds, { scenarios, projects, agentHome, speed: options.speed }, ending.signal)
    await Promise.race([end, seeded.then(() => end)])
    // What is being started now is there to be ended, too.
    ending.abort()
    await seeded
    if (!options.isJson) context.out(context.style('dim', '\nending the agents …'))
  } finally {
    await endAll(client)
    daemon.stop()
    await daemon.stopped
    await chat?.stop()
    markEnded(options.directory)
  }
  return EXIT.ok
}

/** A budget, so that there is one to see, beyond what the scripted agents pretend to spend. */
function writeSettings({ directories }: Home): void {
  mkdirSync(directories.config, { recursive: true, mode: 0o700 })
  const changes = { 'runs.day_usd': DAY_USD }
  editSettings(join(directories.config, 'config.toml'), changes, { version: null, isAtTerminal: true })
}

function tell(
  { out, style }: CommandContext,
  { link, chat, isContinued }: { link: string; chat: string | null; isContinued: boolean },
): void {
  out(style('bold', 'Signalbox demo') + style('dim', '  scripted agents in real terminals; no key, no network'))
  out('')
  out(`  ${style('bold', link)}`)
  if (chat !== null) out(`  ${style('bold', chat)}  ${style('dim', 'the bot’s chat')}`)
  out('')
  out(style('dim', 'Open the link: it works once, for five minutes. Agents are starting; one of them will need you.'))
  if (isContinued) out(style('dim', 'This is the demo that was cut off, and it goes on; --fresh begins a new one.'))
  out(style('dim', 'Ctrl-C ends everything. In the terminal alone: signalbox demo --terminal'))
}

function writeScenarios(directory: string): (name: string) => string {
  mkdirSync(directory, { recursive: true })
  const path = (name: string) => join(directory, `${name}.json`)
  for (const [name, scenario] of Object.entries(SCENARIOS)) writeFileSync(path(name), JSON.stringify(scenario, null, 2))
  return path
}

async function makeProjects(directory: string): Promise<{ shop: string; timetable: string }> {
  const make = async (name: string) => {
    const path = join(directory, name)
    if (existsSync(path)) return path
    mkdirSync(path)
    const made = await runCommand(process.execPath, [ownProgram('demo-agent/main'), '--sample-project', path], {
      cwd: directory,
    })
    if (made.code !== 0)
      throw new SignalboxError('E_DEMO', `the sample project could not be made: ${made.stderr.trim()}`)
    return path
  }
  return { shop: await make('shop'), timetable: await make('timetable') }
}

function sessionSeeds({ shop, timetable }: { shop: string; timetable: string }): Seed[] {
  return [
    {
      label: 'fix the failing test',
      prompt: 'The tests fail. Find out why and fix it.',
      scenario: 'tour',
      project: shop,
    },
    { label: 'rebuild the timetable', prompt: 'Split the timetable by line.', scenario: 'at-work', project: timetable },
    {
      label: 'check every signal',
      prompt: 'Check every signal against the plan.',
      scenario: 'leader',
      project: timetable,
    },
    { label: 'clean up', prompt: 'Is the coverage report right?', scenario: 'cleaner', project: shop },
    { label: 'night signals', prompt: 'Plan the night signals.', scenario: 'asker', project: timetable },
    { label: 'a word about parsers', prompt: 'hello', scenario: 'chat', project: timetable },
  ]
}

interface Places {
  scenarios(name: string): string
  projects: { shop: string; timetable: string }
  agentHome: string
  speed: number
}

/** Starts what is not there yet: a demo that goes on has most of it, or all. */
async function seed(
  client: DaemonClient,
  context: CommandContext,
  seeds: Seed[],
  places: Places,
  ending: AbortSignal,
): Promise<void> {
  const { scenarios, projects, speed } = places
  const env = Object.fromEntries(
    Object.entries(context.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const { items: sessions } = await client.get<Page<Session>>('/sessions?limit=200')
  const isNew = ({ label }: Seed) => !sessions.some(session => session.label === label)
  const past = { label: 'yesterday’s question', prompt: 'hello', scenario: 'chat', project: projects.shop }
  const over = isNew(past) ? await start(client, env, past, 20) : null
  for (const one of seeds.filter(isNew)) {
    if (ending.aborted) return
    const scenario = one.scenario in SCENARIOS ? scenarios(one.scenario) : one.scenario
    await start(client, env, { ...one, scenario }, speed)
  }
  const { items: runs } = await client.get<Page<Run>>('/runs?limit=200')
  const isNewGraph = (graph: string) => !runs.some(({ title }) => graph.includes(`goal="${title}"`))
  for (const [graph, project] of runSeeds(projects))
    if (isNewGraph(graph) && !ending.aborted) await startRun(client, graph, project)
  if (!over || ending.aborted) return
  // One session is over when the person comes: there is something to replay.
  await client.get(`/sessions/${over.id}/wait?for=idle&timeoutMs=${READY_MS}`)
  await delay(systemClock, 500)
  await client.post(`/sessions/${over.id}/stop`)
}

function runSeeds({ shop, timetable }: Places['projects']): [graph: string, project: string][] {
  return [
    [IN_THE_MIDDLE, shop],
    [AT_A_GATE, shop],
    [DONE_SOON, timetable],
    [FAILS, timetable],
  ]
}

function start(client: DaemonClient, env: Record<string, string>, wish: Seed, speed: number): Promise<SessionInfo> {
  return client.post<Session>('/sessions', {
    agent: 'demo',
    args: ['--scenario', wish.scenario, '--speed', String(speed)],
    cwd: wish.project,
    env,
    size: { cols: 110, rows: 36 },
    label: wish.label,
    prompt: wish.prompt,
  })
}

/** The graphs are our own: what is to be trusted is named, as a person would after having looked. */
async function startRun(client: DaemonClient, graph: string, project: string): Promise<void> {
  const wish = { graph, project, agent: 'demo' }
  try {
    await client.post('/runs', wish)
  } catch (error) {
    const hash = (error as SignalboxError).details?.hash
    if (!(error instanceof SignalboxError) || error.code !== 'E_UNTRUSTED' || typeof hash !== 'string') throw error
    await client.post('/runs', { ...wish, trust: hash })
  }
}

async function endAll(client: DaemonClient): Promise<void> {
  const { items: runs } = await client
    .get<Page<Run>>('/runs?limit=200&status=running&status=waiting&status=queued&status=paused')
    .catch(() => ({ items: [] }))
  await Promise.allSettled(runs.map(({ id }) => client.post(`/runs/${id}/cancel`)))
  const { items: sessions } = await client
    .get<Page<Session>>('/sessions?limit=200&state=live&state=starting')
    .catch(() => ({ items: [] }))
  await Promise.allSettled(sessions.map(({ id }) => client.post(`/sessions/${id}/stop`)))
}
