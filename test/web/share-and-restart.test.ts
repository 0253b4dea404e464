import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import { closeProfiles, logIn, openBrowser, openContext, Served, watchErrors } from './harness.js'

/** A daemon that a command started, as most people have it: only such a one restarts itself. */
describeNeeding('chromium', 'a shared session, and a restart from the page', () => {
  let served: Served
  let browser: Browser
  let page: Page
  let address: string
  let shared: string

  beforeAll(async () => {
    served = new Served()
    browser = await openBrowser()
    const started = JSON.parse(await served.run(['start', 'demo', '--prompt', 'Fix the failing test', '--json'])) as {
      id: string
    }
    const { link } = JSON.parse(await served.run(['open', '--json'])) as { link: string }
    address = new URL(link).origin
    page = await logIn(await openContext(browser, { viewport: { width: 1280, height: 900 } }), link)
    await page.goto(`${address}/s/${started.id}`)
    await page.getByRole('heading', { name: 'Fix the failing test' }).waitFor()
  })
  afterAll(async () => {
    await closeProfiles(browser)
    for (const { id } of JSON.parse((await served.run(['sessions', '--json'])) || '[]') as { id: string }[])
      await served.run(['stop', id])
    await served.run(['serve', '--stop'])
    await served.close()
  })

  it('a link from the menu of a session shows its conversation to a browser without a login', async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Share…' }).click()
    await page.getByLabel('The link expires after').selectOption('1')
    await page.getByRole('button', { name: 'Create link' }).click()
    shared = await page.getByLabel('Link', { exact: true }).inputValue()
    expect(await examineAll(page, 'page')).toEqual([])
    await page.getByRole('button', { name: 'Close' }).first().click()

    const reader = await (await openContext(browser, { viewport: { width: 390, height: 844 } })).newPage()
    const errors = watchErrors(reader)
    await reader.goto(shared)
    const talk = reader.getByRole('log', { name: 'Conversation' })
    await talk.getByText('Fix the failing test').waitFor()
    await talk.getByText('Demo wants to edit src/cart.js · waits for a decision').waitFor()
    await reader.getByText('read-only').waitFor()
    // It has no control of the session, and no way into the rest.
    expect(await reader.getByRole('button', { name: /allow|deny|send|stop/i }).count()).toBe(0)
    expect(await examineAll(reader, 'shared')).toEqual([])
    await reader.getByText('Terminal', { exact: true }).click()
    await reader.getByRole('region', { name: 'Terminal' }).getByText('May I make this change').waitFor()
    expect(await examineAll(reader, 'shared')).toEqual([])
    expect(errors).toEqual([])
    await reader.goto(`${address}/sessions`)
    await reader.getByLabel('Login link or passphrase').waitFor()
  })

  it('a revoked link shows nothing, also where it is already open', async () => {
    const reader = await (await openContext(browser)).newPage()
    await reader.goto(shared)
    await reader.getByRole('log', { name: 'Conversation' }).waitFor()
    await page.goto(`${address}/settings/people`)
    const links = page.getByRole('list', { name: 'Shared sessions' })
    await links.getByRole('button', { name: 'Revoke' }).click()
    await links.waitFor({ state: 'detached' })
    await reader.getByText('This link is invalid, has expired or was revoked').waitFor()
    expect(await reader.getByRole('log').count()).toBe(0)
  })

  it('a setting that needs a restart is applied by one press; the agent keeps running', async () => {
    await page.goto(`${address}/settings/agents`)
    const field = page.getByLabel('Live sessions at most')
    await field.fill('77')
    await field.press('Enter')
    const pid = async () => (JSON.parse(await served.run(['serve', '--background', '--json'])) as { pid: number }).pid
    const before = await pid()
    await page.getByRole('button', { name: 'Restart now' }).click()
    await page.getByRole('button', { name: /^Restart/ }).waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('77')
    await waitFor('another daemon', async () => (await pid()) !== before)
    const [session] = JSON.parse(await served.run(['sessions', '--json'])) as { state: string }[]
    expect(session).toMatchObject({ state: 'live' })
  })

  it('a directory for a new session is selected step by step', async () => {
    await page.goto(`${address}/start`)
    await page.getByLabel('Directory').fill(`${served.directory}/`)
    await page.getByRole('button', { name: 'Browse' }).click()
    await page.getByRole('group', { name: 'Directories' }).getByRole('button', { name: 'home' }).click()
    expect(await page.getByLabel('Directory').inputValue()).toBe(`${served.home}/`)
    await page.getByRole('button', { name: '↑ up' }).click()
    expect(await page.getByLabel('Directory').inputValue()).toBe(`${served.directory}/`)
    expect(await examineAll(page, 'page')).toEqual([])
  })
})
