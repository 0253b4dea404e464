import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock/index.js'
import { openHome } from '../../src/host/home/index.js'
import { openHomeStore } from '../../src/host/index.js'
import { People } from '../../src/people/index.js'
import { signProof } from '../../src/server/auth/proof.js'
import type { EventStore } from '../../src/store/index.js'
import { newTestDatabase, type TestDatabase } from '../../src/store/testing/postgres-server.js'
import { FakeBotApi, type FakeMessage, type FakePerson } from '../../src/telegram/fake/index.js'
import { describeNeeding } from '../support/requirements.js'
import { type SessionInfo, type TestHome, waitFor } from './harness.js'
import { InsideHome } from './inside.js'
import { WorkerSite } from './worker-site.js'

/** How many requests are decided from all three surfaces. */
const REQUESTS = 15
const SURFACES = ['web', 'cli', 'telegram'] as const
type Surface = (typeof SURFACES)[number]

interface Approval {
  id: string
  state: string
  fingerprint: string
  display: { hash: string }
  request: { input: { command?: string } | null; options: { key: string; label: string; meaning: string }[] }
  decision?: { surface: string; actor: { name: string }; tier: string }
  delivery: { step: string }[]
}

/** What a surface told the person that decided there. */
interface Told {
  won: boolean
  /** The surface that it named as the first, and the words. */
  words: string
}

describeNeeding('postgres', 'a request decided on three servers from three surfaces', () => {
  const fake = new FakeBotApi({ rates: { privatePerS: 1000, privateBurst: 1000, groupPerMin: 60_000, allPerS: 1000 } })
  let database: TestDatabase
  let site: WorkerSite<InsideHome>
  let servers: [InsideHome, InsideHome, InsideHome]
  let machine: TestHome
  let ann: FakePerson
  let store: EventStore
  let browser: Browser

  beforeAll(async () => {
    database = await newTestDatabase()
    await fake.start()
    ann = fake.person(4711, 'Ann')
    servers = [0, 1, 2].map(() => serverHome()) as typeof servers
    site = new WorkerSite(servers[0])
    await site.serve()
    for (const home of servers.slice(1)) await serve(home)
    browser = await Browser.login(servers[1])
    machine = await site.joined('first')
    await site.work(machine, 'first')
    ann.say('/start')
    await fake.until(() => fake.visible(ann.chat).find(({ from }) => from.isBot), 'the bot')
    const { settings } = openHome({ env: servers[0].env })
    store = await openHomeStore({ ...settings, clock: systemClock, onError: () => undefined })
  })
  afterAll(async () => {
    await store?.close()
    for (const home of servers.slice(1)) await home.close()
    await site?.close()
    await fake.stop()
    await database?.drop()
  })

  /** A server of the team; one of them has the bot. */
  function serverHome(): InsideHome {
    const home = new InsideHome()
    const [config, password, token] = [
      home.path('config'),
      join(home.directory, 'password'),
      join(home.directory, 'token'),
    ]
    mkdirSync(config, { recursive: true, mode: 0o700 })
    writeFileSync(password, database.password, { mode: 0o600 })
    writeFileSync(token, fake.token, { mode: 0o600 })
    writeFileSync(
      join(config, 'config.toml'),
      `[store]\nurl = "${database.url}"\npassword_file = "${password}"\n[engine]\nkind = "store"\n` +
        `[telegram]\ntoken_file = "${token}"\napi_root = "${fake.apiRoot}"\n`,
      { mode: 0o600 },
    )
    new People(config).pair(ann.id, { name: 'Ann', role: 'owner' })
    return home
  }

  async function serve(home: TestHome): Promise<void> {
    const child = home.start(['serve', '--port', '0'])
    child.stdout!.resume()
    let said = ''
    child.stderr!.on('data', chunk => {
      said += String(chunk)
    })
    await waitFor('a server', () => said.includes('listening on'))
  }

  /** A demo agent on the worker that asks for each of these commands, one after the other. */
  async function agentThatAsks(): Promise<SessionInfo> {
    const file = join(machine.work, 'asks.json')
    const steps = Array.from({ length: REQUESTS }, (_, number) => ({
      tool: {
        name: 'Shell',
        kind: 'shell',
        command: `echo ${number} >> ran`,
        permission: true,
        onDeny: 'continue',
      },
    }))
    writeFileSync(file, JSON.stringify({ name: 'asks', turns: [], otherwise: { steps } }))
    const where = ['--on', 'first', '--cwd', machine.work]
    return servers[0].json<SessionInfo>(['start', 'demo', '--json', ...where, '--', '--scenario', file, '--speed', '5'])
  }

  const pendingFor = (number: number) =>
    waitFor(`request ${number}`, async () => {
      const { items } = await browser.get<{ items: Approval[] }>('/api/v1/approvals')
      return items.find(({ state, request }) => state === 'pending' && commandOf(request) === `echo ${number} >> ran`)
    })
  const cardFor = (number: number) =>
    fake.until(
      () =>
        fake
          .visible(ann.chat)
          .find(card => card.from.isBot && hasButtons(card) && card.text.includes(`echo ${number} >> ran`)),
      `the card of request ${number}`,
    )

  const decide: Record<Surface, (approval: Approval, card: FakeMessage) => Promise<Told>> = {
    web: async ({ id, fingerprint, display, request }) => {
      const { key: option } = request.options.find(({ meaning }) => meaning === 'allow-once')!
      const seen = { displayHash: display.hash, whole: true }
      const { status, body } = await browser.post(`/api/v1/approvals/${id}/decision`, { option, fingerprint, seen })
      return { won: status === 200, words: JSON.stringify(body) }
    },
    cli: async ({ id, fingerprint }) => {
      const { code, stdout, stderr } = await servers[2].run(['approve', id, '--fingerprint', fingerprint, '--no-wait'])
      return { won: code === 0, words: stdout + stderr }
    },
    telegram: async (_, card) => {
      const before = ann.chat.messages.at(-1)!.id
      const press = ann.press(card, { data: denyOf(card) })
      // A bot that is slow says so, and the result in a message or on the card.
      const late = () => {
        const said = fake.visible(ann.chat).find(({ id, text }) => id > before && text.includes('decided first'))
        return said?.text ?? (!hasButtons(card) && card.text.includes('Ann') ? 'Denied, on the card' : null)
      }
      const words = await fake.until(
        () => (press.answer?.text === 'One moment…' ? late() : press.answer?.text),
        'the answer of the bot',
      )
      return { won: /^Denied/.test(words), words }
    },
  }

  it(`applies each of ${REQUESTS} once, and tells each loser who was first`, async () => {
    const { id: session } = await agentThatAsks()
    await servers[0].ok(['wait', session, '--for', 'idle', '--timeout', '240'])
    await servers[0].ok(['send', session, 'go'])
    const winners: Surface[] = []
    const allowed: number[] = []
    for (let number = 0; number < REQUESTS; number++) {
      const [approval, card] = await Promise.all([pendingFor(number), cardFor(number)])
      const shift = number % SURFACES.length
      const order = [...SURFACES.slice(shift), ...SURFACES.slice(0, shift)]
      const told = new Map<Surface, Told>()
      const run = async (surface: Surface) => void told.set(surface, await decide[surface](approval, card))
      // In the first rounds one decides before the others, so that each of them wins; then all at
      // once, with the quickest one later and later.
      if (number < SURFACES.length) await run(order[0]!)
      const others = order.filter(surface => !told.has(surface))
      const begun = others.filter(surface => surface !== 'web').map(run)
      for (let look = SURFACES.length; look < number; look++) await browser.get(`/api/v1/approvals/${approval.id}`)
      await Promise.all([...begun, ...others.filter(surface => surface === 'web').map(run)])

      const { decision, ...settled } = await waitFor(`request ${number} to be applied`, async () => {
        const found = await browser.get<Approval>(`/api/v1/approvals/${approval.id}`)
        return found.state === 'applied' ? found : null
      })
      const winner = decision!.surface as Surface
      winners.push(winner)
      if (winner !== 'telegram') allowed.push(number)
      expect(settled.delivery.filter(({ step }) => step === 'confirm').length).toBeLessThanOrEqual(1)
      expect([...told].filter(([, { won }]) => won).map(([surface]) => surface)).toEqual([winner])
      const name = decision!.actor.name
      const done = winner === 'telegram' ? 'denied' : 'allowed'
      for (const [surface, { words }] of told) {
        if (surface === winner) continue
        const first =
          surface === 'telegram' ? `${name} decided first.` : `this request was already ${done} by ${name} (${winner})`
        expect(words).toContain(first)
      }
      const types = (await store.readStream(`approval/${approval.id}`)).map(({ type }) => type)
      for (const once of ['approval.decided', 'approval.applied'])
        expect(types.filter(type => type === once)).toEqual([once])
      // The card says what was decided, and has no button that would decide again.
      await fake.until(() => !hasButtons(card), 'the card to be closed')
      expect(card.text).toContain(name)
    }
    expect(new Set(winners)).toEqual(new Set(SURFACES))
    await servers[0].ok(['wait', session, '--for', 'idle', '--timeout', '240'])
    const file = join(machine.work, 'ran')
    const ran = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
    expect(ran).toEqual(allowed)
    expect([await store.check(), await store.checkChain()]).toEqual([[], []])
    await servers[0].ok(['stop', session])
  })
})

const commandOf = ({ input }: Approval['request']) => input?.command
const buttonsOf = ({ markup }: FakeMessage) => markup?.inline_keyboard?.flat() ?? []
const hasButtons = (card: FakeMessage) => buttonsOf(card).some(({ text }) => text === 'Deny')
const denyOf = (card: FakeMessage) => buttonsOf(card).find(({ text }) => text === 'Deny')!.callback_data!

/** A browser that followed a login link of one server. */
class Browser {
  readonly #address: string
  readonly #device: string
  readonly #key: Buffer

  static async login(home: InsideHome): Promise<Browser> {
    const { address, link } = await home.json<{ address: string; link: string }>(['open', '--json'])
    const response = await fetch(`${address}/api/v1/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: address },
      body: JSON.stringify({ code: link.split('#')[1], name: 'a browser' }),
    })
    const { device, key } = (await response.json()) as { device: string; key: string }
    return new Browser(address, device, Buffer.from(key, 'base64url'))
  }

  private constructor(address: string, device: string, key: Buffer) {
    this.#address = address
    this.#device = device
    this.#key = key
  }

  async get<T>(target: string): Promise<T> {
    return (await this.#ask('GET', target)).body as T
  }

  post(target: string, body: object): Promise<{ status: number; body: unknown }> {
    return this.#ask('POST', target, JSON.stringify(body))
  }

  async #ask(method: string, target: string, text?: string): Promise<{ status: number; body: unknown }> {
    const stamp = { ms: Date.now(), nonce: randomBytes(16).toString('base64url') }
    const body = Buffer.from(text ?? '')
    const asked = { method, target, host: new URL(this.#address).host, body }
    const proof = `${this.#device}.${stamp.ms}.${stamp.nonce}.${signProof(this.#key, asked, stamp)}`
    const response = await fetch(`${this.#address}${target}`, {
      method,
      headers: {
        'x-signalbox-proof': proof,
        'sec-fetch-site': 'same-origin',
        origin: this.#address,
        ...(text !== undefined && { 'content-type': 'application/json' }),
      },
      ...(text !== undefined && { body: text }),
    })
    return { status: response.status, body: await response.json() }
  }
}
