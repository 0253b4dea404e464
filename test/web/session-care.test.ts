import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OWNER } from '../../src/server/caller.js'
import { TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import { closeProfiles, openBrowser, openContext, watchErrors } from './harness.js'

const ASKS = { tool: { name: 'Shell', kind: 'shell', command: 'echo one', permission: true, onDeny: 'continue' } }
const NEARLY_FULL = { usage: { input: 184_000, output: 10, contextWindow: 200_000 } }
/** Longer than the timeout of a test: only an interrupt ends it. */
const THINKS = { think: { ms: 3_600_000 } }

/**
 * A session whose context is nearly full, whose agent repeats its requests, uses its budget and
 * gives a very long answer.
 */
describeNeeding('chromium', 'a session that is paused, stuck or nearly full', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let errors: string[]
  let session: string

  beforeAll(async () => {
    const [started, opened] = await Promise.all([TestServer.start(), openBrowser()])
    server = started
    browser = opened
    const scenario = join(server.directory, 'care.json')
    const turns = [
      { match: '/loop/', steps: [NEARLY_FULL, ...Array.from({ length: 5 }, () => ASKS), THINKS] },
      { match: '/once/', steps: [ASKS, { say: 'Done.' }] },
      { match: '/spend/', steps: [{ usage: { input: 1_000, output: 10, costUsd: 2.5 } }, { say: 'Spent.' }] },
      { match: '/long/', steps: [{ huge: { lines: 3000, as: 'say' } }, { say: 'That is all.' }] },
    ]
    writeFileSync(scenario, JSON.stringify({ name: 'care', turns, otherwise: { steps: [{ say: 'Yes?' }] } }))
    const args = ['--scenario', scenario, '--speed', '20']
    const body = { agent: 'demo', cwd: server.work, label: 'care', args }
    session = (await server.ask('POST', '/api/v1/sessions', { as: 'token', body })).json.id
    page = await (await openContext(browser, { viewport: { width: 1280, height: 900 } })).newPage()
    errors = watchErrors(page)
    await page.goto(`${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`)
    await page.locator('.shell h1').first().waitFor()
    await page.goto(`${server.address}/s/${session}`)
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await server?.close()
  })

  const send = (text: string) =>
    server.ask('POST', `/api/v1/sessions/${session}/messages`, { as: 'token', body: { text } })
  const records = async () => server.host.ledger.list({ isOpenOnly: false })
  const pending = async () => (await records()).find(({ state }) => state === 'pending')

  it('flags an agent in a loop, and denies and interrupts it with one press', async () => {
    await send('loop')
    for (let round = 1; round < 5; round++) {
      await until(async () => (await records()).length === round && (await pending()) !== undefined)
      await server.ask('POST', '/api/v1/approvals/deny-all', { as: 'token', body: {} })
    }
    const note = page.getByRole('note').filter({ hasText: 'Requested 5 times within 10 minutes' })
    await note.waitFor()
    const button = note.getByRole('button', { name: 'Deny and interrupt' })
    // A card that has just moved accepts no press.
    await until(async () => {
      await button.click({ timeout: 1_000 }).catch(() => undefined)
      return (await pending()) === undefined
    })
    await until(() => server.host.live(session)!.isIdle)
    const last = (await records()).at(-1)!
    expect(last).toMatchObject({ state: 'applied', decision: { tier: 'deny', thenInterrupt: true, surface: 'web' } })
  })

  it('offers to compact a context that is nearly full; the offer can be dismissed', async () => {
    const notice = page.getByRole('status').filter({ hasText: 'nearly full: 184 k of 200 k tokens' })
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await notice.getByRole('button', { name: 'Compact now' }).click()
    await page.getByLabel('Show terminal').check()
    await page.locator('.xterm-rows').filter({ hasText: 'The conversation was made shorter.' }).waitFor()
  })

  it('lists in its header what the agent does without asking', async () => {
    await until(() => server.host.live(session)!.isIdle)
    expect((await send('once')).status).toBe(202)
    await until(async () => (await pending()) !== undefined)
    const { id } = (await pending())!
    const card = page.locator(`article[data-approval="${id}"]`)
    const still = page.locator(`article[data-approval="${id}"][data-still=true]`)
    const wide = card.getByRole('button', { name: /do not ask again/ })
    await until(async () => {
      const more = card.getByRole('button', { name: 'More', exact: true })
      if (!(await wide.isVisible())) await more.click({ timeout: 1_000 }).catch(() => undefined)
      await still.waitFor()
      await wide.click({ timeout: 1_000 }).catch(() => undefined)
      return (await pending()) === undefined
    })
    // The tool has the name of the agent's report, or of its dialog if that was read first.
    await page.getByRole('link', { name: /the agent allows (Shell|Run a command) without asking since/ }).waitFor()
  })

  it('is paused when its budget is used up, and sends the held prompt when the budget is raised', async () => {
    await until(() => server.host.live(session)!.isIdle)
    await server.ask('POST', `/api/v1/sessions/${session}/budget`, { as: 'token', body: { usd: 2, tokens: null } })
    await send('spend')
    const notice = page
      .getByRole('status')
      .filter({ hasText: 'Paused. The session has used its budget of $2.00 ($2.50 so far)' })
    await notice.waitFor()
    await page.getByLabel('Prompt', { exact: true }).fill('hello again')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The prompt is sent when the budget is raised.').waitFor()
    expect(server.host.live(session)!.heldPrompts).toHaveLength(1)
    await notice.getByRole('button', { name: 'Raise to $4.50' }).click()
    await notice.waitFor({ state: 'detached' })
    await until(() => server.host.live(session)!.heldPrompts.length === 0)
    await page.locator('.talk').getByText('Yes?').last().waitFor()
  })

  it('shows an answer of 3000 lines completely', async () => {
    await until(() => server.host.live(session)!.isIdle)
    await send('long')
    await page.locator('.talk').getByText('That is all.').last().waitFor()
    // The page may draw its end first.
    const lines = async () => (await page.locator('.talk').innerText()).match(/\d{7} the quick/g)?.length
    await expect.poll(lines).toBe(3000)
  })

  it('is found by words that its agent said', async () => {
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Search' })
    await dialog.getByRole('combobox').fill('Spent')
    await dialog.getByRole('option', { name: /Search everything for “Spent”/ }).click()
    await page.getByRole('list', { name: 'Results' }).getByText('Spent.').first().click()
    await page.getByRole('heading', { name: 'care' }).waitFor()
    expect(errors).toEqual([])
  })
})
