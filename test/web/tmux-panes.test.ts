import { execFileSync } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { logIn, openBrowser, openContext, Served, show } from './harness.js'

/* A tmux server that runs before the dashboard is started; no command joins it. */
describeNeeding('tmux', 'tmux panes on the dashboard', () => {
  describeNeeding('chromium', 'of a daemon that was only served', () => {
    let served: Served
    let browser: Browser
    let page: Page
    const tmux = (...args: string[]) => execFileSync('tmux', ['-f', '/dev/null', ...args], { env: served.env })
    const tile = () => page.locator('.tile').filter({ hasText: 'bash' })

    beforeAll(async () => {
      served = new Served()
      tmux('new-session', '-d', '-s', 'work', 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile')
      const [{ link }, opened] = await Promise.all([served.start(['serve', '--port', '0', '--json']), openBrowser()])
      browser = opened
      page = await logIn(await openContext(browser), link)
    })
    afterAll(async () => {
      await browser?.close()
      tmux('kill-server')
      await served?.close()
    })

    it('are shown with their status, and with why they have it', async () => {
      await show(page, '/panes')
      await tile().waitFor()
      tmux('send-keys', '-t', 'work', 'read -p "Overwrite the file? [y/N] " x', 'Enter')
      await tile().locator('.badge', { hasText: 'Needs you' }).waitFor()
      await tile()
        .getByRole('button', { name: /Actions for/ })
        .click()
      await page.getByRole('button', { name: 'Why this status?' }).click()
      const why = page.getByRole('dialog', { name: 'Why this status?' })
      await why.getByText('idle → waiting-approval').first().waitFor()
      await why.locator('code', { hasText: 'generic/menu' }).first().waitFor()
      await why.getByText('Counters of all panes').click()
      await why.locator('td', { hasText: 'status.changed' }).first().waitFor()
      await page.keyboard.press('Escape')
    })

    it('offer only what can be done with them', async () => {
      await tile()
        .getByRole('button', { name: /Actions for/ })
        .click()
      await page.getByRole('button', { name: 'Focus in tmux' }).waitFor()
      expect(await page.getByRole('button', { name: 'Rename…' }).count()).toBe(0)
    })
  })
})
