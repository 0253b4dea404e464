import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRun, runStream } from '../../src/engine/index.js'
import { newEvent } from '../../src/events/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { firstRepository } from '../support/first-repository.js'
import { TestBot } from './support.js'

/* Runs that are started and controlled from the phone, with the demo agent in every role. */

let bot: TestBot
let ann: FakePerson

beforeAll(async () => {
  bot = await TestBot.start()
  ann = bot.person()
  for (const name of ['lamp', 'mill']) firstRepository(join(bot.directory, name))
})
afterAll(() => bot.close())

const last = () => ann.chat.messages.at(-1)?.id ?? 0
const buttons = (message: { markup?: { inline_keyboard?: { text: string }[][] } }) =>
  message.markup?.inline_keyboard?.flat().map(({ text }) => text) ?? []

it('/oneshot asks for the project and the task, runs, and reports the end; /runs and /run show it', async () => {
  ann.say('/oneshot')
  const which = await bot.seen(ann, 'Which project?')
  expect(buttons(which)).toEqual(expect.arrayContaining(['lamp', 'mill']))
  ann.press(which, 'mill')
  const what = await bot.seen(ann, 'What is the task?')
  expect(what.markup?.force_reply).toBe(true)
  ann.say('Paint the mill', { replyTo: what.id })
  const started = await bot.seen(ann, /Oneshot.*in mill started/)
  expect(buttons(started)).toEqual(['Cancel'])
  const end = await bot.seen(ann, /✅[\s\S]*mill · oneshot · done/, started.id)
  expect(end.text).toContain('Paint the mill')
  ann.say('/runs')
  const list = await bot.seen(ann, /Paint the mill[\s\S]*\/run run_/, end.id)
  ann.say(/\/run run_\w+/.exec(list.text)![0])
  await bot.seen(ann, /Paint the mill[\s\S]*mill · oneshot · done/, list.id)
})

it('/implement shows the plan as a card; a reply leads to a new plan, an approval to the build', async () => {
  ann.say('/implement demo lamp')
  const what = await bot.seen(ann, 'What should be built?')
  ann.say('Add a lamp\nIt shines.\n[demo:tasks 1]', { replyTo: what.id })
  const plan = await bot.seen(ann, 'Approve the plan', what.id)
  expect(buttons(plan)).toEqual(expect.arrayContaining(['Approve', 'Cancel the run']))
  for (const word of ['approve', 'Yes!', 'OK', '1', '1, 2', 'cancel the run', '👍', 'lgtm', 'no', 'edit']) {
    const before = last()
    ann.say(word, { replyTo: plan.id })
    const refusal = await bot.seen(ann, `“${word}” is not a reason`, before)
    expect(refusal.text).toContain('Approve · ')
  }
  expect((await bot.host.ledger.list({ isOpenOnly: true })).map(({ state }) => state)).toEqual(['pending'])
  ann.say('brighter, please', { replyTo: plan.id })
  await bot.fake.until(() => /✅|⛔/.test(plan.text), 'the rejection on the card')
  const second = await bot.seen(ann, 'Approve the plan', plan.id)
  expect(buttons(second)).toContain('Approve')
  ann.press(second, 'Approve')
  await bot.fake.until(() => /✅/.test(second.text), 'the approval on the card')
  const end = await bot.seen(ann, /✅[\s\S]*lamp · .*done/, second.id)
  expect(end.text).toContain('lamp')
  const log = spawnSync('git', ['log', '--format=%s', 'main..signalbox/add-a-lamp'], {
    cwd: join(bot.directory, 'lamp'),
    encoding: 'utf8',
  })
  expect(log.stdout).toContain('feat(add-a-lamp)')
})

it('/review of uncommitted changes lists its findings to tick, and submits the ticked ones', async () => {
  writeFileSync(join(bot.directory, 'mill', 'wheel.md'), 'A wheel.\n[demo:review reject]\n')
  spawnSync('git', ['add', '.'], { cwd: join(bot.directory, 'mill') })
  const before = last()
  ann.say('/review demo mill')
  const what = await bot.seen(ann, 'Which commits', before)
  ann.say('fix what is not committed', { replyTo: what.id })
  await bot.seen(ann, /Review.*in mill started/, what.id)
  const list = await bot.seen(ann, /Which of \d+ items? should be fixed/, what.id)
  expect(buttons(list)[0]).toMatch(/^☐ 1 /)
  expect(buttons(list)).toEqual(expect.arrayContaining(['None', 'Submit 0 of 1']))
  for (const word of ['99', 'foo', '1;2', '0,1', 'yes']) {
    const after = last()
    ann.say(word, { replyTo: list.id })
    expect((await bot.seen(ann, 'does not take a text', after)).text).toContain('none (None)')
  }
  ann.press(list, 'Submit 0 of 1')
  ann.press(list, '☐ 1')
  await bot.fake.until(() => buttons(list).includes('Submit 1 of 1'), 'the tick')
  expect(buttons(list)[0]).toMatch(/^☑ 1 /)
  ann.press(list, 'Submit 1 of 1')
  await bot.fake.until(() => /✅/.test(list.text), 'the end on the list')
  const decided = await bot.events('approval.decided')
  expect(decided.at(-1)?.data.choices).toEqual(['1'])
  const again = await bot.seen(ann, /pass 2 of \d/, list.id)
  ann.press(again, 'None')
  await bot.seen(ann, /✅[\s\S]*mill · .*done/, again.id)
})

it('a run that no process drives is reported as stopped, with the command that resumes it', async () => {
  // A chat gets notifications once its person has written.
  const before = last()
  ann.say('/runs')
  await bot.seen(ann, /No runs yet|\/run run_/, before)
  const { store } = bot.host
  const at = Date.now() - 60_000
  const about = { title: 'Left alone', project: bot.directory, cwd: bot.directory, person: 'local' }
  // No process here drives this kind.
  const id = await createRun(store, { kind: 'elsewhere', ...about, input: {} }, at)
  await store.append(runStream(id), 'any', [newEvent('run.started', { host: 'gone', epoch: 1 }, at)])
  await store.append(runStream(id), 'any', [newEvent('run.undriven', {})])
  const notice = await bot.seen(ann, /Left alone[\s\S]*interrupted[\s\S]*the process that ran it has ended/, before)
  expect(notice.text).toContain(`signalbox resume ${id}`)
  ann.say(`/run ${id}`)
  const shown = await bot.seen(ann, /Left alone[\s\S]*interrupted[\s\S]*the process that ran it has ended/, notice.id)
  expect(shown.text).toContain(`signalbox resume ${id}`)
  expect(buttons(shown)).toEqual(['Cancel', 'Resume'])
})
