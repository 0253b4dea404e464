import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { editSettings } from '../../src/config/edit-settings.js'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { waitFor } from '../e2e/harness.js'
import { until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import { closeProfiles, logIn, openBrowser, openContext, Served, watchOrigins } from './harness.js'

interface Stolen {
  proofs: { path: string; proof: string }[]
  close(): Promise<void>
}

/** Another program on the port of the server: it records what it receives. */
async function takePort(port: number): Promise<Stolen> {
  const proofs: Stolen['proofs'] = []
  const server = createServer((request, response) => {
    const proof = request.headers['x-signalbox-proof']
    if (typeof proof === 'string') proofs.push({ path: request.url!, proof })
    response.writeHead(503).end()
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    proofs,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const GATED =
  'digraph gated { goal="Outlive it"; start [shape=Mdiamond]; ask [shape=hexagon, label="Go on?"]; exit [shape=Msquare]; start -> ask; ask -> exit [label="[Y] Yes"]; ask -> exit [label="[N] No"] }'

/** Pages that are not about one resource. */
const PAGES = [
  '/sessions',
  '/requests',
  '/panes',
  '/runs',
  '/usage',
  '/graphs',
  '/start',
  '/settings/advanced',
  '/settings/doctor',
]

describeNeeding('chromium', 'pages during a restart of the server', () => {
  let served: Served
  let browser: Browser
  let page: Page
  let foreign: string[]
  let telegram: FakeBotApi
  let chats = 4_711

  beforeAll(async () => {
    served = new Served()
    telegram = new FakeBotApi()
    const [apiRoot, opened] = await Promise.all([telegram.start(), openBrowser()])
    browser = opened
    set({ 'telegram.api_root': apiRoot })
  })
  afterAll(async () => {
    await closeProfiles(browser)
    for (const { id } of (await ask('GET', '/sessions')).items)
      await ask('POST', `/sessions/${id}/stop`, { graceMs: 0 })
    await served.run(['serve', '--stop'])
    await served?.close()
    await telegram?.stop()
  })

  const set = (changes: Record<string, string | number>) => {
    const directory = join(served.home, 'config')
    mkdirSync(directory, { recursive: true })
    editSettings(join(directory, 'config.toml'), changes, { version: null, isAtTerminal: true })
  }

  /** A request with the token. */
  async function ask(method: string, path: string, body?: object) {
    const token = readFileSync(join(served.home, 'state', 'token'), 'utf8').trim()
    const response = await fetch(`${served.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }

  /** The server refuses a graph that is not trusted yet; the error contains the hash to trust. */
  async function startGated(): Promise<string> {
    const body = { graph: GATED, project: served.directory }
    const { id, error } = await ask('POST', '/runs', body)
    return id ?? (await ask('POST', '/runs', { ...body, trust: error.details.hash })).id
  }

  it('show how to start when they are empty', async () => {
    const { link, address } = await served.start(['serve', '--port', '0', '--json'])
    const context = await openContext(browser)
    foreign = watchOrigins(context, address)
    page = await logIn(context, link)
    await page.getByRole('heading', { name: 'Welcome to Signalbox' }).waitFor()
    // The first steps are the page: nothing beside them is empty.
    await page.getByText('0 of 4 done').or(page.getByText('1 of 4 done')).waitFor()
    expect(await page.getByRole('complementary', { name: 'Today' }).count()).toBe(0)
    // The command names an agent that this machine has.
    const { items } = await ask('GET', '/agents')
    const installed = items.filter(({ isInstalled }: { isInstalled: boolean }) => isInstalled)
    const { name } = installed.find((agent: { name: string }) => agent.name !== 'demo') ?? installed[0]
    await page.getByText(`signalbox start ${name} --attach`).waitFor()
    await page.goto(`${address}/runs?server=http://127.0.0.1:9&token=x#http://127.0.0.1:9`)
    await page.getByText('No runs yet').waitFor()
    await page.evaluate(() => postMessage({ server: 'http://127.0.0.1:9', token: 'x' }, '*'))
    await page.goto(`${address}/nowhere`)
    await page.getByText('No page has this address').waitFor()
    // One press starts the demo agent, with a prompt, in a project of its own.
    await page.goto(`${address}/`)
    await page.getByRole('button', { name: 'Try the demo agent' }).click()
    await page.getByRole('heading', { name: 'Fix the failing test' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    expect((await ask('GET', `/sessions/${id}`)).cwd).toMatch(/signalbox-demo-[^/]+\/shop$/)
    await ask('POST', `/sessions/${id}/stop`, { graceMs: 0 })
  })

  it('invite a person with a link, which signs that person in once', async () => {
    await page.goto(`${served.address}/settings/people`)
    await page.getByRole('button', { name: 'Invite a person…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Vera')
    await dialog.getByLabel('Role').selectOption('viewer')
    await dialog.getByRole('button', { name: 'Create the link' }).click()
    await dialog.getByRole('img', { name: 'QR code of the link' }).waitFor()
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue()
    expect(link).toMatch(new RegExp(`^${served.address}/login#[\\w-]+$`))
    await dialog.getByRole('button', { name: 'Close' }).click()
    const guest = await logIn(await openContext(browser), link)
    await guest.goto(`${served.address}/settings/people`)
    await guest.getByRole('region', { name: 'This browser' }).or(guest.getByText('Vera (viewer)')).first().waitFor()
    expect(await guest.getByRole('button', { name: 'Invite a person…' }).isDisabled()).toBe(true)
    await guest.context().close()
  })

  it('connect a Telegram bot with its token, and start it without a restart', async () => {
    telegram.state.webhook = 'https://example.com/hook'
    await page.goto(`${served.address}/settings/people`)
    await page.getByRole('button', { name: 'Set up Telegram…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up Telegram' })
    const token = dialog.getByLabel('Paste the token here:')
    await token.fill('12345:no-token')
    await dialog.getByRole('button', { name: 'Connect the bot' }).click()
    await dialog.getByText('The text does not contain a bot token').waitFor()
    await token.fill(telegram.token)
    await dialog.getByRole('button', { name: 'Connect the bot' }).click()
    await dialog.getByText('through a webhook').waitFor()
    expect(telegram.state.webhook).not.toBe('')
    await dialog.getByRole('button', { name: 'Remove the webhook and connect' }).click()
    await page.getByRole('dialog', { name: 'Pair a chat' }).locator('.pairing-code code').waitFor()
    expect(telegram.state.webhook).toBe('')
    const file = join(served.home, 'config', 'telegram-token')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').trim()).toBe(telegram.token)
  })

  it('pair a chat with a code that the person sends to the bot', async () => {
    await page.goto(`${served.address}/settings/people`)
    await page.getByRole('button', { name: 'Pair a chat…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pair a chat' })
    const code = (await dialog.locator('.pairing-code code').textContent())!
    const isMe = dialog.getByRole('button', { name: 'This is me' })
    expect(await isMe.isDisabled()).toBe(true)
    const name = `Anna ${++chats}`
    telegram.person(chats, name).say(code)
    await dialog.getByText(name).waitFor()
    await isMe.click()
    await page.getByRole('region', { name: 'People, table' }).getByText(name).waitFor()
  })

  it('show that the server is offline, change nothing, and show current data when it is back', async () => {
    const { address } = served
    const port = new URL(address).port
    const survivor = { agent: 'demo', label: 'survivor', cwd: served.directory }
    const { id: session } = await ask('POST', '/sessions', survivor)
    const run = await startGated()
    const gate = await waitFor('the gate', async () => (await ask('GET', `/runs/${run}/gates`)).items[0]?.approval)
    const compared = [`/compare?a=${session}&b=${session}&bt=0`, `/compare/runs?a=${run}&b=${run}`]
    const paths = [
      ...PAGES,
      `/r/${run}`,
      `/a/${gate.id}`,
      `/s/${session}?view=terminal`,
      `/replay/${session}`,
      ...compared,
    ]
    await page.goto(`${address}/`)
    await page.getByText('survivor').first().waitFor()
    // One after the other: all at once, each of them takes as long as all together.
    const opened: Page[] = []
    for (const path of paths) {
      const tab = await page.context().newPage()
      opened.push(tab)
      await tab.goto(`${address}${path}`)
      await tab.locator('main h1').first().waitFor()
      await tab.locator('.skeleton').first().waitFor({ state: 'detached' })
    }
    const tabs = [page, ...opened]
    const at = (path: string) => opened[paths.indexOf(path)]!
    const [ofRun, ofGate] = [at(`/r/${run}`), at(`/a/${gate.id}`)]
    await at('/start').getByLabel('Directory').fill(served.directory)
    await ofRun.locator('.graph .node.waiting').waitFor()
    await ofGate.locator('article.card[data-still=true]').waitFor()

    await served.kill('SIGKILL')
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor()))
    expect(await page.getByText(/showing data from/).count()).toBe(1)
    expect(await at('/start').getByRole('button', { name: 'Start session' }).isDisabled()).toBe(true)
    set({ 'notify.grace_s': 77 })

    // Another program takes the port. A proof that the page sends to it is useless afterwards.
    const stolen = await takePort(Number(port))
    await page.getByRole('button', { name: 'Retry now' }).click()
    const proof = await waitFor('a request of the page', () => stolen.proofs[0])
    await stolen.close()
    await served.start(['serve', '--port', port, '--json'])
    const replayed = await fetch(`${address}${proof.path}`, {
      headers: { 'x-signalbox-proof': proof.proof, 'sec-fetch-site': 'same-origin', origin: address },
    })
    expect(replayed.status).toBe(403)

    await ask('POST', '/sessions', { ...survivor, label: 'born meanwhile' })
    await page
      .getByRole('button', { name: 'Retry now' })
      .click({ timeout: 2_000 })
      .catch(() => undefined)
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor({ state: 'detached' })))
    await page.getByText('born meanwhile').waitFor()
    await page.getByText('survivor').first().waitFor()
    await at('/sessions').getByText('born meanwhile').waitFor()
    await at('/panes').locator('.tile').filter({ hasText: 'born meanwhile' }).waitFor()
    await at('/start').locator('button:enabled', { hasText: 'Start session' }).waitFor()
    await at('/settings/advanced').getByLabel('Search settings').fill('notify.grace_s')
    const grace = at('/settings/advanced').getByLabel('While I am active, wait before another channel')
    await until(async () => (await grace.inputValue()) === '1 min 17 s')
    // Requests of the pages are answered again.
    await at('/graphs').locator('#dot').fill('digraph g { start [shape=Mdiamond]; start -> }')
    await at('/graphs').locator('.gutter .error').first().waitFor()
    await at('/settings/doctor').getByRole('button', { name: 'Check again' }).click()
    await at('/settings/doctor').locator('.doctor-line').first().waitFor()
    await at('/usage').getByRole('button', { name: '7 days' }).click()
    await at('/usage').locator('.stats').waitFor()
    for (const path of [`/replay/${session}`, compared[0]!]) await at(path).getByRole('slider').first().waitFor()
    await at(compared[1]!)
      .getByRole('row', { name: /ask|Go on/ })
      .first()
      .waitFor()
    // The gate is still open on both its pages; both show the answer that is given elsewhere.
    await ofRun.locator('.graph .node.waiting').waitFor()
    await ofGate.locator('article.card').waitFor()
    await ask('POST', `/approvals/${gate.id}/decision`, {
      fingerprint: gate.fingerprint,
      option: gate.request.options[0].key,
      seen: { displayHash: gate.display.hash, whole: true },
    })
    await ofRun.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
    await ofGate.locator('.card-end').waitFor()
    await at('/runs')
      .getByRole('row', { name: /Outlive it/ })
      .getByText('Done')
      .waitFor()

    // The page of panes draws old and new previews without a reload.
    const wall = at('/panes')
    const picture = wall.locator('.tile').filter({ hasText: 'survivor' }).locator('.thumb svg text')
    await picture.first().waitFor()
    await ask('POST', `/sessions/${session}/messages`, { text: 'are you still there', when: 'now' })
    await picture.filter({ hasText: 'are you still there' }).first().waitFor()

    // The terminal is connected again and accepts the keyboard.
    const terminal = at(`/s/${session}?view=terminal`)
    await terminal.getByRole('button', { name: 'Take keyboard' }).click()
    await terminal.getByText('You have the keyboard').waitFor()
    expect(foreign).toEqual([])
  })

  it('offer a viewer no way to decide', async () => {
    const { link } = JSON.parse(
      await served.run(['serve', '--link', '--role', 'viewer', '--as', 'Vera', '--json']),
    ) as {
      link: string
    }
    const viewer = await openContext(browser)
    const tab = await logIn(viewer, link)
    await tab.getByText('survivor').first().click()
    await tab.locator('#composer').waitFor()
    expect(await tab.locator('#composer').isDisabled()).toBe(true)
    await viewer.close()
  })
})
