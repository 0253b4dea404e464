import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLI, waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { openBrowser, openContext, pressCard, Served, watchErrors } from './harness.js'

/** The bar of the walk: from the code on the terminal to the edit that the agent has made. */
const WALK_MS = 60_000

/**
 * A person scans the code that `signalbox open --qr` prints, finds the request of an agent, reads
 * its diff and allows it. `SIGNALBOX_SHOTS=<dir>` keeps a picture of every step.
 */
describeNeeding('chromium', 'the dashboard on a phone', () => {
  const served = new Served()
  const shots = process.env.SIGNALBOX_SHOTS ?? mkdtempSync(join(tmpdir(), 'signalbox-phone-'))
  let browser: Browser
  let home: string

  beforeAll(async () => {
    mkdirSync(shots, { recursive: true })
    browser = await openBrowser()
    const { directory } = await served.start(['demo', '--dashboard', '--json'])
    home = join(directory!, 'home')
    await waitFor('the request of the agent', async () =>
      (await served.run(['approvals', '--json'], home)).includes('src/cart.js'),
    )
  })
  afterAll(async () => {
    await browser?.close()
    await served.close()
  })

  it(
    'is signed in with a QR code, shows the edit that an agent wants to make, and allows it',
    async () => {
      const printed = execFileSync(process.execPath, [CLI, 'open', '--qr'], {
        env: { ...served.env, SIGNALBOX_HOME: home },
        encoding: 'utf8',
      })
      expect(printed).toMatch(/[▀▄█]{5}/)
      const link = /https?:\/\/\S+\/login#\S+/.exec(printed)![0]
      const context = await openContext(browser, {
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
        deviceScaleFactor: 2,
      })
      const page = await context.newPage()
      const errors = watchErrors(page)
      await page.goto(link)
      await page.locator('.shell h1').first().waitFor()
      await shoot(page, '1-signed-in')
      const card = page.locator('article.card', { hasText: 'Demo wants to edit src/cart.js' })
      await card.scrollIntoViewIfNeeded()
      expect(await card.locator('.diff, .diff-view').first().innerText()).toContain('Math.round')
      await shoot(page, '2-the-edit')
      await pressCard(
        card,
        once => card.getByRole('button', { name: 'Allow once' }).tap(once),
        async () => !(await card.getByRole('button', { name: 'Allow once' }).isVisible()),
      )
      const decided = async () => JSON.parse(await served.run(['approvals', '--all', '--json'], home)) as Decided[]
      await waitFor('the agent to have received the decision', async () =>
        (await decided()).some(({ state, request }) => state === 'applied' && request.tool === 'Edit'),
      )
      await shoot(page, '3-allowed')
      // Nothing is wider than the phone.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
      expect(errors).toEqual([])
    },
    WALK_MS,
  )

  const shoot = (page: Page, name: string) => page.screenshot({ path: join(shots, `${name}.png`) })
})

interface Decided {
  state: string
  request: { tool: string }
}
