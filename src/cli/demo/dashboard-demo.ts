import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSampleProject } from '../../agents/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { editSettings } from '../../config/index.js'
import { type Daemon, startDaemon } from '../../daemon/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { type Home, openHome } from '../../host/home/index.js'
import { People } from '../../people/index.js'
import { buildTime } from '../../process/index.js'
import type { Page, Run, Session } from '../../server/index.js'
import { FakeBotApi } from '../../telegram/fake/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type SessionInfo, stringEntries } from '../sessions/session-info.js'
import { version } from '../version.js'
import { markAlive, markEnded } from './demo-home.js'
import { AT_A_GATE, DONE_SOON, FAILS, IN_THE_MIDDLE, SCENARIOS } from './demo-script.js'

const READY_MS = 20_000
const DAY_USD = 25
/** Variables of the demo agent; the daemon passes them on to agents of runs. */
const AGENT_VARIABLES = ['SIGNALBOX_DEMO_HOME', 'SIGNALBOX_DEMO_SCENARIO', 'SIGNALBOX_DEMO_SPEED']

export interface DashboardDemoOptions {
  directory: string
  /** The home directory of the person; the demo itself has another. */
  home: string
  /** The port of the interrupted demo that this one resumes; null for a new one. */
  formerPort: number | null
  speed: number
  isJson: boolean
  hasTelegram: boolean
}

interface Seed {
  label: string
  prompt: string
  scenario: string
  project: string
}

/**
 * The whole product with scripted agents, in its own home: agents at work, one that waits, runs in
 * the middle of their graphs. Everything ends with this command. A demo that was killed is resumed
 * at the same address; its agents have kept running.
 */
export async function runDashboardDemo(context: CommandContext, options: DashboardDemoOptions): Promise<number> {
  const scenarios = writeScenarios(join(options.directory, 'scenarios'))
  const projects = {
    shop: await createSampleProject(options.directory, 'shop'),
    timetable: await createSampleProject(options.directory, 'timetable'),
  }
  // The host starts agents with the environment of this process.
  Object.assign(process.env, {
    SIGNALBOX_DEMO_HOME: join(options.directory, 'agent'),
    SIGNALBOX_DEMO_SCENARIO: scenarios('graph-nodes'),
    SIGNALBOX_DEMO_SPEED: String(options.speed),
  })
  const inside = {
    ...context,
    env: { ...process.env, SIGNALBOX_HOME: join(options.directory, 'home'), SIGNALBOX_STORE_URL: '' },
  }
  const home = openHome(inside)
  changeSettings(home, { 'runs.day_usd': DAY_USD, 'oneshot.agent': 'demo' })
  const chat = options.hasTelegram ? await openDemoChat(home, options.directory) : null
  const daemon = await openDaemon(inside, options.formerPort)
  markAlive(options.directory, { port: Number(new URL(daemon.address!).port), home: options.home })
  const ended = new Promise<void>(resolve => {
    // A second Ctrl-C must not end this process before its agents.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
    // Without a terminal (nohup, a container, a service) a hang-up ends nothing.
    process.on('SIGHUP', () => context.isInteractive && resolve())
  })
  const client = await DaemonClient.connect(inside)
  await announce(context, daemon, chat?.page ?? null, options)
  try {
    const ending = new AbortController()
    const seeding = seed(client, inside, { scenarios, projects, speed: options.speed }, ending.signal)
    await Promise.race([ended, seeding.then(() => ended)])
    // Sessions that are starting now must be stopped too.
    ending.abort()
    await seeding
    if (!options.isJson) context.out(context.style('dim', '\nstopping the agents …'))
  } finally {
    await stopAll(client)
    daemon.stop()
    await daemon.stopped
    await chat?.stop()
    markEnded(options.directory)
  }
  return EXIT.ok
}

/** At the former port if it is free. */
async function openDaemon(context: CommandContext, formerPort: number | null): Promise<Daemon> {
  const open = (port: number) =>
    startDaemon({
      env: context.env,
      envPass: AGENT_VARIABLES,
      port,
      isDemo: true,
      isDetached: false,
      clock: systemClock,
      version: version(),
      buildTime: buildTime(),
      log: line => void (context.env.SIGNALBOX_DEBUG && context.note(line)),
    })
  return open(formerPort ?? 0).catch((error: unknown) => {
    if (!(error instanceof SignalboxError && error.code === 'E_PORT')) throw error
    return open(0)
  })
}

function changeSettings({ directories }: Home, changes: Parameters<typeof editSettings>[1]): void {
  mkdirSync(directories.config, { recursive: true, mode: 0o700 })
  editSettings(join(directories.config, 'config.toml'), changes, { version: null, isAtTerminal: true })
}

/** A simulated Telegram on this machine, with one person who is already paired. */
async function openDemoChat(home: Home, directory: string): Promise<{ page: string; stop(): Promise<void> }> {
  const fake = new FakeBotApi()
  const apiRoot = await fake.start()
  const person = fake.person(4711, 'You')
  const tokenFile = join(directory, 'bot-token')
  writeFileSync(tokenFile, fake.token, { mode: 0o600 })
  new People(home.directories.config).pair(person.id, { name: person.name, role: 'owner' })
  changeSettings(home, {
    'telegram.token_file': tokenFile,
    'telegram.api_root': apiRoot,
    'projects.roots': [directory],
  })
  person.say('/start')
  return { page: fake.pageOf(person), stop: () => fake.stop() }
}

async function announce(
  { out, json, style }: CommandContext,
  daemon: Daemon,
  chat: string | null,
  { directory, formerPort, isJson }: DashboardDemoOptions,
): Promise<void> {
  const link = await daemon.link()
  if (isJson)
    return json({ address: daemon.address, link, ...(chat !== null && { chat }), directory, pid: process.pid })
  out(style('bold', 'Signalbox demo') + style('dim', '  scripted agents in real terminals; no key, no network'))
  out('')
  out(`  ${style('bold', link ?? '')}`)
  if (chat !== null) out(`  ${style('bold', chat)}  ${style('dim', 'the chat with the bot')}`)
  out('')
  out(style('dim', 'Open this link (valid once, for 5 minutes). Agents are starting; one will ask you something.'))
  if (formerPort !== null) out(style('dim', 'Resuming your last demo. Use --fresh to start over.'))
  out(style('dim', 'Ctrl-C stops everything. In the terminal only: signalbox demo --terminal'))
}

export function writeScenarios(directory: string): (name: string) => string {
  mkdirSync(directory, { recursive: true })
  const path = (name: string) => join(directory, `${name}.json`)
  for (const [name, scenario] of Object.entries(SCENARIOS)) writeFileSync(path(name), JSON.stringify(scenario, null, 2))
  return path
}

function sessionSeeds({ shop, timetable }: { shop: string; timetable: string }): Seed[] {
  return [
    {
      label: 'Fix the failing test',
      prompt: 'The tests fail. Find out why and fix it.',
      scenario: 'tour',
      project: shop,
    },
    { label: 'Rebuild the timetable', prompt: 'Split the timetable by line.', scenario: 'at-work', project: timetable },
    {
      label: 'Check every signal',
      prompt: 'Check every signal against the plan.',
      scenario: 'leader',
      project: timetable,
    },
    { label: 'Clean up', prompt: 'Is the coverage report right?', scenario: 'cleaner', project: shop },
    { label: 'Plan the night signals', prompt: 'Plan the night signals.', scenario: 'asker', project: timetable },
    { label: 'A first hello', prompt: 'hello', scenario: 'chat', project: timetable },
  ]
}

interface Places {
  scenarios(name: string): string
  projects: { shop: string; timetable: string }
  speed: number
}

/** Starts the sessions and runs that do not exist yet; a resumed demo has most of them. */
export async function seed(
  client: DaemonClient,
  context: CommandContext,
  { scenarios, projects, speed }: Places,
  ending: AbortSignal,
): Promise<void> {
  const env = stringEntries(context.env)
  const { items: sessions } = await client.get<Page<Session>>('/sessions?limit=200')
  const isNew = ({ label }: Seed) => !sessions.some(session => session.label === label)
  const past = { label: 'An ended session', prompt: 'hello', scenario: 'chat', project: projects.shop }
  const finished = isNew(past) ? await startSession(client, env, past, 20) : null
  for (const one of sessionSeeds(projects).filter(isNew)) {
    if (ending.aborted) return
    const scenario = one.scenario in SCENARIOS ? scenarios(one.scenario) : one.scenario
    await startSession(client, env, { ...one, scenario }, speed)
  }
  const { items: runs } = await client.get<Page<Run>>('/runs?limit=200')
  const isNewGraph = (graph: string) => !runs.some(({ title }) => graph.includes(`goal="${title}"`))
  for (const [graph, project] of runSeeds(projects))
    if (isNewGraph(graph) && !ending.aborted) await startRun(client, graph, project)
  if (!finished || ending.aborted) return
  // One session has ended when the person looks: it can be replayed.
  await client.get(`/sessions/${finished.id}/wait?for=idle&timeoutMs=${READY_MS}`)
  await delay(systemClock, 500)
  await client.post(`/sessions/${finished.id}/stop`)
}

function runSeeds({ shop, timetable }: Places['projects']): [graph: string, project: string][] {
  return [
    [IN_THE_MIDDLE, shop],
    [AT_A_GATE, shop],
    [DONE_SOON, timetable],
    [FAILS, timetable],
  ]
}

function startSession(
  client: DaemonClient,
  env: Record<string, string>,
  { label, prompt, scenario, project }: Seed,
  speed: number,
): Promise<SessionInfo> {
  return client.post<Session>('/sessions', {
    agent: 'demo',
    args: ['--scenario', scenario, '--speed', String(speed)],
    cwd: project,
    env,
    size: { cols: 110, rows: 36 },
    label,
    prompt,
  })
}

/**
 * The graphs are part of the demo, so it names their hash, as a person would after inspecting them.
 */
export async function startRun(
  client: DaemonClient,
  graph: string,
  project: string,
  placement?: object,
): Promise<void> {
  const request = { graph, project, agent: 'demo', ...(placement && { placement }) }
  try {
    await client.post('/runs', request)
  } catch (error) {
    const hash = (error as SignalboxError).details?.hash
    if (!(error instanceof SignalboxError) || error.code !== 'E_UNTRUSTED' || typeof hash !== 'string') throw error
    await client.post('/runs', { ...request, trust: hash })
  }
}

export async function stopAll(client: DaemonClient): Promise<void> {
  const { items: runs } = await client
    .get<Page<Run>>('/runs?limit=200&status=running&status=waiting&status=queued&status=paused')
    .catch(() => ({ items: [] }))
  await Promise.allSettled(runs.map(({ id }) => client.post(`/runs/${id}/cancel`)))
  const { items: sessions } = await client
    .get<Page<Session>>('/sessions?limit=200&state=live&state=starting')
    .catch(() => ({ items: [] }))
  await Promise.allSettled(sessions.map(({ id }) => client.post(`/sessions/${id}/stop`)))
}
