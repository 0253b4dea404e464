import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { OWNER } from '../../src/server/caller.js'
import { TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import { closeProfiles, openBrowser, openContext, pressCard, watchErrors } from './harness.js'

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==',
  'base64',
)
const numbers = (from: number, to: number, word: string) =>
  `${Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}${word}`).join('\n')}\n`

/** One session whose repository has many changes; the tests follow one another. */
describeNeeding('chromium', 'the changes of a session', () => {
  let server: TestServer
  let browser: Browser
  let page: Page
  let errors: string[]
  let work: string

  beforeAll(async () => {
    const [started, opened] = await Promise.all([TestServer.start({ hasRuns: true }), openBrowser()])
    server = started
    browser = opened
    work = join(server.directory, 'repository')
    mkdirSync(join(work, 'src', 'deep'), { recursive: true })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: work, stdio: 'pipe' })
    writeFileSync(join(work, 'src', 'deep', 'a.ts'), numbers(1, 60, ''))
    writeFileSync(join(work, 'big.txt'), numbers(1, 3_000, ''))
    writeFileSync(join(work, 'space.txt'), 'one\ntwo\n')
    git('init', '--quiet', '-b', 'main')
    git('add', '.')
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first')
    const body = { agent: 'demo', cwd: work, label: 'changes' }
    const session = (await server.ask('POST', '/api/v1/sessions', { as: 'token', body })).json.id as string
    const changed = numbers(1, 60, '').replace('line 3\n', 'line three\n').replace('line 50\n', 'line fifty\n')
    writeFileSync(join(work, 'src', 'deep', 'a.ts'), changed)
    writeFileSync(join(work, 'big.txt'), numbers(1, 3_000, '!'))
    writeFileSync(join(work, 'space.txt'), 'one\n  two\n')
    writeFileSync(join(work, 'dot.png'), PNG)
    page = await (await openContext(browser, { viewport: { width: 1280, height: 900 } })).newPage()
    errors = watchErrors(page)
    await page.goto(`${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`)
    await page.locator('.shell h1').first().waitFor()
    await page.goto(`${server.address}/s/${session}?view=changes`)
    await page.getByRole('button', { name: 'Uncommitted' }).click()
    await page.locator('.rows .diff-row').first().waitFor()
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await server?.close()
  })

  const rows = () => page.getByRole('region', { name: 'Changes' })
  const pick = (name: string) => page.getByRole('navigation', { name: 'Changed files' }).getByTitle(name).click()

  it('has a tree of the files, and draws only the visible ones of many lines', async () => {
    const tree = page.getByRole('navigation', { name: 'Changed files' })
    expect(await tree.getByRole('listitem').allInnerTexts()).toEqual([
      'src/deep/',
      expect.stringContaining('a.ts'),
      expect.stringContaining('big.txt'),
      expect.stringContaining('dot.png'),
      expect.stringContaining('space.txt'),
    ])
    await pick('big.txt')
    await rows().getByText('line 3000!').waitFor({ state: 'detached' })
    await rows().evaluate(box => box.scrollTo(0, 3_000 * 20))
    await rows().getByText('line 2990', { exact: true }).waitFor()
    expect(await rows().locator('.diff-row').count()).toBeLessThan(300)
    expect(await examineAll(page, 'changes')).toEqual([])
  })

  it('shows an image, and hides changes of white space', async () => {
    await pick('dot.png')
    const image = rows().getByAltText('dot.png, after the change')
    await until(() => image.evaluate(element => (element as unknown as { naturalWidth: number }).naturalWidth === 1))
    await page.getByLabel('Ignore white space').check()
    await page.getByRole('navigation', { name: 'Changed files' }).getByTitle('space.txt').waitFor({ state: 'detached' })
    await page.getByLabel('Ignore white space').uncheck()
    await page.getByRole('navigation', { name: 'Changed files' }).getByTitle('space.txt').waitFor()
  })

  it('moves by keys, and collects comments that are sent as one prompt', async () => {
    await pick('src/deep/a.ts')
    await page.keyboard.press('n')
    for (let line = 0; line < 4; line++) await page.keyboard.press('j')
    await page.keyboard.press('c')
    await page.getByLabel('Comment on src/deep/a.ts, line 3').fill('Write it as a digit.')
    await page.keyboard.press('Control+Enter')
    await rows().getByText('Write it as a digit.').waitFor()
    await rows().getByRole('button', { name: 'Comment on line 50' }).click()
    await page.getByLabel('Comment on src/deep/a.ts, line 50').fill('Here, too.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    // They survive a reload of the page.
    await page.reload()
    const bar = page.getByRole('group', { name: 'Collected comments' })
    await bar.getByText('2 comments, not sent yet').waitFor()
    await bar.getByRole('button', { name: 'Send to the agent' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Conversation' }).click()
    await page.getByText('Write it as a digit.').first().waitFor()
    await page.getByText('Here, too.').first().waitFor()
  })

  it('discards one part, also in the side-by-side view, and keeps the other', async () => {
    await page.getByRole('tab', { name: 'Changes' }).click()
    await page.getByRole('button', { name: 'Uncommitted' }).click()
    await page.getByRole('button', { name: 'Side by side' }).click()
    await pick('src/deep/a.ts')
    const pair = rows().locator('.pair', { hasText: 'line fifty' })
    await pair.getByText('line 50', { exact: true }).waitFor()
    // Both halves are one line high and beside each other.
    const [left, right] = await pair.locator('.half').all()
    const [old, now] = [(await left!.boundingBox())!, (await right!.boundingBox())!]
    expect([old.height, now.height, now.y - old.y, now.x - old.x > 100]).toEqual([20, 20, 0, true])
    await rows().getByRole('button', { name: 'Discard part' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    const file = join(work, 'src', 'deep', 'a.ts')
    await until(() => {
      // Git removes the file before it writes it again.
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return text.includes('line 3\n') && text.includes('line fifty')
    })
    expect(errors).toEqual([])
  })

  it('starts a review with comments as findings, which fixes the selected ones', async () => {
    const session = page.url()
    // The viewer has read the file again, without the part that was taken back.
    await rows().getByText('line three').waitFor({ state: 'detached' })
    const changed = rows().locator('.pair', { hasText: 'line fifty' })
    await changed.getByRole('button', { name: 'Comment on line 50' }).last().click()
    await page.getByLabel('Comment on src/deep/a.ts, line 50').fill('Fifty is a number.')
    await page.getByRole('button', { name: 'Add comment' }).click()
    const bar = page.getByRole('group', { name: 'Collected comments' })
    await bar.getByRole('button', { name: 'Start a review with them' }).click()
    await page.waitForURL(/\/r\/run_/)
    await page.getByRole('heading', { name: 'The run has findings for you to select' }).waitFor()
    // Once in the text of the request, once as an item.
    expect(await page.locator('main').getByText('Fifty is a number.').count()).toBe(2)
    const card = page.locator('article.card').filter({ hasText: 'findings for you to select' })
    await pressCard(
      card,
      options => card.getByRole('button', { name: 'Fix 1 of 1' }).click(options),
      async () => (await card.count()) === 0,
    )
    await page.getByLabel('Log of Developer').waitFor({ state: 'attached' })
    expect(errors).toEqual([])
    await page.goto(session)
    await page.getByRole('button', { name: 'Uncommitted' }).click()
  })

  it('shows what a pull request lacks before it is opened', async () => {
    await page.getByRole('button', { name: 'Pull request…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open a pull request' })
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const alert = dialog.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toMatch(/no remote|origin/i)
  })
})
