import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { show } from '../harness.js'
import { card, page, press, served, stopSession } from './context.js'

export function describeSessionsAndRuns(): void {
  it('a session shows terminal and conversation, sends a prompt, and its keyboard is taken and released', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /A first hello/ }).click()
    await page.getByRole('log').getByText('I am a').waitFor()
    // The screen is beside the conversation, small at first.
    await page.getByRole('complementary', { name: 'About this session' }).locator('svg text').first().waitFor()
    await page.getByLabel('Show terminal').check()
    await page.locator('.xterm-rows').filter({ hasText: 'What next?' }).waitFor()
    await page.locator('#composer').focus()
    await page.keyboard.type('Show me a table')
    await page.keyboard.press('Enter')
    await page.getByText('Delivered').waitFor()
    await page.getByRole('log').getByText('Show me a table').waitFor()
    await page
      .getByRole('log')
      .getByRole('heading', { name: /Demo.*turn 2/ })
      .waitFor()

    await page.getByRole('button', { name: 'Take keyboard' }).click()
    await page.getByText('You have the keyboard').waitFor()
    await page.keyboard.type('typed by hand')
    await page.locator('.xterm-rows').filter({ hasText: 'typed by hand' }).waitFor()
    await page.keyboard.press('Control+Shift+Period')
    expect(await page.evaluate(() => document.activeElement?.closest('.terminal-box') === null)).toBe(true)
    await page.getByRole('button', { name: 'Release keyboard' }).click()
    await page.getByText('View only').waitFor()
    await page.getByRole('button', { name: 'Plain text' }).click()
    await page.getByRole('region', { name: 'Terminal as plain text' }).getByText('typed by hand').waitFor()
  })

  it('the text of a terminal beside a conversation is readable on a usual and on a narrow screen', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /A first hello/ }).click()
    const before = page.viewportSize()!
    const text = page.locator('.xterm-rows')
    await text.filter({ hasText: 'hello' }).waitFor()
    for (const [width, least] of [
      [1440, 10],
      [1100, 9],
    ] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.waitForFunction(px => {
        const rows = document.querySelector('.xterm-rows')
        return rows !== null && Number.parseFloat(getComputedStyle(rows).fontSize) >= px
      }, least)
    }
    // The divider moves with keys and with the mouse, stays after a reload, and is reset.
    await page.setViewportSize({ width: 1440, height: 900 })
    const divider = page.getByRole('separator', { name: 'Width of the conversation' })
    const width = async () => (await page.locator('.split-talk').boundingBox())!.width
    const atFirst = await width()
    await divider.focus()
    for (let press = 0; press < 4; press++) await page.keyboard.press('ArrowRight')
    expect(await width()).toBeGreaterThan(atFirst + 40)
    const { x, y } = (await divider.boundingBox())!
    await page.mouse.move(x + 8, y + 300)
    await page.mouse.down()
    await page.mouse.move(x + 160, y + 300)
    await page.mouse.up()
    const dragged = await width()
    expect(dragged).toBeGreaterThan(atFirst + 140)
    await page.reload()
    await text.filter({ hasText: 'hello' }).waitFor()
    expect(await width()).toBeCloseTo(dragged, 0)
    await divider.dblclick()
    expect(await width()).toBeCloseTo(atFirst, 0)
    await page.setViewportSize(before)
  })

  it('a working session holds a prompt until it is deleted, is explained, interrupted, stopped and resumed', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /Rebuild the timetable/ }).click()
    await page.getByRole('log').getByText('module by module').waitFor()
    await page.locator('#composer').fill('and then the other half')
    await page.getByRole('button', { name: 'Queue' }).click()
    const held = page.getByRole('list', { name: 'Held prompts' })
    await held.getByText('and then the other half').waitFor()
    await held.getByRole('button', { name: 'Delete this prompt' }).click()
    await held.waitFor({ state: 'detached' })

    await page.keyboard.press('Escape')
    await page.locator('h1').click()
    await page.keyboard.press('e')
    const why = page.getByRole('dialog', { name: 'Why this status?' })
    await why.getByText('Evidence, highest authority first').waitFor()
    expect(await why.locator('table tbody tr').count()).toBeGreaterThan(0)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Interrupt' }).click()
    await page.locator('.session-head .badge', { hasText: /Idle|Done/ }).waitFor()
    await stopSession()
    await page.locator('.composer').getByText('The session was stopped').waitFor()
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.getByText('resumed from an earlier session').waitFor()
  })

  it('a session is on the wall with a preview and its status, and is renamed there', async () => {
    await show(page, '/panes')
    await page.locator('.tile .thumb svg text').first().waitFor()
    const tile = page.locator('.tile').filter({ hasText: 'A first hello' })
    expect(await tile.locator('.badge').textContent()).toMatch(/Idle|Done|Working/)
    expect(await tile.locator('.tile-why').textContent()).toMatch(/#\d+ · demo · timetable/)
    await tile.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('dialog', { name: 'Rename session' }).getByRole('textbox').fill('two words about parsers')
    await page.keyboard.press('Enter')
    const renamed = page.locator('.tile').filter({ hasText: 'two words about parsers' })
    await renamed.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('dialog', { name: 'Rename session' }).getByRole('textbox').fill('A first hello')
    await page.keyboard.press('Enter')
    await tile.waitFor()
    await tile.locator('.tile-open').click()
    await page.waitForURL(/\/s\//)
    // The wall has no tiles for ended sessions: they are listed.
    await show(page, '/panes')
    await page.getByRole('button', { name: /^Ended/ }).click()
    await page.getByRole('link', { name: /An ended session/ }).waitFor()
    await page.getByRole('button', { name: /^Idle/ }).click()
    await page.locator('.tile').first().waitFor()
  })

  it('a run shows graph, timeline, node details and log, and its gate is answered on its page', async () => {
    await show(page, '/runs')
    await page.getByText('Failed at “Pack”: the command exited with code 7').waitFor()
    await page.getByRole('button', { name: /^Needs you/ }).click()
    await page.getByRole('link', { name: /Write the change log/ }).click()
    await page.locator('.graph .node.waiting').waitFor()
    await page.locator('.graph .node.success', { hasText: 'Plan' }).click()
    await page.getByText('Next step').waitFor()
    expect(page.url()).toContain('node=plan')
    await page.getByRole('tab', { name: 'Log' }).click()
    await page.locator('.step-group', { hasText: 'Plan' }).first().waitFor()
    await page.getByLabel('Raw events').check()
    await page.locator('.log').getByText('node.finished').first().waitFor()
    const gate = card(/Approve this plan/)
    await press(gate, 'Approve')
    await page.locator('.page-head .badge', { hasText: 'Done' }).waitFor()
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.gantt li').nth(3).waitFor()
  })

  it('a visit of a node has its own status', async () => {
    await show(page, '/runs?status=running')
    await page.getByRole('link', { name: /Round discounts/ }).click()
    await page.locator('.graph .node', { hasText: 'Check' }).click()
    const details = page.locator('.panel', { has: page.getByRole('button', { name: 'Fork here' }) }).last()
    await details.getByText('visit 1', { exact: true }).click()
    await details.locator('.badge', { hasText: 'Failed' }).first().waitFor()
    await details.getByText('visit 2', { exact: true }).click()
    await details.locator('.badge', { hasText: 'Done' }).first().waitFor()
  })

  it('a run is cancelled by keyboard', async () => {
    await show(page, '/runs?status=running')
    await page.getByRole('link', { name: /Round discounts/ }).focus()
    await page.keyboard.press('Enter')
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true })
    await cancel.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Cancel this run?' }).getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('.page-head .badge', { hasText: 'Cancelled' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Fork…' }).click()
    await page.getByRole('dialog', { name: 'Fork this run' }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('a replay seeks to a position, keeps it in the address, and shows the detected status', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /Fix the failing test/ }).click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('link', { name: 'Replay' }).click()
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    await page.getByRole('button', { name: 'Next decision' }).click()
    await page.locator('.xterm-rows').filter({ hasText: 'May I make this change' }).waitFor()
    await page.getByText('Detected status').waitFor()
    await page.waitForURL(/\?t=\d+/)
    const at = new URL(page.url()).searchParams.get('t')
    await page.reload()
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    expect(
      Math.abs(Number(await page.getByRole('slider', { name: 'Position' }).inputValue()) - Number(at)),
    ).toBeLessThan(51)
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
  })

  it('two sessions are compared at positions that the address contains', async () => {
    await show(page, '/sessions')
    const href = await page.getByRole('link', { name: /Fix the failing test/ }).getAttribute('href')
    await show(page, `/replay/${href!.slice('/s/'.length)}`)
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare two moments' }).waitFor()
    const second = page.getByRole('region', { name: 'Second', exact: true })
    await page.getByText('Move both together').click()
    await second.getByRole('slider', { name: 'Position' }).fill('0')
    const view = page.locator('.compare-below').getByRole('row', { name: /^View/ })
    await view.getByText('unknown').waitFor()
    await second.getByRole('combobox').selectOption({ label: '7 A first hello' })
    await page.locator('.diff .add').first().waitFor()
    await page.getByRole('button', { name: 'Conversation' }).click()
    await page.locator('.diff').getByText('The signalman sees every train').waitFor()
    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(link).toMatch(/\/compare\?a=\w+&at=\d+&b=\w+&bt=\d+$/)
    await show(page, link.replace(served.address, ''))
    await second.locator('.xterm-rows').filter({ hasText: 'enter to send' }).waitFor()
  })

  it('sub-agents are shown as a tree, and the use of the context as a gauge, also after the session ended', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /Check every signal/ }).click()
    const gauge = page.getByRole('meter', { name: 'Context in use' })
    await gauge.waitFor()
    expect(await gauge.getAttribute('aria-valuetext')).toBe('67%, 134 k of 200 k tokens')
    const tree = page.getByRole('list', { name: 'Sub-agents of demo' })
    await tree.locator('li li').getByText('Sight lines').waitFor()
    await tree.locator(':scope > li', { hasText: 'North line' }).getByText('Done').waitFor()
    expect(await tree.locator(':scope > li').count()).toBe(3)

    // The last report stays after the session has ended.
    await stopSession()
    await page.locator('.composer').getByText('The session was stopped').waitFor()
    await page.getByText('working at the last report').click()
    await tree.locator('li li').getByText('Sight lines').waitFor()
    await tree.locator(':scope > li', { hasText: 'Harbour' }).getByText('end unknown').first().waitFor()
    await page.reload()
    await page.getByText('working at the last report').waitFor()
    await gauge.waitFor()
  })

  it('two runs are compared node by node', async () => {
    await show(page, '/runs')
    await page.getByLabel('Compare Write the change log').check()
    await page.getByLabel('Compare Sort the imports').check()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare two runs' }).waitFor()
    const sort = page.getByRole('row', { name: /^Sort/ })
    await sort.getByText('not in this graph').waitFor()
    await sort.getByRole('button').click()
    await page.getByRole('region', { name: 'Result' }).getByText('One of the runs has not reached').waitFor()
  })

  it('usage is shown as plots, tables and CSV', async () => {
    await show(page, '/usage')
    await page.locator('.plot-box canvas').first().waitFor()
    const stats = await page.locator('.stats .stat').allTextContents()
    for (const stat of [
      /^\$[\d.]+spent$/,
      /^[\d.]+ ?[kM]?tokens in$/,
      /^\d+%of runs passed$/,
      /^\d.*median time to decide$/,
    ])
      expect(
        stats.filter(text => stat.test(text)),
        String(stat),
      ).toHaveLength(1)
    await page.getByText('Daily budget, $25.00').waitFor()
    await page.getByRole('button', { name: 'Table' }).first().click()
    await page.getByRole('region', { name: 'Cost per day as a table' }).waitFor()
    await page.getByRole('combobox', { name: 'Split by' }).selectOption('node')
    await page.getByRole('region', { name: 'Usage by node' }).getByText('plan').waitFor()
    for (const [split, shown] of [
      ['model', /^Usage by model/],
      ['version', /^Usage by pipeline version/],
    ] as const) {
      await page.getByRole('combobox', { name: 'Split by' }).selectOption(split)
      await page.getByRole('region', { name: shown }).locator('tbody tr').first().waitFor()
    }
    // The version of a pipeline is its name and a hash of its graph.
    await page
      .getByRole('cell', { name: /^Write the change log.* [0-9a-f]{6,}$/ })
      .first()
      .waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^day,version,input,output/)
  })

  it('a graph is drawn, and an error is marked on its line', async () => {
    await show(page, '/graphs')
    await page.getByText('valid').waitFor()
    await page.locator('.graph .node', { hasText: 'implement' }).waitFor()
    await page.locator('#dot').fill('digraph g {\n  start [shape=Mdiamond]\n  start -> \n}')
    await page.locator('.gutter .error').first().waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
  })
}
