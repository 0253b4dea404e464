import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { hasChromium, logIn, openBrowser, Served, watchOrigins } from './harness.js'

interface Stolen {
  proofs: { path: string; proof: string }[]
  close(): Promise<void>
}

/** Another program on the port that was ours: it keeps what it is sent. */
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

/** Pages that only have to say so, and to come back. */
const OTHERS = ['/runs', '/usage', '/graphs', '/settings', '/settings/doctor', '/settings/people', '/settings/page']

describe.skipIf(!hasChromium)('pages while the server goes away and comes back', () => {
  let served: Served
  let browser: Browser
  let page: Page
  let foreign: string[]

  beforeAll(async () => {
    served = new Served()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await served.run(['sessions', '--json']).then(async text => {
      for (const [id] of text.matchAll(/ses_[a-z0-9]+/g)) await served.run(['stop', id])
    })
    await served.run(['serve', '--stop'])
    await served?.close()
  })

  /** As a script asks. */
  async function ask(method: string, path: string, body?: object) {
    const token = readFileSync(join(served.home, 'state', 'token'), 'utf8').trim()
    const response = await fetch(`${served.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return response.json()
  }

  /** Nothing of a graph is run that was not let: the hash of what would be comes with the refusal. */
  async function startGated(): Promise<string> {
    const wish = { graph: GATED, project: served.directory }
    const { error } = await ask('POST', '/runs', wish)
    return (await ask('POST', '/runs', { ...wish, trust: error.details.hash })).id
  }

  it('shows empty pages that say what to do', async () => {
    const { link, address } = await served.start(['serve', '--port', '0', '--json'])
    const context = await browser.newContext()
    foreign = watchOrigins(context, address)
    page = await logIn(context, link)
    await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor()
    await page.getByText('No agents yet').waitFor()
    await page.goto(`${address}/runs?server=http://127.0.0.1:9&token=x#http://127.0.0.1:9`)
    await page.getByText('No runs yet').waitFor()
    await page.evaluate(() => postMessage({ server: 'http://127.0.0.1:9', token: 'x' }, '*'))
    await page.goto(`${address}/nowhere`)
    await page.getByText('There is no page at this address').waitFor()
  })

  it('says so when it is gone, changes nothing meanwhile, and shows the truth afterwards', async () => {
    const { address } = served
    const port = new URL(address).port
    await served.run(['start', 'demo', '--label', 'survivor', '--cwd', served.directory])
    const [session] = (await served.run(['sessions', '--json'])).match(/ses_[a-z0-9]+/)!
    const run = await startGated()
    const gate = await waitFor('the gate', async () => (await ask('GET', `/runs/${run}/gates`)).items[0]?.approval)
    const tabs = [page]
    const pages = ['/sessions', '/panes', '/start', ...OTHERS, `/r/${run}`, `/a/${gate.id}`]
    for (const path of [...pages, `/s/${session}`, `/replay/${session}`]) {
      const tab = await page.context().newPage()
      await tab.goto(`${address}${path}`)
      await tab.locator('main h1').first().waitFor()
      tabs.push(tab)
    }
    await page.goto(`${address}/`)
    await page.getByText('survivor').waitFor()
    await tabs[3]!.getByLabel('Directory').fill(served.directory)
    const [ofRun, ofGate] = [tabs.at(-4)!, tabs.at(-3)!]
    await ofRun.locator('.graph .node.waiting').waitFor()
    await ofGate.locator('article.card[data-still=true]').waitFor()

    await served.kill('SIGKILL')
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor()))
    expect(await page.getByText(/this is what was known at/).count()).toBe(1)
    expect(await tabs[3]!.getByRole('button', { name: 'Start the session' }).isDisabled()).toBe(true)

    // Somebody else takes our port meanwhile. What the page sends there opens nothing later.
    const stolen = await takePort(Number(port))
    await page.getByRole('button', { name: 'Try now' }).click()
    const proof = await waitFor('a request of the page', () => stolen.proofs[0])
    await stolen.close()
    await served.start(['serve', '--port', port, '--json'])
    const replayed = await fetch(`${address}${proof.path}`, {
      headers: { 'x-signalbox-proof': proof.proof, 'sec-fetch-site': 'same-origin', origin: address },
    })
    expect(replayed.status).toBe(403)

    await served.run(['start', 'demo', '--label', 'born meanwhile', '--cwd', served.directory])
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2_000 })
      .catch(() => undefined)
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor({ state: 'detached' })))
    await page.getByText('born meanwhile').waitFor()
    await page.getByText('survivor').first().waitFor()
    await tabs[1]!.getByText('born meanwhile').waitFor()
    // The gate is still open on both its pages; answered elsewhere, both say so by themselves.
    await ofRun.locator('.graph .node.waiting').waitFor()
    await ofGate.locator('article.card').waitFor()
    await ask('POST', `/approvals/${gate.id}/decision`, {
      fingerprint: gate.fingerprint,
      option: gate.request.options[0].key,
      seen: { displayHash: gate.display.hash, whole: true },
    })
    await ofRun.locator('.page-head .badge', { hasText: 'completed' }).waitFor()
    await ofGate.locator('.card-end').waitFor()

    // The wall of panes draws what was there before, and what comes now, without being asked.
    const wall = tabs[2]!
    await wall.reload()
    const picture = wall.locator('.tile').filter({ hasText: 'survivor' }).locator('.thumb svg text')
    await picture.first().waitFor()
    await served.run(['send', session, 'are you still there'])
    await picture.filter({ hasText: 'are you still there' }).first().waitFor()

    // The terminal is on the session again, and takes the keyboard from here.
    const terminal = tabs.at(-2)!
    await terminal.getByRole('button', { name: 'Take input' }).click()
    await terminal.getByText('You have the keyboard').waitFor()
    expect(foreign).toEqual([])
  })

  it('a person who may only look is shown no way to decide', async () => {
    const { link } = JSON.parse(
      await served.run(['serve', '--link', '--role', 'viewer', '--as', 'Vera', '--json']),
    ) as {
      link: string
    }
    const viewer = await browser.newContext()
    const looking = await logIn(viewer, link)
    await looking.getByText('survivor').first().click()
    await looking.locator('#composer').waitFor()
    expect(await looking.locator('#composer').isDisabled()).toBe(true)
    await viewer.close()
  })
})
