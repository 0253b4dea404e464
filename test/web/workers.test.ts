import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { GraphHome } from '../e2e/graph-home.js'
import { waitFor } from '../e2e/harness.js'
import { slowGraph, WorkerSite } from '../e2e/worker-site.js'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import { closeProfiles, logIn, openBrowser, openContext, show } from './harness.js'

describeNeeding('chromium', 'the page of workers', () => {
  let site: WorkerSite<GraphHome>
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    site = new WorkerSite(new GraphHome())
    const [opened] = await Promise.all([openBrowser(), site.serve()])
    browser = opened
    await site.work(await site.joined('first'), 'first')
    const { link } = await site.server.json<{ link: string }>(['serve', '--link', '--json'])
    page = await logIn(await openContext(browser), link)
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await site?.close()
  })

  const panel = (name: string) =>
    page.locator('.panel').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const press = (worker: string, button: string) => panel(worker).getByRole('button', { name: button }).click()

  it('moves the runs of a worker, and shows where they continue', async () => {
    const { server } = site
    const { lines, letEnd } = slowGraph(server)
    const trust = await server.trust('flow.dot')
    const start = ['run', 'flow.dot', '--detach', '--json', '--on', 'any', ...trust]
    const { run } = await server.json<{ run: string }>(start)
    await waitFor('the second step', () => lines().includes('begun'))
    await site.work(await site.joined('second'), 'second')
    await show(page, '/workers')
    const link = (worker: string) => panel(worker).locator(`a[href="/r/${run}"]`)
    await link('first').waitFor()
    await panel('second').getByText('nothing').waitFor()
    expect(await examineAll(page, 'workers')).toEqual([])

    await press('first', 'Move its runs')
    await link('second').waitFor()
    await panel('first').getByText('draining').waitFor()
    await panel('first').getByText('nothing').waitFor()
    await show(page, '/runs')
    await page.getByText('on second').waitFor()
    await show(page, '/workers')
    await waitFor('the step elsewhere', () => lines().filter(line => line === 'begun').length === 2)
    letEnd()
    await waitFor('the end', async () => {
      const { status } = await server.json<{ status: string }>(['show', run, '--json'])
      return status === 'completed'
    })
    expect(lines()).toEqual(['one', 'begun', 'begun', 'two', 'three'])
    await panel('second').getByText('nothing').waitFor()
  })

  it('lets a worker accept work again, and declares one lost only after a confirmation', async () => {
    await press('first', 'Ready')
    await panel('first').getByText('ready', { exact: true }).waitFor()
    await press('second', 'Lost…')
    const dialog = page.getByRole('dialog', { name: 'Is second lost?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(await site.worker('second')).toMatchObject({ state: 'ready' })
    await press('second', 'Lost…')
    await dialog.getByRole('button', { name: 'Declare it lost' }).click()
    await panel('second').getByText('lost', { exact: true }).waitFor()
    expect(await panel('second').getByRole('button', { name: 'Drain' }).count()).toBe(0)
  })
})
