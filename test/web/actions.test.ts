import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { editSettings } from '../../src/config/edit-settings.js'
import { createRun, runStream } from '../../src/engine/index.js'
import { newEvent } from '../../src/events/index.js'
import { TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import {
  browser,
  card,
  closePage,
  command,
  errors,
  known,
  link,
  open,
  openPage,
  page,
  press,
  server,
} from './actions/context.js'
import { describeRequestActions } from './actions/request-actions.js'
import { describeRunActions, run } from './actions/run-actions.js'
import { openContext, pressCard, show } from './harness.js'

/**
 * Rare actions, each from start to end, on one server in this process. The tests add requests of
 * every kind directly to its ledger; runs, sessions and files are real.
 */
describeNeeding('chromium', 'pages and actions of the dashboard', () => {
  beforeAll(openPage)
  afterAll(closePage)

  describeRequestActions()
  describeRunActions()

  it('a session accepts and offers files; a link leads to the replay of a decision', async () => {
    await open('/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByLabel('Directory').fill(server.work)
    await page.getByText('More options').click()
    await page.getByLabel('Name (optional)').fill('files')
    await page.getByLabel('First prompt (optional)').fill('The tests fail. Find out why and fix it.')
    await page.getByLabel('Extra arguments').fill('--scenario tour --speed 10')
    await page.getByRole('button', { name: 'Start session' }).click()
    await page.locator('h1', { hasText: 'files' }).waitFor()
    const asked = page.locator('article.card[data-still=true]').first()
    await asked.waitFor()
    const id = (await asked.getAttribute('data-approval'))!
    await press(card(id), id, card(id).getByRole('button', { name: 'Allow once' }))
    await until(async () => (await known(id)).state === 'applied')
    const then = page.getByRole('link', { name: 'Screen at the time of the decision' }).first()

    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'spec.txt', mimeType: 'text/plain', buffer: Buffer.from('as it should be') })
    const session = (await known(id)).subject.session!
    const stored = join(server.host.settings.dataDirectory, 'uploads', session)
    await until(async () => {
      const { readdir } = await import('node:fs/promises')
      return (await readdir(stored).catch(() => [])).some(name => name.includes('spec'))
    })
    await page.getByRole('tab', { name: 'Files' }).click()
    const tree = page.getByRole('list', { name: 'Files' })
    await tree.getByRole('button', { name: 'src' }).click()
    await tree.getByRole('button', { name: /^note\.txt/ }).click()
    const preview = page.getByRole('region', { name: 'src/note.txt' })
    await preview.getByText('kept in the project').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      preview.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(readFileSync(await file.path(), 'utf8')).toBe('kept in the project')
    await page.getByRole('tab', { name: 'Conversation' }).click()

    await then.click()
    await page.locator('.xterm-rows').filter({ hasText: 'May I make this change' }).waitFor()
    await page.getByRole('button', { name: 'Copy link' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toMatch(new RegExp(`^${server.address}/replay/.+\\?t=\\d+$`))
    await page.goto(copied)
    await page.locator('.xterm-rows').filter({ hasText: 'May I make this change' }).waitFor()
  })

  it('a setting is changed; loosening needs a confirmation; an invalid value changes nothing', async () => {
    await open('/settings/advanced')
    const search = page.getByLabel('Search settings')
    const saved = page.getByText('Saved. It applies after a restart.')
    const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
    server.ageLogins()
    await search.fill('approvals.grant_uses')
    const uses = page.getByLabel('It is used at most')
    await uses.fill('9')
    await uses.press('Enter')
    await confirm.getByRole('button', { name: 'Back' }).click()
    await confirm.waitFor({ state: 'detached' })
    expect(
      await page
        .locator('.toasts')
        .getByText(/confirm/i)
        .count(),
    ).toBe(0)
    await uses.press('Enter')
    await confirm.getByLabel(/Passphrase, or the link/).fill('not it')
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await confirm.getByText('Wrong passphrase or link').waitFor()
    await confirm.getByLabel(/Passphrase, or the link/).fill(await link())
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await saved.waitFor()

    await search.fill('notify.grace_s')
    const field = page.getByLabel('While I am active, wait before another channel')
    await field.fill('7 s')
    await field.blur()
    const file = join(server.directory, 'home', 'config', 'config.toml')
    await until(() => /grace_s = 7/.test(readFileSync(file, 'utf8')))
    expect(readFileSync(file, 'utf8')).toMatch(/grant_uses = 9/)
    await field.fill('7')
    await page.getByText('Enter a time with its unit').waitFor()
    await field.blur()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.press('Escape')
    expect(await field.inputValue()).toBe('7 s')
    expect(readFileSync(file, 'utf8')).toMatch(/grace_s = 7/)

    // The daily budget is drawn as a line, and is a column of the table.
    editSettings(file, { 'runs.day_usd': 2.5 }, { version: null, isAtTerminal: true })
    await open('/usage')
    await page.getByText('Daily budget, $2.50').waitFor()
    await page.getByRole('button', { name: 'Table' }).first().click()
    const days = page.getByRole('region', { name: 'Cost per day as a table' })
    await days.getByRole('columnheader', { name: 'Daily budget' }).waitFor()
    await open('/')
    await page.getByRole('region', { name: 'Spend today' }).getByText('of today’s $2.50 budget').waitFor()
  })

  it('a run that no process drives needs you, is shown as interrupted, and names the command that resumes it', async () => {
    const { store } = server.host
    const at = Date.now() - 60_000
    const about = { title: 'Left alone', project: server.work, cwd: server.work, person: 'local' }
    // No process here drives this kind.
    const id = await createRun(store, { kind: 'elsewhere', ...about, input: {} }, at)
    await store.append(runStream(id), 'any', [newEvent('run.started', { host: 'gone', epoch: 1 }, at)])
    await open('/')
    const line = page.locator('.line-item', { hasText: 'The process that ran it has ended' }).first()
    await line.waitFor()
    expect(await line.innerText()).toContain(`signalbox resume ${id}`)
    await open(`/r/${id}`)
    await page.locator('.page-head .badge', { hasText: 'Interrupted' }).waitFor()
    const now = page.getByRole('region', { name: 'Now' })
    await now.locator('code', { hasText: `signalbox resume ${id}` }).waitFor()
    await now.getByRole('button', { name: 'Resume' }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('.page-head .badge', { hasText: 'Cancelled' }).waitFor()
  })

  it('people and devices are listed, another browser is signed out, and doctor lists its findings', async () => {
    const other = await openContext(browser)
    const rival = await other.newPage()
    await rival.goto(await link())
    await rival.locator('.shell h1').first().waitFor()
    await open('/settings/people')
    await page.getByRole('heading', { name: 'People' }).waitFor()
    await page.locator('.chip', { hasText: 'this browser' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'Revoke' }).first().getByRole('button', { name: 'Revoke' }).click()
    await rival.getByText('Login link or passphrase').waitFor()
    await other.close()
    await page.getByRole('link', { name: 'Doctor' }).click()
    await page.locator('.doctor-line', { hasText: 'node' }).first().waitFor()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.locator('.doctor-line', { hasText: 'git' }).first().waitFor()
  })

  it('no page scrolls sideways at a width of 320 pixels', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await open('/')
    const paths = [
      '/',
      '/sessions?show=ended',
      '/sessions?view=wall',
      '/runs',
      `/r/${run}`,
      '/requests',
      '/usage',
      '/graphs',
      '/start',
      '/start?what=run',
      '/settings',
      '/settings/remote',
      '/settings/advanced',
      '/settings/doctor',
      '/settings/people',
      '/settings/page',
    ]
    const wide: string[] = []
    for (const path of paths) {
      await show(page, path)
      const by = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (by > 0) wide.push(`${path} by ${by}`)
    }
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(wide).toEqual([])
  })

  it('a page opened without the server shows the last data and its time, and reconnects later', async () => {
    const { id } = await command('down', 'npm run offline')
    await open('/')
    await card(id).waitFor()
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await open('/')
    await card(id).waitFor()
    await page.reload()
    await card(id).waitFor()
    const { port } = server
    await server.api.close()
    await page.reload()
    await page.getByText(/Offline since/).waitFor()
    await page.getByText(/showing data from/).waitFor()
    await card(id).waitFor()
    expect(await card(id).getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true)
    await TestServer.restarted(server, { settings: { port } })
    await page.getByText(/Offline since/).waitFor({ state: 'detached' })
    await card(id).locator('.allow:enabled').waitFor()
  })

  it('a lockdown from the page revokes grants, tokens and devices at once, and accepts only denials', async () => {
    await page.goto(await link())
    await page.locator('.shell h1').first().waitFor()
    const { id } = await command(`locked ${Date.now()}`, 'npm run locked')
    await open('/settings/people')
    await page.getByRole('button', { name: 'Lock down…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Lock down?' })
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { token } = server
    expect((await server.ask('GET', '/api/v1/overview', { as: { bearer: token } })).status).toBe(200)
    await page.getByRole('button', { name: 'Lock down…' }).click()
    await dialog.getByRole('button', { name: 'Lock down' }).click()
    await page.getByText('Login link or passphrase').waitFor()
    expect((await server.ask('GET', '/api/v1/overview', { as: { bearer: token } })).status).toBe(401)

    // A person who signs in again may view, and deny.
    await page.goto(await link())
    await page.locator('.shell h1').first().waitFor()
    await open(`/a/${id}`)
    await pressCard(
      card(id),
      once => card(id).getByRole('button', { name: 'Allow once' }).click(once),
      () => page.locator('.toast.bad', { hasText: /lock/i }).first().isVisible(),
    )
    expect((await known(id)).state).toBe('pending')
    // A denial takes one press.
    await card(id).and(page.locator('[data-still=true]')).waitFor()
    await card(id).getByRole('button', { name: 'Deny', exact: true }).click()
    await until(async () => (await known(id)).decision?.option === 'deny')
  })

  it('no page logged an error', () => {
    expect(errors.filter(text => !/ERR_|Failed to (fetch|load)/.test(text))).toEqual([])
  })
})
