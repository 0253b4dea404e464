import { expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/approvals/index.js'
import { decisionOf, reportedOf } from '../../../src/approvals/testing/fixtures.js'
import { OWNER } from '../../../src/server/caller.js'
import { type Loose, until } from '../../server/support.js'
import { ask, card, command, gate, known, open, PLAN, page, plan, press, server } from './context.js'

export function describeRequestActions(): void {
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
    const risky = await ask(
      reportedOf({ requestKey: 'risky', input: { command: 'rm -rf ~' } }, { project: server.work }),
    )
    await select([risky.id])
    await page.getByText('Only requests with a low risk can be allowed together.').waitFor()
    expect(await page.getByRole('button', { name: 'Allow selected once' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Deny selected' }).click()
    await until(async () => (await known(risky.id)).decision?.option === 'deny')
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
    await one.getByText('A task has a title only').waitFor()
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

  it('a gate refuses an invalid number, names valid ones, stays open, and accepts a valid one', async () => {
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

  it('the history lists what became of requests page by page, is searched and filtered, and shows a decision at once', async () => {
    const { ledger } = server.host
    const denied = await command('h0', 'npm publish', { project: '/work/shop' })
    const by = { actor: { kind: 'person', ...OWNER }, surface: 'cli' } as const
    await ledger.decide(denied.id, decisionOf(denied, { ...by, option: 'deny', note: 'not on a Friday' }))
    for (let index = 1; index <= 60; index++) {
      await ledger.stale(await command(`h${index}`, `echo ${index}`, { project: '/work/depot' }), 'gone')
    }
    await open('/')
    await page.getByRole('link', { name: 'History', exact: true }).click()
    const rows = page.locator('table.data tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(50)
    const total = page.getByText(/\d+ requests, the newest 50 shown/)
    const all = Number.parseInt(await total.innerText(), 10)
    expect(all).toBeGreaterThan(60)
    await rows.filter({ hasText: 'echo 60' }).getByText('the agent no longer shows this question').waitFor()
    await page.getByRole('button', { name: 'Show more' }).click()
    await until(async () => (await rows.count()) === all)
    const ids = await rows.locator('a.strong').evaluateAll(links => links.map(link => link.getAttribute('href')))
    expect(new Set(ids).size).toBe(all)

    await page.getByRole('button', { name: 'Denied', exact: true }).click()
    await page.getByLabel('Project').selectOption('/work/shop')
    await until(async () => (await rows.count()) === 1)
    const text = await rows.first().innerText()
    for (const expected of ['Denying', 'npm publish', OWNER.name, 'Command line', 'not on a Friday'])
      expect(text).toContain(expected)
    expect(page.url()).toMatch(/\?decision=denied&project=%2Fwork%2Fshop$/)
    await page.getByRole('button', { name: 'Allowed', exact: true }).click()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('Search the history').fill('PUBLISH friday')
    await until(async () => (await rows.count()) === 1)
    await page.getByLabel('Search the history').fill('')
    await until(async () => (await rows.count()) === 50)

    // What is decided while the page is open appears without a reload.
    const late = await command('late', 'echo late')
    await ledger.decide(late.id, decisionOf(late, { ...by, option: 'deny' }))
    await rows.first().getByText('echo late').waitFor()
    await open('/requests?run=run_gate')
    await page.getByRole('button', { name: 'Run: run_gate' }).waitFor()
    expect(await rows.filter({ hasText: 'echo' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Run: run_gate' }).click()
    await until(async () => (await rows.count()) === 50)
  })
}
