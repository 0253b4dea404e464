import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { OWNER } from '../../src/server/caller.js'
import { executableText } from '../../src/trust/index.js'
import { TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import { planRequest, reviewRequest, riskyRequest } from './gate-requests.js'
import { closeProfiles, openBrowser, openContext, pressCard, watchErrors } from './harness.js'

const GATED =
  'digraph gated { start [shape=Mdiamond]; ask [shape=hexagon, label="Go on?"]; exit [shape=Msquare]; start -> ask; ask -> exit [label="[Y] Yes"]; ask -> exit [label="[N] No"] }'

/**
 * One server in this process with a real session and real runs, requests of every kind in its
 * ledger, and one browser. Every test loads its own page and makes its own requests, so that it
 * depends neither on other tests nor on its own first try.
 */
describeNeeding('chromium', 'the dashboard with a keyboard, a phone or assistive technology', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let errors: string[]
  let agentArgs: string[]
  let session: string

  beforeAll(async () => {
    const [started, opened] = await Promise.all([TestServer.start({ hasRuns: true }), openBrowser()])
    server = started
    browser = opened
    const scenario = join(server.directory, 'answers.json')
    const turns = [{ match: 'all night', steps: [{ think: { ms: 6_000_000, label: 'Working' } }] }]
    writeFileSync(scenario, JSON.stringify({ name: 'answers', turns, otherwise: { steps: [{ say: 'Here it is.' }] } }))
    agentArgs = ['--scenario', scenario, '--speed', '10']
    session = await startSession('by keyboard')
    const context = await openContext(browser, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
    page = await context.newPage()
    errors = watchErrors(page)
    await page.goto(await link())
    await page.locator('.shell h1').first().waitFor()
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await server?.close()
  })

  const known = async (id: string) => (await server.host.ledger.get(id))!
  let asked = 0
  const ask = (command: string) =>
    server.host.ledger.request(
      reportedOf({ requestKey: `r${++asked}`, input: { command } }, { project: server.work, cwd: server.work }),
    )
  const get = async (path: string) => (await server.ask('GET', `/api/v1${path}`, { as: 'token' })).json
  const post = async (path: string, body: object) =>
    (await server.ask('POST', `/api/v1${path}`, { as: 'token', body })).json
  const startSession = async (label: string): Promise<string> =>
    (await post('/sessions', { agent: 'demo', cwd: server.work, label, args: agentArgs })).id
  const startRun = async (graph: string): Promise<string> =>
    (await post('/runs', { graph, project: server.work, trust: (await executableText(graph, server.work)).hash })).id
  const isIdle = async (id: string) => (await get(`/sessions/${id}`)).idle
  const link = async () => `${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`
  /** Loads a page: no field has the focus, and no dialog is open. */
  const load = async (path: string) => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${server.address}${path}`)
    await page.locator('main h1').first().waitFor()
  }
  const press = (key: string) => page.keyboard.press(key)

  /** Presses Tab until the element has the focus. */
  async function tabTo(place: Locator): Promise<void> {
    await place.waitFor({ state: 'attached' })
    for (let presses = 0; presses < 150; presses++) {
      if (await place.evaluate(element => element === document.activeElement)) return
      await press('Tab')
    }
    throw new Error(`${place} cannot be reached with Tab`)
  }

  /** Moves from card to card until the card of this request has the focus. */
  async function moveTo(id: string): Promise<void> {
    const card = page.locator(`article.card[data-approval="${id}"]`)
    await card.locator('.allow:enabled').waitFor()
    for (let presses = 0; presses < 20; presses++) {
      if (await card.evaluate(element => element === document.activeElement)) return
      await press('j')
    }
    throw new Error(`the card of ${id} cannot be reached`)
  }

  const decide = (id: string, key: string, isAccepted: () => Promise<boolean>) =>
    pressCard(
      page.locator(`article.card[data-approval="${id}"]`),
      async () => {
        await moveTo(id)
        await press(key)
      },
      isAccepted,
    )

  it('a request is allowed with j and a', async () => {
    await load('/runs')
    const [first, second] = [await ask('ls -la'), await ask('ls src')]
    await press('g')
    await press('o')
    await decide(second.id, 'a', async () => (await known(second.id)).state !== 'pending')
    expect((await known(second.id)).decision).toMatchObject({ option: 'allow', surface: 'web' })
    expect((await known(first.id)).state).toBe('pending')
  })

  it('a key right after j acts on the request that j selected, not on the previous one', async () => {
    await load('/')
    const asked = [await ask('ls -la'), await ask('ls src')].map(({ id }) => id)
    for (const id of asked) await page.locator(`article.card[data-approval="${id}"][data-still=true]`).waitFor()
    const order = await page.locator('article.card').evaluateAll(cards => cards.map(card => card.dataset.approval!))
    // All at once: the page is not drawn between the keys.
    await page.evaluate(count => {
      for (const key of [...Array<string>(count).fill('j'), 'a'])
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    }, order.indexOf(asked[1]!) + 1)
    await until(async () => (await known(asked[1]!)).state !== 'pending')
    expect((await known(asked[0]!)).state).toBe('pending')
  })

  it('an elevated risk is allowed with a only after a confirmation', async () => {
    await load('/')
    const input = { file_path: 'note.txt', old_string: 'a', new_string: 'b' }
    const subject = { project: server.work, cwd: server.work }
    const request = reportedOf({ requestKey: `r${++asked}`, tool: 'Edit', input }, subject)
    const { id, risk } = await server.host.ledger.request(request)
    expect(risk.level).toBe('elevated')
    const dialog = page.getByRole('dialog', { name: 'Allow this once?' })
    const isOpen = async () => (await dialog.count()) > 0
    await decide(id, 'a', isOpen)
    await press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect((await known(id)).state).toBe('pending')
    await decide(id, 'a', isOpen)
    await press('Enter')
    await until(async () => (await known(id)).state !== 'pending')
    expect((await known(id)).decision).toMatchObject({ option: 'allow', surface: 'web' })
  })

  it('a request is denied with D, a reason and Control+Enter', async () => {
    await load('/')
    const { id } = await ask('ls test')
    await decide(id, 'D', async () => (await page.getByRole('dialog', { name: 'Deny' }).count()) > 0)
    await page.keyboard.type('Not now, please.')
    await press('Control+Enter')
    await until(async () => (await known(id)).state !== 'pending')
    expect((await known(id)).decision).toMatchObject({ option: 'deny' })
    expect(JSON.stringify((await known(id)).decision)).toContain('Not now, please.')
  })

  it('a prompt is sent with Tab and Enter only', async () => {
    await until(() => isIdle(session))
    await load('/')
    const prompt = `Show me table ${++asked}`
    await press('g')
    await press('s')
    await tabTo(page.getByRole('link', { name: /by keyboard/ }).first())
    await press('Enter')
    await page.waitForURL(url => url.pathname === `/s/${session}`)
    await tabTo(page.locator('#composer'))
    await page.keyboard.type(prompt)
    await press('Enter')
    await page.getByText('Delivered').waitFor()
    await page.getByRole('log').getByText(prompt).first().waitFor()
  })

  it('a terminal does not keep the focus of a viewer', async () => {
    for (const path of [`/s/${session}?view=terminal`, `/replay/${session}`]) {
      await load(path)
      const terminal = page.locator('.xterm-helper-textarea')
      await tabTo(terminal)
      await press('Tab')
      expect(await terminal.evaluate(element => element === document.activeElement), path).toBe(false)
    }
  })

  it('a run is cancelled with Tab and Enter only', async () => {
    const run = await startRun(GATED)
    await load('/')
    await press('g')
    await press('r')
    await tabTo(page.locator(`main a[href^="/r/${run}"]`).first())
    await press('Enter')
    await page.waitForURL(url => url.pathname === `/r/${run}`)
    await tabTo(page.getByRole('button', { name: 'Cancel', exact: true }))
    await press('Enter')
    await tabTo(page.getByRole('button', { name: 'Cancel run' }))
    await press('Enter')
    await page.locator('.page-head .badge', { hasText: 'Cancelled' }).waitFor()
    expect((await get(`/runs/${run}`)).status).toBe('cancelled')
  })

  it('a program has a terminal, its command as its name, and no conversation', async () => {
    const { id } = await server.host.startSession({
      agent: null,
      args: ['cat'],
      cwd: server.work,
      terminal: null,
      size: { cols: 80, rows: 24 },
      person: 'local',
      label: null,
      resume: null,
    })
    await load(`/s/${id}`)
    await page.getByRole('heading', { name: 'cat', exact: true }).waitFor()
    const tabs = page.getByRole('tablist', { name: 'Session' }).getByRole('tab')
    expect(await tabs.allTextContents()).toEqual(['Terminal', 'Changes', 'Files', 'Usage'])
    await page.getByRole('button', { name: 'Take keyboard' }).waitFor()
    await page.locator('.page-head .badge', { hasText: 'Working' }).waitFor()
    await load('/sessions')
    const row = page.locator('.session-item', { has: page.getByText('cat', { exact: true }) })
    await row.locator('.badge', { hasText: 'Working' }).waitFor()
    await post(`/sessions/${id}/stop`, { graceMs: 0 })
  })

  it('the person who holds the keyboard determines the size of the terminal', async () => {
    const sized = await startSession('sized')
    const cols = async () => (await get(`/panes/${sized}/frame`)).cols as number
    await load(`/s/${sized}?view=terminal`)
    await page.getByRole('button', { name: 'Take keyboard' }).click()
    await page.getByText('You have the keyboard').waitFor()
    await page.setViewportSize({ width: 1440, height: 900 })
    let wide = 80
    await until(async () => {
      wide = await cols()
      return wide !== 80
    })
    await page.setViewportSize({ width: 1000, height: 700 })
    await until(async () => (await cols()) < wide)
    await page.getByRole('button', { name: 'Release keyboard' }).click()
    await page.getByText('View only').waitFor()
  })

  it('a failed run shows the reason at its node, is resumed after the cause is fixed, and completes', async () => {
    const file = join(server.work, 'go.txt')
    rmSync(file, { force: true })
    const failing =
      'digraph failing { start [shape=Mdiamond]; look [shape=parallelogram, tool_command="cat go.txt"]; exit [shape=Msquare]; start -> look -> exit }'
    const failed = await startRun(failing)
    await load(`/r/${failed}`)
    await page.locator('.page-head .badge', { hasText: 'failed' }).waitFor()
    await page.locator('.graph .node', { hasText: 'look' }).click()
    await page.getByText('No such file').first().waitFor()
    writeFileSync(file, 'now')
    await page.getByRole('button', { name: 'Retry the step' }).click()
    await page.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
  })

  it('a node with an agent shows input, result, tokens and cost', async () => {
    const asking =
      'digraph asking { start [shape=Mdiamond]; say [shape=box, agent="demo", prompt="Say hello to the signalman"]; exit [shape=Msquare]; start -> say -> exit }'
    await load(`/r/${await startRun(asking)}?node=say`)
    await page.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
    const attempt = page.locator('.attempt').first()
    await attempt.getByText(/\d+ in, \d+ out/).waitFor()
    await attempt.getByText('Input', { exact: true }).click()
    await attempt.getByText('Say hello to the signalman').first().waitFor()
    expect((await attempt.locator('details[open] pre').last().textContent())!.trim()).not.toBe('')
  })

  it('a phone can allow, send, interrupt, type keys and zoom a graph by pinching', async () => {
    const context = await openContext(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      reducedMotion: 'reduce',
    })
    try {
      const run = await startRun(GATED)
      const held = await startSession('in the hand')
      const phone = await context.newPage()
      await phone.goto(await link())
      const { id } = await ask('ls -l')
      const card = phone.locator(`article.card[data-approval="${id}"]`)
      await pressCard(
        card,
        once => card.getByRole('button', { name: 'Allow once' }).tap(once),
        async () => (await known(id)).state !== 'pending',
      )
      expect((await known(id)).decision).toMatchObject({ option: 'allow', surface: 'web' })

      await until(() => isIdle(held))
      await phone.goto(`${server.address}/s/${held}`)
      await phone.locator('#composer').fill('Work all night')
      await phone.getByRole('button', { name: 'Send' }).tap()
      await phone.getByRole('log').getByText('Work all night').first().waitFor()
      const interrupt = phone.getByRole('button', { name: 'Interrupt' })
      await phone.locator('.session-head .badge', { hasText: 'Working' }).waitFor()
      const { width, height } = (await interrupt.boundingBox())!
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
      await interrupt.tap()
      await until(() => isIdle(held))
      await phone.locator('.session-head .badge', { hasText: /Idle|Done/ }).waitFor()

      await phone.getByRole('tab', { name: 'Terminal' }).tap()
      await phone.getByRole('button', { name: 'Take keyboard' }).tap()
      await phone.getByText('You have the keyboard').waitFor()
      // The terminal has the width of the phone.
      await until(async () => (await get(`/panes/${held}/frame`)).cols < 80)
      await phone.keyboard.type('by thumb')
      await phone.locator('.xterm-rows').filter({ hasText: 'by thumb' }).waitFor()
      await phone.getByRole('button', { name: 'Escape' }).tap()
      await phone.getByRole('button', { name: 'Release keyboard' }).tap()

      await phone.goto(`${server.address}/r/${run}`)
      const graph = phone.locator('.graph svg')
      await graph.locator('.node.waiting').waitFor()
      await graph.scrollIntoViewIfNeeded()
      const before = (await graph.boundingBox())!
      await spread(phone, before)
      await phone.getByRole('button', { name: 'Fit' }).waitFor()
      expect((await graph.boundingBox())!.width).toBeGreaterThan(before.width * 1.5)
      // The page itself does not become wider than the phone.
      expect(await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      await phone.getByRole('button', { name: 'Fit' }).tap()
      expect((await graph.boundingBox())!.width).toBeCloseTo(before.width, 0)
    } finally {
      await context.close()
    }
  })

  it('axe finds no violation on request, plan, review and gate pages in any width and theme', async () => {
    const { ledger } = server.host
    const made = [riskyRequest(server.work), planRequest(server.work), reviewRequest(server.work)]
    const ids = await Promise.all(made.map(async request => (await ledger.request(request)).id))
    const other = await startRun(GATED)
    const gate = await until(async () => (await get(`/runs/${other}/gates`)).items[0]?.approval)
    // dashboard.test.ts examines the other pages.
    const paths = [...ids, gate.id as string].map(id => `/a/${id}`)
    const found: string[] = []
    for (const path of paths) {
      await load(path)
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      await page.locator('article.card').waitFor()
      found.push(...(await examineAll(page, path)))
    }
    expect(found).toEqual([])
  })

  it('no page logged an error', () => {
    expect(errors).toEqual([])
  })
})

/** Moves two fingers apart, from the middle to the left and to the right. */
async function spread(page: Page, { x, y, width, height }: { x: number; y: number; width: number; height: number }) {
  const touch = await page.context().newCDPSession(page)
  const middle = { x: x + width / 2, y: y + Math.min(height, 300) / 2 }
  const fingers = (apart: number) => [-1, 1].map((side, id) => ({ x: middle.x + side * apart, y: middle.y, id }))
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(30) })
  for (const apart of [31, 40, 50, 60])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(apart) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
