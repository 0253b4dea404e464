import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApprovalRecord, requestFromReport } from '../../src/approvals/index.js'
import { systemClock } from '../../src/clock/index.js'
import { runStarters, serverSettings } from '../../src/daemon/index.js'
import type { RunHost } from '../../src/engine/index.js'
import { openHome } from '../../src/host/home/index.js'
import { Host } from '../../src/host/index.js'
import { Keeper } from '../../src/keeper/index.js'
import { People, type PersonRole } from '../../src/people/index.js'
import { createRunHost } from '../../src/runs/index.js'
import { ApiServer } from '../../src/server/index.js'
import type { StoredEvent } from '../../src/store/index.js'
import { FakeBotApi, type FakeMessage, type FakePerson } from '../../src/telegram/fake/index.js'
import { openBotApi, Telegram, type TelegramOptions, type TelegramPorts } from '../../src/telegram/index.js'
import { silentContext } from '../support/silent-context.js'

/** A limit for hangs only. */
const PATIENCE_MS = 90_000

export const FAST = { privatePerS: 1000, privateBurst: 1000, groupPerMin: 60_000, allPerS: 1000 }

/**
 * A host with a bot on a temporary home, and the fake Telegram server, in this process, with real
 * sockets and terminals.
 */
export class TestBot {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-telegram-')))
  readonly work = join(this.directory, 'shop')
  fake = new FakeBotApi({ rates: FAST })
  readonly errors: string[] = []
  /** Everything that was written to terminals, write by write. */
  readonly written: string[] = []
  host!: Host
  people!: People
  bot!: Telegram
  api!: ApiServer
  runs!: RunHost
  readonly ports: TelegramPorts = { agents: ['demo'], roots: [this.directory] }
  #keeper!: Keeper
  #options: Partial<TelegramOptions> = {}

  static async start(
    options: Omit<Partial<TelegramOptions>, 'people'> & {
      scenario?: unknown
      fake?: FakeBotApi
      people?: readonly [number, string, PersonRole][]
    } = {},
  ): Promise<TestBot> {
    const { scenario, fake, people = [[4711, 'Ann', 'owner']], ...rest } = options
    const test = new TestBot()
    if (fake) test.fake = fake
    mkdirSync(test.work)
    test.#options = rest
    await test.fake.start()
    const home = test.#home()
    if (scenario !== undefined) writeFileSync(test.scenarioFile, JSON.stringify(scenario))
    test.people = new People(home.directories.config)
    for (const [id, name, role] of people) test.people.pair(id, { name, role })
    test.#keeper = new Keeper(systemClock)
    const write = test.#keeper.write.bind(test.#keeper)
    test.#keeper.write = (id, bytes) => {
      test.written.push(Buffer.from(bytes).toString('utf8'))
      return write(id, bytes)
    }
    await test.openHost()
    await test.openBot()
    return test
  }

  get scenarioFile(): string {
    return join(this.directory, 'scenario.json')
  }

  get context() {
    return silentContext(this.directory, this.work)
  }

  #home() {
    return openHome(this.context)
  }

  async openHost(): Promise<void> {
    const onError = (error: unknown) =>
      void this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    process.env.SIGNALBOX_DEMO_HOME = join(this.directory, 'agent')
    process.env.SIGNALBOX_DEMO_SCENARIO = this.scenarioFile
    process.env.SIGNALBOX_DEMO_SPEED = '20'
    this.host = await Host.open({
      settings: {
        ...this.#home().settings,
        envPass: ['SIGNALBOX_DEMO_HOME', 'SIGNALBOX_DEMO_SCENARIO', 'SIGNALBOX_DEMO_SPEED'],
      },
      clock: systemClock,
      keeper: this.#keeper,
      owner: 'daemon',
      version: '0.0.0',
      onError,
    })
    const home = this.#home()
    this.runs = createRunHost({
      store: this.host.store,
      ledger: this.host.ledger,
      clock: systemClock,
      dataDirectory: home.settings.dataDirectory,
      envPass: ['SIGNALBOX_DEMO_HOME', 'SIGNALBOX_DEMO_SPEED'],
      env: { ...this.context.env, SIGNALBOX_DEMO_HOME: join(this.directory, 'agent'), SIGNALBOX_DEMO_SPEED: '0' },
      isInteractive: false,
      maxRuns: 4,
      onError,
    })
    await this.runs.start()
    Object.assign(this.ports, runStarters({ home, env: this.context.env, host: this.host }))
    this.api = await ApiServer.open({
      host: this.host,
      runs: this.runs,
      settings: serverSettings(home.loaded.config, home.directories),
      env: this.context.env,
      clock: systemClock,
      version: '0.0.0',
      stop: () => undefined,
      log: () => undefined,
    })
    // Hooks of agents report here.
    await this.api.listenOnSocket(home.settings.daemonSocket)
  }

  /** A new bot over the same host, as after a restart. */
  async openBot(options: Partial<TelegramOptions> = {}): Promise<void> {
    const bot = new Telegram({
      host: this.host,
      api: openBotApi({ token: this.fake.token, apiRoot: this.fake.apiRoot }),
      people: this.people,
      clock: systemClock,
      owner: 'test',
      settings: { groups: [], groupDetail: false, topics: 'auto', stream: 'auto', announce: false, quiet: null },
      utcOffset: 0,
      rateLimits: FAST,
      ports: this.ports,
      onError: error => void this.errors.push(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      ...this.#options,
      ...options,
    })
    await bot.start().catch(async error => {
      await bot.stop()
      throw error
    })
    this.bot = bot
  }

  person(id = 4711, name = 'Ann', options: { hasTopics?: boolean } = {}): FakePerson {
    return this.fake.person(id, name, options)
  }

  /** Waits for a message of the bot with this text. */
  seen(person: FakePerson, text: string | RegExp, after = 0): Promise<FakeMessage> {
    return this.fake.until(
      () =>
        this.fake
          .visible(person.chat)
          .find(
            message =>
              message.id > after &&
              message.from.isBot &&
              (typeof text === 'string' ? message.text.includes(text) : text.test(message.text)),
          ),
      `a message with ${text}${this.errors.length > 0 ? `; errors: ${this.errors.join('\n')}` : ''}`,
      PATIENCE_MS,
    )
  }

  async events(type: string): Promise<StoredEvent[]> {
    const found: StoredEvent[] = []
    found.push(...(await this.host.store.readAll({ after: 0, limit: 100_000, types: [type] })))
    return found
  }

  async close(): Promise<void> {
    await this.bot.stop()
    for (const live of this.host.liveSessions()) await live.stop().catch(() => undefined)
    await this.fake.stop()
    await this.runs.close()
    await this.api.close()
    await this.host.close()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** A request like that of an agent's hook, raised directly in the ledger. */
export async function raise(host: Host, command: string): Promise<ApprovalRecord> {
  return host.ledger.request(requestOf(command))
}

export function requestOf(command: string): ReturnType<typeof requestFromReport> {
  const subject = { agent: 'demo', project: '/work/shop', cwd: '/work/shop', hostName: 'box' }
  const options = [
    { key: 'yes', label: 'Yes', meaning: 'allow-once' as const },
    { key: 'session', label: 'Yes, for this session', meaning: 'allow-session' as const },
    { key: 'no', label: 'No', meaning: 'deny' as const },
  ]
  const report = { channel: 'hook', requestKey: `test:${command}`, tool: 'Bash', input: { command }, options }
  return requestFromReport(report, { subject, realPath: path => path })
}
