import { afterEach, describe, expect, test } from 'vitest'
import { type ApprovalRecord, requestFromReport } from '../../src/approvals/index.js'
import { run as approve } from '../../src/cli/commands/approve.js'
import { run as deny } from '../../src/cli/commands/deny.js'
import { systemClock } from '../../src/clock/index.js'
import { createRun } from '../../src/engine/index.js'
import { toSignalboxError } from '../../src/errors/index.js'
import { openHome } from '../../src/host/home/index.js'
import { People } from '../../src/people/index.js'
import { FakeBotApi, type FakePerson } from '../../src/telegram/fake/index.js'
import { openBotApi, Telegram } from '../../src/telegram/index.js'
import { type Login, TestServer } from '../server/support.js'
import { FAST } from '../telegram/support.js'

/*
 * One set of rules for every decision: `approvals.decide_from`, `approvals.step_up` and a lockdown
 * hold for a gate of a run, a request of a session and a request of a run's agent, from the command
 * line, the web API (its own route, and attractor's for gates) and Telegram. All of these requests
 * have a high risk and an option that allows once, so that each rule has something to refuse.
 */

const DOT = 'digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; start -> exit }'

/** A home with a server and a bot over it, all in this process. */
class Home {
  readonly #server: TestServer
  readonly #fake: FakeBotApi
  readonly #bot: Telegram
  readonly ann: FakePerson
  #login!: Login
  #asked = 0
  #run = ''

  static async open(config: string): Promise<Home> {
    const server = await TestServer.start({ config })
    const { directories, settings } = openHome(server.context)
    // The command line finds a daemon here, which would type the answers into terminals.
    await server.api.listenOnSocket(settings.daemonSocket)
    const fake = new FakeBotApi({ rates: FAST })
    await fake.start()
    const people = new People(directories.config)
    people.pair(4711, { name: 'Ann', role: 'owner' })
    const bot = new Telegram({
      host: server.host,
      api: openBotApi({ token: fake.token, apiRoot: fake.apiRoot }),
      people,
      clock: systemClock,
      owner: 'test',
      settings: { groups: [], groupDetail: false, topics: 'off', stream: 'off', announce: false, quiet: null },
      utcOffset: 0,
      rateLimits: FAST,
      ports: { agents: [], roots: [], lockdown: server.api.parts.lockdown },
      onError: error => {
        throw error
      },
    })
    await bot.start()
    const home = new Home(server, fake, bot)
    await home.#prepare()
    return home
  }

  private constructor(server: TestServer, fake: FakeBotApi, bot: Telegram) {
    this.#server = server
    this.#fake = fake
    this.#bot = bot
    this.ann = fake.person(4711, 'Ann')
  }

  async #prepare(): Promise<void> {
    this.#login = await this.#server.login('owner')
    const { work, host } = this.#server
    this.#run = await createRun(
      host.store,
      {
        kind: 'graph',
        title: 'gated',
        project: work,
        cwd: work,
        person: 'local',
        input: {
          dot: DOT,
          file: null,
          hash: '0',
          inputs: {},
          agent: null,
          model: null,
          permissions: null,
          isAutoApproved: false,
          dryRun: null,
          workspace: { path: work, branch: null, base: null },
          from: null,
        },
      },
      systemClock.now(),
    )
    this.ann.say('/start')
    await this.#fake.until(
      () => this.#fake.visible(this.ann.chat).some(({ from }) => from.isBot),
      'the first message of the bot',
    )
  }

  async lockDown(): Promise<void> {
    await this.#server.ask('POST', '/api/v1/lockdown', { as: this.#login, body: {} })
    this.#login = await this.#server.login('owner')
  }

  /** Raises a request of this kind, as the engine, a hook or a run's agent would. */
  async raise(kind: Kind): Promise<ApprovalRecord> {
    const { work, host } = this.#server
    const name = `${kind} ${++this.#asked}`
    const subject = { agent: 'demo', project: work, cwd: work, hostName: 'box' }
    const input = { command: `rm -rf build-${this.#asked}` }
    if (kind === 'session')
      return host.ledger.request(
        requestFromReport(
          { channel: 'hook', requestKey: name, tool: 'Bash', input },
          { subject: { ...subject, session: 'ses_gone' } },
        ),
      )
    if (kind === 'step')
      return host.ledger.request(
        requestFromReport(
          { channel: 'headless', requestKey: name, tool: 'Bash', input },
          { subject: { ...subject, run: this.#run, effect: `${this.#run}/work@1#1` } },
        ),
      )
    const request = requestFromReport(
      { channel: 'run', requestKey: name, tool: 'plan', input: { plan: name }, kind: 'plan', options: PLAN_OPTIONS },
      { subject: { ...subject, run: this.#run } },
    )
    return host.ledger.request({ ...request, risk: { level: 'high', reasons: ['it changes the settings of agents'] } })
  }

  state(record: ApprovalRecord): Promise<string> {
    return this.#server.host.ledger.get(record.id).then(now => now!.state)
  }

  async refusals({ id }: ApprovalRecord): Promise<string[]> {
    const events = await this.#server.host.store.readStream(`approval/${id}`)
    return events.filter(({ type }) => type === 'approval.refused').map(({ data }) => `${data.code} ${data.surface}`)
  }

  /** The result of a decision: `taken`, or the code or text of the refusal. */
  async decide(surface: Surface, record: ApprovalRecord, wants: 'allow' | 'deny'): Promise<string> {
    const option = record.request.options.find(({ meaning }) => (meaning === 'allow-once') === (wants === 'allow'))!
    if (surface === 'cli') return this.#byCommand(record, wants)
    if (surface === 'telegram') return this.#byChat(record, option.label, wants)
    const isAttractor = surface === 'attractor'
    const { json } = await this.#server.ask(
      'POST',
      isAttractor ? `/pipelines/${this.#run}/questions/${record.id}/answer` : `/api/v1/approvals/${record.id}/decision`,
      {
        as: this.#login,
        body: isAttractor
          ? { value: option.key, fingerprint: record.fingerprint }
          : {
              fingerprint: record.fingerprint,
              option: option.key,
              seen: { displayHash: record.display.hash, whole: true },
            },
      },
    )
    return json.error?.code ?? 'taken'
  }

  async #byCommand({ id, fingerprint }: ApprovalRecord, wants: 'allow' | 'deny'): Promise<string> {
    const options = { wait: false, ...(wants === 'allow' ? { fingerprint } : { note: 'no' }) }
    const command = wants === 'allow' ? approve : deny
    return command(this.#server.context as never, { args: { id }, options } as never).then(
      () => 'taken',
      error => toSignalboxError(error).code,
    )
  }

  async #byChat(record: ApprovalRecord, label: string, wants: 'allow' | 'deny'): Promise<string> {
    const isPermission = record.kind === 'permission'
    const mark = String(Object.values(record.request.input as object)[0])
    const card = () => this.#fake.visible(this.ann.chat).findLast(({ text, from }) => from.isBot && text.includes(mark))
    const withButton = (wanted: string) =>
      this.#fake.until(() => {
        const message = card()
        const buttons = message?.markup?.inline_keyboard?.flat() ?? []
        return buttons.some(({ text }) => text === wanted) ? message : null
      }, `a button ${wanted} under ${mark}`)
    // A high risk asks for a confirmation before it is allowed; from there Back leads to Deny.
    if (isPermission) {
      const first = wants === 'allow' ? 'Allow once…' : 'Back'
      this.ann.press(await withButton(first), first)
    }
    const button = isPermission ? (wants === 'allow' ? 'Yes, allow' : 'Deny') : label
    const press = this.ann.press(await withButton(button), button)
    const { text, isAlert } = await this.#fake.until(() => press.answer, 'the answer to the press')
    return isAlert ? text : 'taken'
  }

  async close(): Promise<void> {
    await this.#bot.stop()
    await this.#fake.stop()
    await this.#server.close()
  }
}

const PLAN_OPTIONS = [
  { key: 'approve', label: 'Approve', meaning: 'allow-once' as const },
  { key: 'reject', label: 'Reject', meaning: 'deny' as const },
]

type Kind = 'gate' | 'session' | 'step'
type Surface = 'cli' | 'web' | 'attractor' | 'telegram'

const CASES: readonly (readonly [Kind, Surface])[] = [
  ...(['gate', 'session', 'step'] as const).flatMap(kind =>
    (['cli', 'web', 'telegram'] as const).map(surface => [kind, surface] as const),
  ),
  ['gate', 'attractor'],
]

const RULES = {
  'approvals.decide_from': {
    config: 'approvals.decide_from = ["api"]\n',
    code: 'E_ROLE',
    says: /approvals\.decide_from/,
    takesDenials: false,
  },
  'approvals.step_up': {
    config: 'approvals.step_up = "on"\n',
    code: 'E_STEP_UP',
    says: /second confirmation/,
    takesDenials: true,
  },
  'a lockdown': { config: '', code: 'E_LOCKED', says: /locked down/, takesDenials: true },
} as const

let home: Home
afterEach(() => home.close())

describe.each(Object.entries(RULES))('%s', (rule, { config, code, says, takesDenials }) => {
  test('applies to every kind of request on every surface, and refusals are recorded', async () => {
    home = await Home.open(config)
    if (rule === 'a lockdown') await home.lockDown()
    for (const [kind, surface] of CASES) {
      const which = `${kind} from ${surface}`
      const record = await home.raise(kind)
      const outcome = await home.decide(surface, record, 'allow')
      if (surface === 'telegram') expect(outcome, which).toMatch(says)
      else expect(outcome, which).toBe(code)
      expect(await home.state(record), which).toBe('pending')
      expect(await home.refusals(record), which).toEqual([`${code} ${surface === 'attractor' ? 'web' : surface}`])
      const denied = await home.decide(surface, record, 'deny')
      expect(denied === 'taken', `denial of ${which}`).toBe(takesDenials)
    }
  })
})

test('the same decisions are accepted without such a rule', async () => {
  home = await Home.open('')
  for (const [kind, surface] of CASES) {
    const record = await home.raise(kind)
    expect(await home.decide(surface, record, 'allow'), `${kind} from ${surface}`).toBe('taken')
    expect(['decided', 'applied']).toContain(await home.state(record))
  }
})
