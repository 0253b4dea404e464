import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeGithub, type FakePull } from '../../src/pipelines/testing/fake-github.js'
import { waitFor } from '../e2e/harness.js'
import { firstRepository } from '../support/first-repository.js'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import { closeProfiles, logIn, openBrowser, openContext, pressCard, Served, watchErrors } from './harness.js'

/** With the `gh` of a scripted GitHub, and a demo agent that does not pause. */
class PullHome extends Served {
  override get env(): Record<string, string> {
    return {
      ...super.env,
      PATH: `${join(this.directory, 'bin')}:${process.env.PATH}`,
      SIGNALBOX_DEMO_SPEED: '0',
      SIGNALBOX_DEMO_HOME: join(this.directory, 'demo'),
    }
  }
}

/**
 * A person opens a pull request from the changes of a session, follows it, chooses what is fixed,
 * lets the round be published and stops. `SIGNALBOX_SHOTS=<dir>` keeps a picture of every step.
 */
describeNeeding('chromium', 'a pull request on the dashboard', () => {
  const served = new PullHome()
  const work = join(served.directory, 'project')
  const remote = join(served.directory, 'remote.git')
  const shots = process.env.SIGNALBOX_SHOTS
  let github: FakeGithub
  let browser: Browser
  let page: Page
  let errors: string[]
  let session: string

  beforeAll(async () => {
    firstRepository(work, { 'cart.js': 'export const total = items => items.length\n' })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: work, stdio: 'pipe' })
    execFileSync('git', ['clone', '-q', '--bare', work, remote])
    git('remote', 'add', 'origin', remote)
    git('checkout', '-q', '-b', 'sum-the-cart')
    writeFileSync(join(work, 'cart.js'), 'export const total = items => items.reduce((sum, item) => sum + item, 0)\n')
    git('commit', '-q', '-am', 'Sum the cart')
    github = await FakeGithub.open(remote, join(served.directory, 'bin'))
    github.onOpened.set('sum-the-cart', comments)
    mkdirSync(join(served.home, 'config'), { recursive: true })
    const settings = ['[pipelines]', 'profile = "mine"', '[profiles.mine.pull_request]', 'poll = 10']
    writeFileSync(join(served.home, 'config', 'config.toml'), `${settings.join('\n')}\n`)
    const [{ link }, opened] = await Promise.all([served.start(['serve', '--port', '0', '--json']), openBrowser()])
    browser = opened
    session = (JSON.parse(await served.run(['start', 'demo', '--cwd', work, '--json'])) as { id: string }).id
    page = await logIn(await openContext(browser, { viewport: { width: 1280, height: 900 } }), link)
    errors = watchErrors(page)
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await served.run(['stop', session])
    await served.close()
    await github?.close()
  })

  function comments(pull: FakePull): void {
    pull.checks.set('unit tests', 'FAILURE')
    pull.checks.set('lint', 'SUCCESS')
    github.thread(pull, 'ada', 'This is a bug: an empty cart has no prices.', 'cart.js', 1)
    github.comment(pull, 'bob', 'Why a reduce and not a loop?')
  }

  let step = 0
  async function shoot(name: string): Promise<void> {
    if (!shots) return
    mkdirSync(shots, { recursive: true })
    await page.screenshot({ path: join(shots, `pull-${++step}-${name}.png`), fullPage: true })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.screenshot({ path: join(shots, `pull-${step}-${name}-phone.png`), fullPage: true })
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  const request = (text: string | RegExp) => page.locator('article.card', { hasText: text }).first()
  const press = (card: Locator, name: string) =>
    pressCard(
      card,
      once => card.getByRole('button', { name }).click(once),
      async () => !(await card.getByRole('button', { name }).isVisible()),
    )

  it('is opened from the changes of a session, after one decision that shows its text', async () => {
    await page.goto(`${served.address}/s/${session}?view=changes`)
    await page.getByRole('button', { name: 'Pull request…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Open a pull request' })
    await dialog.getByLabel('Then').selectOption('green')
    await shoot('dialog')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const card = request('The run wants to push, open a pull request')
    await card.waitFor()
    await shoot('asks')
    expect(await card.innerText()).toContain('Sum the cart')
    expect(github.pulls.size).toBe(0)
    await press(card, 'Allow once')
    await waitFor('the pull request', () => github.pulls.size === 1)
  })

  it('shows checks and threads with their triage, and offers to choose which are fixed', async () => {
    await page.getByRole('tab', { name: 'Pull request' }).click()
    await page.getByRole('list', { name: 'Checks' }).getByText('unit tests').waitFor()
    const round = page.getByRole('region', { name: 'Current round' })
    await round.getByText('This is a bug: an empty cart has no prices.').waitFor()
    await round.getByText('must fix').first().waitFor()
    await round.getByText('question', { exact: true }).waitFor()
    await shoot('round')
    expect(await examineAll(page, 'pull request')).toEqual([])
    const card = request('findings for you to select')
    await card.waitFor()
    // The log of the failed check has columns, and a request marks tabs.
    expect(await card.innerText()).not.toContain('hidden or look-alike character')
    await shoot('choose')
  })

  it('publishes the round after a decision, and shows the diff that answers it', async () => {
    const card = request('findings for you to select')
    await press(card, 'Fix')
    const acts = request(/post 2 comments/)
    await acts.waitFor()
    await shoot('publish')
    await press(acts, 'Allow once')
    await waitFor('the answers', () => github.pulls.get(1)!.threads[0]!.isResolved)
    github.pulls.get(1)!.checks.set('unit tests', 'PENDING')
    const round = page.getByRole('region', { name: 'Round 1' })
    await round.getByRole('button', { name: 'Show the diff that answers it' }).click()
    await shoot('answered')
    await round.getByText('settled what the review said').first().waitFor()
    expect(await round.innerText()).toContain('fixed')
    expect(await examineAll(page, 'round')).toEqual([])
  })

  it('is no longer followed after the run was cancelled on its page', async () => {
    await page.getByRole('button', { name: 'Cancel' }).first().click()
    await shoot('cancel')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Cancel/ })
      .last()
      .click()
    await page.getByText('Cancelled').first().waitFor()
    await shoot('cancelled')
    expect(errors).toEqual([])
  })

  it('begins with a design that one press hands over to an implementation', async () => {
    mkdirSync(join(work, 'docs', 'plans'), { recursive: true })
    writeFileSync(join(work, 'docs', 'plans', '2026-01-01-cart-design.md'), '# Round the cart\n\nTo cents.\n')
    await page.goto(`${served.address}/s/${session}?view=changes`)
    const design = page.getByRole('region', { name: 'Design' })
    await design.waitFor()
    await shoot('design')
    await design.getByRole('button', { name: 'Implement it' }).click()
    await page.getByRole('heading', { name: 'Round the cart' }).first().waitFor()
    const plan = request('has a plan for you to approve')
    await plan.waitFor()
    await shoot('plan')
    expect(errors).toEqual([])
  })
})
