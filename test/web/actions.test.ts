import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../src/approvals/index.js'
import { reportedOf } from '../../src/approvals/testing/fixtures.js'
import { editSettings } from '../../src/config/edit-settings.js'
import { createRun, runStream } from '../../src/engine/index.js'
import { newEvent } from '../../src/events/index.js'
import { OWNER } from '../../src/server/caller.js'
import { executableText } from '../../src/trust/index.js'
import { type Loose, TestServer, until } from '../server/support.js'
import { describeNeeding } from '../support/requirements.js'
import { closeProfiles, openBrowser, openContext, pressCard, show, watchErrors } from './harness.js'

const GATED =
  'digraph gated { goal="Say it"; start [shape=Mdiamond]; first [shape=parallelogram, tool_command="echo one"]; ask [shape=hexagon, label="Go on?"]; last [shape=parallelogram, tool_command="echo two"]; exit [shape=Msquare]; start -> first -> ask; ask -> last [label="[Y] Yes"]; ask -> exit [label="[N] No"]; last -> exit }'
const PLAN = '# Fix the cart\n\n1. Read `src/cart.js`\n2. Add a **test**\n\n- [ ] tests pass\n'

/**
 * Rare actions, each from start to end, on one server in this process. The tests add requests of
 * every kind directly to its ledger; runs, sessions and files are real.
 */
describeNeeding('chromium', 'actions of the dashboard', () => {
  let server: TestServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let errors: string[]

  beforeAll(async () => {
    const [started, opened] = await Promise.all([TestServer.start({ hasRuns: true }), openBrowser()])
    server = started
    browser = opened
    mkdirSync(join(server.work, 'src'), { recursive: true })
    writeFileSync(join(server.work, 'src', 'note.txt'), 'kept in the project')
    context = await openContext(browser, { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.address })
    page = await context.newPage()
    errors = watchErrors(page)
    await page.goto(await link())
    await page.locator('.shell h1').first().waitFor()
  })
  afterAll(async () => {
    await closeProfiles(browser)
    await server?.close()
  })

  const link = async () => `${server.address}/login#${await server.api.parts.auth.codes.make(OWNER)}`
  const open = (path: string) => page.goto(`${server.address}${path}`)
  const ask = (request: ApprovalRequest) => server.host.ledger.request(request)
  const known = async (id: string) => (await server.host.ledger.get(id))!
  const card = (id: string) => page.locator(`article.card[data-approval="${id}"]`)
  const command = (key: string, text: string, subject: object = {}) =>
    ask(
      reportedOf({ requestKey: key, input: { command: text } }, { project: server.work, cwd: server.work, ...subject }),
    )

  const press = (one: Locator, id: string, button: Locator) =>
    pressCard(
      one,
      once => button.click(once),
      async () => (await known(id)).state !== 'pending',
    )

  /** The request of a pipeline's gate, as `src/pipelines/gates.ts` makes it. */
  const gate = (
    kind: 'plan' | 'review',
    payload: object,
    options: [key: string, label: string, meaning: string][],
    isMulti = false,
  ) => {
    const base = reportedOf({ requestKey: `${kind}${Math.random()}` }, { project: server.work, run: 'run_gate' })
    return ask({
      ...base,
      kind,
      source: { ...base.source, channel: 'run', ...(kind === 'plan' && { can: ['edit'] }) },
      request: {
        ...base.request,
        input: payload,
        text: 'The gate of a pipeline',
        freeText: 'optional',
        questions: [{ text: 'The gate of a pipeline', multi: isMulti }],
        options: options.map(([key, label, meaning]) => ({ key, label, meaning, from: 'signalbox', danger: null })),
      },
    } as ApprovalRequest)
  }
  const plan = (version: number, diff: string | null) =>
    gate(
      'plan',
      {
        gate: 'plan',
        goal: 'Fix the cart',
        plan_path: null,
        plan_hash: 'x',
        plan_markdown: PLAN,
        version,
        validation: { valid: true, issues: ['task 2 names no file'], severity: 'minor' },
        tasks: [
          { number: '1', title: 'Read the cart' },
          { number: '2', title: 'Add a test' },
        ],
        key_files: ['src/cart.js'],
        is_salvaged: false,
        rejections: diff === null ? [] : ['too long'],
        diff,
      },
      [
        ['approve', 'Approve', 'allow-once'],
        ['edit', 'Approve with my edits', 'text'],
        ['reject', 'Reject with feedback', 'deny-with-text'],
        ['cancel', 'Cancel the run', 'choice'],
      ],
    )

  it('several requests are allowed or denied with one press', async () => {
    const records = [await command('b1', 'ls -la'), await command('b2', 'ls src'), await command('b3', 'ls test')]
    await open('/')
    for (const { id } of records) await card(id).waitFor()
    const isSelected = async (id: string) => (await card(id).getAttribute('data-selected')) !== null
    /** A key acts on what is drawn: the effect of the one before must be. */
    const press = async (key: string) => {
      await page.keyboard.press(key)
      await page.evaluate(() => new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    }
    const select = async (ids: readonly string[]) => {
      await page.locator('h1').click()
      await until(async () => {
        const count = await page.locator('article.card').count()
        for (const key of [...Array(count).fill('j'), ...Array(count).fill('k')]) {
          await press(key)
          const id = await page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset.approval ?? '')
          if (id !== '' && ids.includes(id) !== (await isSelected(id))) await press('x')
        }
        return (await Promise.all(ids.map(isSelected))).every(Boolean)
      })
    }
    await select(records.slice(0, 2).map(({ id }) => id))
    await page.getByRole('region', { name: 'Selected requests' }).getByText('2 requests selected').waitFor()
    await page.getByRole('button', { name: 'Allow selected once' }).click()
    await until(async () => (await known(records[1]!.id)).state === 'decided')
    expect((await known(records[0]!.id)).decision?.option).toBe('allow')
    await select([records[2]!.id])
    await page.getByRole('button', { name: 'Deny selected' }).click()
    await until(async () => (await known(records[2]!.id)).decision?.option === 'deny')
  })

  it('a request is allowed with a changed input', async () => {
    const asked = reportedOf({ requestKey: 'edit', input: { command: 'npm test' } }, { project: server.work })
    const { id } = await ask({ ...asked, source: { ...asked.source, can: ['edit'] } })
    await open(`/a/${id}`)
    await card(id).and(page.locator('[data-still=true]')).waitFor()
    await card(id).getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Allow with changes…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Allow with changes' })
    await dialog.getByLabel('command').fill('npm test -- --run')
    await dialog.getByRole('button', { name: 'Allow with changes' }).click()
    await until(async () => (await known(id)).state === 'decided')
    expect((await known(id)).decision?.editedInput).toEqual({ command: 'npm test -- --run' })
  })

  it('hidden characters and look-alikes are marked in a diff, a title, a question and its options', async () => {
    const HIDDEN = /[\u200b\u202e\u2066]/
    const markedIn = async (id: string) => {
      await open(`/a/${id}`)
      await card(id).locator('mark').first().waitFor()
      expect(await card(id).textContent()).not.toMatch(HIDDEN)
      return card(id).locator('mark').allTextContents()
    }
    const input = { file_path: 'src/\u202etxt.js', old_string: 'a', new_string: 'a\u200b from p\u0430ypal' }
    const subject = { project: server.work, cwd: server.work }
    const edit = await ask(reportedOf({ requestKey: 'hidden edit', tool: 'Edit', input }, subject))
    const ofEdit = await markedIn(edit.id)
    expect(ofEdit.filter(text => text === '⟦U+202E⟧').length).toBeGreaterThanOrEqual(2)
    expect(ofEdit).toContain('⟦U+200B⟧')
    expect(ofEdit).toContain('p\u0430ypal (reads paypal)')

    const base = reportedOf({ requestKey: 'hidden question', input: null }, subject)
    const question = await ask({
      ...base,
      kind: 'question',
      request: {
        ...base.request,
        text: 'Which\u2066 one?',
        freeText: 'none',
        questions: [{ text: 'Which\u2066 one?', multi: true }],
        options: ['this\u200b', 'that'].map(label => ({
          key: label,
          label,
          meaning: 'choice',
          from: 'agent',
          danger: null,
        })),
      },
    } as ApprovalRequest)
    expect(await markedIn(question.id)).toEqual(expect.arrayContaining(['⟦U+2066⟧', '⟦U+200B⟧']))
  })

  it('a grant is made with a decision, decides the next equal request, is paused and revoked', async () => {
    const subject = { session: 'ses_grants' }
    const { id } = await command('g1', 'git status', subject)
    await open(`/a/${id}`)
    await card(id).and(page.locator('[data-still=true]')).waitFor()
    await card(id).getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('button', { name: 'Allow this request for 1 hour in this session' }).click()
    await until(async () => (await known(id)).state === 'decided')
    const next = await command('g2', 'git status', subject)
    await until(async () => (await known(next.id)).decision?.grantId)
    await open('/')
    const grants = page.getByRole('region', { name: 'Standing approvals' })
    await grants.getByText('1 of 20').waitFor()
    await grants.getByRole('button', { name: 'Pause all' }).click()
    await grants.getByRole('button', { name: 'Resume' }).waitFor()
    const third = await command('g3', 'git status', subject)
    expect((await known(third.id)).state).toBe('pending')
    await grants.getByRole('button', { name: 'Revoke' }).click()
    await grants.getByText('No standing approvals').waitFor()
  })

  it('a plan is shown, compared with its previous version and approved with edits; another is rejected', async () => {
    const first = await plan(2, '@@ -1,2 +1,2 @@\n # Fix the cart\n-1. Rewrite it\n+1. Read `src/cart.js`\n')
    await open(`/a/${first.id}`)
    const one = card(first.id)
    await one.getByRole('list', { name: 'Tasks' }).getByText('Add a test').waitFor()
    await one.getByText('task 2 names no file').waitFor()
    await one.locator('.plan-text').getByText('Fix the cart').waitFor()
    await one.getByRole('button', { name: 'Changes' }).click()
    await one.locator('.plan-text').getByText('1. Rewrite it').waitFor()
    await one.getByText('too long').waitFor()
    await one.getByRole('button', { name: 'Edit' }).click()
    await one.getByLabel('Edit the plan').fill(`${PLAN}\n3. And document it\n`)
    await press(one, first.id, one.getByRole('button', { name: 'Approve with my edits' }))
    expect((await known(first.id)).decision).toMatchObject({ option: 'approve' })
    expect(((await known(first.id)).decision as Loose).editedInput.plan_markdown).toContain('And document it')

    const second = await plan(1, null)
    await open(`/a/${second.id}`)
    const two = card(second.id)
    expect(await two.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true)
    await two.getByLabel('Feedback for a new plan').fill('Begin with the test.')
    await press(two, second.id, two.getByRole('button', { name: 'Reject' }))
    expect((await known(second.id)).decision).toMatchObject({ option: 'reject', text: 'Begin with the test.' })
  })

  it('items of a review are selected one by one and by severity, commented, and sent', async () => {
    const item = (number: number, severity: string, disposition: string) => ({
      number,
      severity,
      file: 'src/cart.js',
      line: number * 3,
      title: `finding ${number}`,
      issue: 'It is wrong.',
      why: 'Because.',
      fix: 'Mend it.',
      disposition,
      reason: 'seen in the code',
    })
    const items = [item(1, 'critical', 'implement'), item(2, 'minor', 'reject'), item(3, 'minor', 'defer')]
    const options = ['1', '2', '3', 'all', 'none', 'pass'].map(key => [key, key, 'choice'] as [string, string, string])
    const { id } = await gate('review', { gate: 'items', pass: 1, of: 2, summary: '', items }, options, true)
    await open(`/a/${id}`)
    const one = card(id)
    await one.getByText('src/cart.js:3').waitFor()
    expect(
      await one
        .getByLabel(/finding 1/)
        .first()
        .isChecked(),
    ).toBe(true)
    await one.getByRole('button', { name: 'Select minor (2)', exact: true }).click()
    await one.getByRole('checkbox', { name: /finding 2/ }).uncheck()
    await one.getByLabel('Comment on finding 3').fill('small steps')
    await one.getByRole('button', { name: 'Review again first' }).waitFor()
    await press(one, id, one.getByRole('button', { name: 'Fix 2 of 3' }))
    const { decision } = await known(id)
    expect([...(decision?.choices ?? [])].sort()).toEqual(['1', '3'])
    expect(decision?.note).toBe('3: small steps')
  })

  it('a gate refuses a wrong number with what it takes, stays open, and takes a right one', async () => {
    const base = reportedOf({ requestKey: 'objections' }, { project: server.work, run: 'run_gate' })
    const text = 'The reviewer still objects'
    const option = { meaning: 'choice', from: 'signalbox', danger: null }
    const { id } = await ask({
      ...base,
      kind: 'gate',
      source: { ...base.source, channel: 'run' },
      request: {
        ...base.request,
        text,
        freeText: 'none',
        questions: [{ text, multi: false }],
        options: [
          { ...option, key: 'more', label: 'Try again', takes: 'count' },
          { ...option, key: 'accept', label: 'Accept it' },
        ],
      },
    } as ApprovalRequest)
    await open(`/a/${id}`)
    const one = card(id)
    const answer = one.getByRole('button', { name: 'Answer' })
    await one.getByText('Try again').waitFor()
    expect(await answer.isDisabled()).toBe(true)
    await one.getByLabel('Try again').check()
    for (const wrong of ['a few', '0', '1000', '-1', '1,2']) {
      await one.getByLabel('How many (optional)').fill(wrong)
      const refusal = page.getByText(/takes a number from 1 to 999/)
      await until(async () => {
        await answer.click({ timeout: 3_000 }).catch(() => undefined)
        return (await refusal.count()) > 0
      })
      expect((await known(id)).state, wrong).toBe('pending')
      await page.reload()
      await one.getByLabel('Try again').check()
    }
    await one.getByLabel('How many (optional)').fill('2')
    await press(one, id, answer)
    expect((await known(id)).decision).toMatchObject({ option: 'more', text: '2' })
  })

  let run = ''
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
      await page.getByRole('button', { name: 'Fork', exact: true }).click()
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

  it('a run in a repository shows progress and labels in the list, and the changes of each node and of the whole run', async () => {
    const repository = join(server.directory, `repository ${Date.now()}`)
    mkdirSync(repository)
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' })
    git('init', '--quiet')
    writeFileSync(join(repository, 'readme.md'), 'as it was\n')
    git('add', '.')
    git('-c', 'user.name=Test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '-m', 'first')
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

  it('a graph with errors has them marked; without errors it can be run', async () => {
    await open('/graphs')
    await page.locator('#dot').fill('digraph g {\n  start [shape=Mdiamond]\n  start -> \n}')
    await page.locator('.gutter .error').first().waitFor()
    await page.locator('#dot').fill(GATED)
    await page.getByText('valid', { exact: true }).waitFor()
    await page.locator('.graph .node', { hasText: 'Go on?' }).waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
  })

  it('a session accepts and offers files; the moment of a decision is replayed and linked', async () => {
    await open('/start')
    await page.getByLabel('Agent').selectOption('demo')
    await page.getByLabel('Directory').fill(server.work)
    await page.getByLabel('Name (optional)').fill('files')
    await page.getByLabel('First prompt (optional)').fill('The tests fail. Find out why and fix it.')
    await page.getByText('Extra arguments').click()
    await page.getByLabel('Arguments, separated by spaces').fill('--scenario tour --speed 10')
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

  it('a setting is changed; one that loosens, after a confirmation; an invalid value changes nothing', async () => {
    await open('/settings/advanced')
    const search = page.getByLabel('Search settings')
    const saved = page.getByText('Saved. It applies after a restart.')
    const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
    server.ageLogins()
    await search.fill('approvals.grant_uses')
    await page.getByLabel('It is used at most').fill('9')
    await page.getByRole('button', { name: 'Save' }).click()
    await confirm.getByRole('button', { name: 'Back' }).click()
    await confirm.waitFor({ state: 'detached' })
    expect(
      await page
        .locator('.toasts')
        .getByText(/confirm/i)
        .count(),
    ).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await confirm.getByLabel(/Passphrase, or the link/).fill('not it')
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await confirm.getByText('Wrong passphrase or link').waitFor()
    await confirm.getByLabel(/Passphrase, or the link/).fill(await link())
    await confirm.getByRole('button', { name: 'Confirm' }).click()
    await saved.waitFor()

    await search.fill('notify.grace_s')
    const field = page.getByLabel('While I am active, wait before another channel')
    await field.fill('7 s')
    await page.getByRole('button', { name: 'Save' }).click()
    const file = join(server.directory, 'home', 'config', 'config.toml')
    await until(() => /grace_s = 7/.test(readFileSync(file, 'utf8')))
    expect(readFileSync(file, 'utf8')).toMatch(/grant_uses = 9/)
    await field.fill('7')
    await page.getByText('Write a time with its unit').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
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

  it('a run that no process drives needs you, is shown as stopped, and names the command that resumes it', async () => {
    const { store } = server.host
    const at = Date.now() - 60_000
    const about = { title: 'Left alone', project: server.work, cwd: server.work, person: 'local' }
    // No process here drives this kind.
    const id = await createRun(store, { kind: 'elsewhere', ...about, input: {} }, at)
    await store.append(runStream(id), 'any', [newEvent('run.started', { host: 'gone', epoch: 1 }, at)])
    await open('/')
    const line = page.locator('.line-item', { hasText: 'stopped: the process that ran it has ended' }).first()
    await line.waitFor()
    expect(await line.innerText()).toContain(`signalbox resume ${id}`)
    await open(`/r/${id}`)
    await page.locator('.page-head .badge', { hasText: 'Stopped' }).waitFor()
    await page.locator('.page-head code', { hasText: `signalbox resume ${id}` }).waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await page.locator('.page-head .badge', { hasText: 'Cancelled' }).waitFor()
  })

  it('people and devices are listed, another browser is signed out; doctor lists its findings', async () => {
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

  it('a page that is opened while the server is down shows the last data with its time, decides nothing, and reconnects', async () => {
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
