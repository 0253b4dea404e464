import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { executableText } from '../../../src/trust/index.js'
import { firstRepository } from '../../support/first-repository.js'
import { card, GATED, open, page, press, server } from './context.js'

/** The run that the first test starts. */
export let run = ''

export function describeRunActions(): void {
  it('a run is trusted and started from the form; its gate is answered; it is exported, forked and rewound', async () => {
    await open('/start?what=run')
    await page.getByRole('button', { name: 'Graph', exact: true }).click()
    await page.getByLabel('Directory').fill(server.work)
    await page.locator('#graph').fill(GATED)
    await page.getByRole('button', { name: 'Start run' }).click()
    await page.getByRole('button', { name: 'Trust and start' }).click()
    await page.waitForURL(/\/r\/run_/)
    run = page.url().split('/r/')[1]!.split('?')[0]!
    const answer = async () => {
      const asked = page.locator('article.card[data-still=true]').first()
      const id = (await asked.getAttribute('data-approval'))!
      await press(card(id), id, card(id).getByRole('button', { name: 'Yes' }))
      await page.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
    }
    await answer()
    const [bundle] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('button', { name: 'More actions' })
        .click()
        .then(() => page.getByRole('button', { name: 'Export (bundle)' }).click()),
    ])
    expect(JSON.parse(readFileSync(await bundle.path(), 'utf8')).run.id).toBe(run)

    for (const isRewind of [false, true]) {
      await open(`/r/${run}`)
      await page.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('button', { name: 'Fork…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Fork this run' })
      await dialog.getByLabel('Continue from').selectOption('first')
      if (isRewind) await dialog.getByLabel(/rewind/).check()
      const before = page.url()
      await dialog.getByRole('button', { name: 'Fork', exact: true }).click()
      await page.waitForURL(url => url.href !== before && url.pathname.startsWith('/r/'))
      await answer()
      await page.getByRole('link', { name: isRewind ? /rewind of/ : /fork of/ }).waitFor()
    }
  })

  it('a run in a repository shows progress and labels in the list, and the changes of each node', async () => {
    const repository = join(server.directory, `repository ${Date.now()}`)
    firstRepository(repository, { 'readme.md': 'as it was\n' })
    const writes = (text: string) => `shape=parallelogram, tool_command="echo ${text} >> notes.txt"`
    const graph = `digraph changes { goal="Take notes"; start [shape=Mdiamond]; first [${writes('one')}]; second [${writes('two')}]; look [shape=parallelogram, tool_command="cat notes.txt"]; ask [shape=hexagon, label="Go on?"]; exit [shape=Msquare]; start -> first -> second -> look -> ask; ask -> exit [label="[Y] Yes"] }`
    const { hash } = await executableText(graph, repository)
    const body = { graph, project: repository, trust: hash, labels: { ticket: 'SB-7' } }
    const { id } = (await server.ask('POST', '/api/v1/runs', { as: 'token', body })).json
    await open('/runs')
    const row = page.getByRole('row').filter({ has: page.locator(`a[href="/r/${id}"]`) })
    await row.getByText('ticket=SB-7').waitFor()
    await row
      .getByRole('progressbar', { name: 'Progress' })
      .and(page.locator('[aria-valuetext="3 of 4 nodes"]'))
      .waitFor()
    await page.getByLabel('Search runs').fill('sb-7')
    await page.locator('main tbody tr').nth(1).waitFor({ state: 'detached' })
    await page.getByLabel('Search runs').fill('')

    await row.getByRole('link', { name: 'Take notes' }).click()
    await page.locator('.graph .node', { hasText: 'second' }).click()
    await page.getByRole('tab', { name: 'Changes' }).click()
    const diff = page.getByRole('tabpanel')
    await diff.locator('.add').getByText('two').waitFor()
    expect(await diff.locator('.add').getByText('one').count()).toBe(0)
    await page.locator('.graph .node', { hasText: 'look' }).click()
    await diff.getByText('This node has no commit').waitFor()
    await diff.getByRole('button', { name: 'Show the changes of the whole run' }).click()
    await diff.locator('.add').getByText('one').waitFor()
    await diff.locator('.add').getByText('two').waitFor()
    await server.ask('POST', `/api/v1/runs/${id}/cancel`, { as: 'token', body: {} })
  })

  it('a graph shows its errors; without errors it can be run', async () => {
    await open('/graphs')
    await page.locator('#dot').fill('digraph g {\n  start [shape=Mdiamond]\n  start -> \n}')
    await page.locator('.gutter .error').first().waitFor()
    await page.locator('#dot').fill(GATED)
    await page.getByText('valid', { exact: true }).waitFor()
    await page.locator('.graph .node', { hasText: 'Go on?' }).waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
  })
}
