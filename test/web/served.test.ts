import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLI, waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { closeProfiles, logIn, openBrowser, openContext, pressCard, Served, show, watchErrors } from './harness.js'

/** The bar of the walk: from the code on the terminal to the edit that the agent has made. */
const WALK_MS = 60_000

const TMUX = ['-f', '/dev/null']
const EDIT = {
  path: 'src/cart.js',
  find: '=> sum',
  replace: '=> Math.round(sum * 100) / 100',
}

/** A daemon that `signalbox serve` started, beside a tmux server that ran before it. */
describeNeeding('chromium', 'a daemon started only with `serve`', () => {
  const served = new Served()
  const project = join(served.directory, 'project')
  const tmux = (...args: string[]) => execFileSync('tmux', [...TMUX, ...args], { env: served.env })
  let browser: Browser
  let link: string

  beforeAll(async () => {
    mkdirSync(join(project, 'src'), { recursive: true })
    writeFileSync(join(project, EDIT.path), 'export const total = sum => sum\n')
    // A machine without tmux has no panes to show.
    spawnSync('tmux', [...TMUX, 'new-session', '-d', '-s', 'work', 'env', 'PS1=$ ', 'bash', '--norc', '--noprofile'], {
      env: served.env,
    })
    const [started, opened] = await Promise.all([served.start(['serve', '--port', '0', '--json']), openBrowser()])
    link = started.link
    browser = opened
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await served.close()
  })

  /**
   * A person scans the code that `signalbox open --qr` prints, finds the request of an agent, reads
   * its diff and allows it. `SIGNALBOX_SHOTS=<dir>` keeps a picture of every step.
   */
  it(
    'is opened on a phone by QR code, shows the edit that an agent requests, and allows it',
    async () => {
      const session = await startEdit()
      const printed = execFileSync(process.execPath, [CLI, 'open', '--qr'], { env: served.env, encoding: 'utf8' })
      expect(printed).toMatch(/[▀▄█]{5}/)
      const context = await openContext(browser, {
        viewport: { width: 390, height: 844 },
        isMobile: true,
        hasTouch: true,
        deviceScaleFactor: 2,
      })
      const page = await context.newPage()
      const errors = watchErrors(page)
      await page.goto(/https?:\/\/\S+\/login#\S+/.exec(printed)![0])
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
      await served.run(['wait', session, '--for', 'idle'])
      await waitFor('the agent to have received the decision', async () => {
        const decided = JSON.parse(await served.run(['approvals', '--all', '--json'])) as Decided[]
        return decided.some(({ state, request }) => state === 'applied' && request.tool === 'Edit')
      })
      await shoot(page, '3-allowed')
      // Nothing is wider than the phone.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
      expect(errors).toEqual([])
      await context.close()
      await served.run(['stop', session])
    },
    WALK_MS,
  )

  async function startEdit(): Promise<string> {
    const scenario = join(served.directory, 'edit.json')
    const steps = [{ tool: { name: 'Edit', kind: 'edit', edit: EDIT, permission: true } }, { say: 'Rounded.' }]
    writeFileSync(scenario, JSON.stringify({ name: 'edit', turns: [{ match: '/round/', steps }] }))
    const agent = ['--', '--scenario', scenario, '--speed', '20']
    const { id } = JSON.parse(await served.run(['start', 'demo', '--cwd', project, '--json', ...agent])) as Session
    await served.run(['send', id, 'Please round the total'])
    return id
  }

  async function shoot(page: Page, name: string): Promise<void> {
    const shots = process.env.SIGNALBOX_SHOTS
    if (!shots) return
    mkdirSync(shots, { recursive: true })
    await page.screenshot({ path: join(shots, `phone-${name}.png`) })
  }

  describeNeeding('tmux', 'the page of tmux panes', () => {
    let page: Page
    const tile = () => page.locator('.tile').filter({ hasText: 'bash' })

    beforeAll(async () => {
      page = await logIn(await openContext(browser), link)
    })
    afterAll(() => void tmux('kill-server'))

    it('shows their status and the reason for it', async () => {
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

    it('offers only the actions that tmux panes support', async () => {
      await tile()
        .getByRole('button', { name: /Actions for/ })
        .click()
      await page.getByRole('button', { name: 'Focus in tmux' }).waitFor()
      expect(await page.getByRole('button', { name: 'Rename…' }).count()).toBe(0)
    })
  })
})

interface Session {
  id: string
}

interface Decided {
  state: string
  request: { tool: string }
}
