import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasChromium, logIn, openBrowser, Served, watchOrigins } from './harness.js'

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

  it('shows empty pages that say what to do', async () => {
    const { link, address } = await served.start(['serve', '--port', '0', '--json'])
    const context = await browser.newContext()
    foreign = watchOrigins(context, address)
    page = await logIn(context, link)
    expect(await page.locator('h1').textContent()).toBe('Nothing needs you')
    await page.getByText('No agents yet').waitFor()
    await page.goto(`${address}/runs?server=http://127.0.0.1:9&token=x#http://127.0.0.1:9`)
    await page.getByText('No runs yet').waitFor()
    await page.goto(`${address}/nowhere`)
    await page.getByText('There is no page at this address').waitFor()
  })

  it('says so when it is gone, changes nothing meanwhile, and shows the truth afterwards', async () => {
    const { address } = served
    const port = new URL(address).port
    await served.run(['start', 'demo', '--label', 'survivor', '--cwd', served.directory])
    const tabs = [page]
    for (const path of ['/sessions', '/panes', '/start']) {
      const tab = await page.context().newPage()
      await tab.goto(`${address}${path}`)
      tabs.push(tab)
    }
    await page.goto(`${address}/`)
    await page.getByText('survivor').waitFor()
    await tabs[3]!.getByLabel('Directory').fill(served.directory)

    await served.kill('SIGKILL')
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor()))
    expect(await page.getByText(/this is what was known at/).count()).toBe(1)
    expect(await tabs[3]!.getByRole('button', { name: 'Start the session' }).isDisabled()).toBe(true)

    await served.start(['serve', '--port', port, '--json'])
    await served.run(['start', 'demo', '--label', 'born meanwhile', '--cwd', served.directory])
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2_000 })
      .catch(() => undefined)
    await Promise.all(tabs.map(tab => tab.getByText(/Offline since/).waitFor({ state: 'detached' })))
    await page.getByText('born meanwhile').waitFor()
    await page.getByText('survivor').first().waitFor()
    await tabs[1]!.getByText('born meanwhile').waitFor()
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
