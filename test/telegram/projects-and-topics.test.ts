import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FakeBotApi, type FakePerson } from '../../src/telegram/fake/index.js'
import { firstRepository } from '../support/first-repository.js'
import { JumpClock } from './jump-clock.js'
import { FAST, TestBot } from './support.js'

/*
 * Worktrees, topics, files, and the status card of long work. The clock of the bot and of Telegram
 * can be put forward.
 */

const scenario = {
  name: 'places',
  turns: [
    {
      match: 'report',
      steps: [
        { tool: { name: 'Write', kind: 'write', write: { path: 'report.md', text: '# Report\n' } } },
        { say: 'I wrote `report.md`; see also `README.md` and `/etc/passwd.md`.' },
      ],
    },
    { match: 'long', steps: [{ think: 4_000_000 }, { say: 'At last.' }] },
  ],
  otherwise: { steps: [{ say: 'You said: {{prompt}}' }] },
}

const clock = new JumpClock()
let bot: TestBot
let ann: FakePerson
let repository: string

beforeAll(async () => {
  bot = await TestBot.start({
    scenario,
    clock,
    fake: new FakeBotApi({ clock, rates: FAST }),
    settings: { groups: [-91], groupDetail: true, topics: 'auto', stream: 'auto', announce: false, quiet: null },
  })
  ann = bot.person()
  mkdirSync(join(bot.work, '.git'))
  repository = join(bot.directory, 'mill')
  firstRepository(repository)
})
afterAll(() => bot.close())

const last = () => ann.chat.messages.at(-1)?.id ?? 0
const buttons = (message: { markup?: { inline_keyboard?: { text: string }[][] } }) =>
  message.markup?.inline_keyboard?.flat().map(({ text }) => text) ?? []
const current = () => bot.host.liveSessions().at(-1)!
/** Waits until the bot shows the typing indicator: it knows that the agent works. */
const atWork = async () => {
  const before = bot.fake.calls.filter(({ method }) => method === 'sendChatAction').length
  await bot.fake.until(
    () => bot.fake.calls.filter(({ method }) => method === 'sendChatAction').length > before,
    'the typing indicator',
  )
}
const untilIdle = () => bot.fake.until(() => current().isIdle, 'idle')

it('/new in a repository asks where to work; a worktree has its own directory and branch', async () => {
  ann.say('/new demo mill')
  const where = await bot.seen(ann, 'Where?')
  expect(buttons(where)).toEqual(['In the project itself', 'In a new worktree, on a new branch'])
  ann.press(where, 'In a new worktree')
  await bot.seen(ann, 'started; your messages go there')
  const [record] = await bot.host.records()
  expect(record!.label).toBe('mill')
  expect(record!.cwd).not.toBe(repository)
  expect(existsSync(join(record!.cwd, 'README.md'))).toBe(true)
  const { stdout } = spawnSync('git', ['worktree', 'list'], { cwd: repository, encoding: 'utf8' })
  expect(stdout).toContain(record!.cwd)
})

it('a file that the agent reports as written has a download button; other files have none', async () => {
  await untilIdle()
  ann.say('write the report')
  const offer = await bot.seen(ann, 'The agent wrote a file.')
  expect(buttons(offer)).toEqual(['⬇ report.md'])
  ann.press(offer, '⬇ report.md')
  const sent = await bot.fake.until(() => ann.chat.messages.find(({ document }) => document), 'the file')
  expect(Buffer.from(sent.document!.bytes).toString()).toBe('# Report\n')
})

it('the owner gets a file outside the project after a confirmation, but never credentials', async () => {
  const before = last()
  writeFileSync(join(bot.directory, 'outside.txt'), 'far away\n')
  ann.say(`/download ${join(bot.directory, 'outside.txt')}`)
  const sure = await bot.seen(ann, 'lies outside the project. Send it anyway?', before)
  ann.press(sure, 'Yes, send it')
  const sent = await bot.fake.until(() => ann.chat.messages.find(({ id, document }) => id > sure.id && document), 'it')
  expect(Buffer.from(sent.document!.bytes).toString()).toBe('far away\n')
  writeFileSync(join(bot.directory, '.env'), 'KEY=x\n')
  ann.say(`/download ${join(bot.directory, '.env')}`)
  ann.say(`/download ${join(bot.host.settings.dataDirectory, 'signalbox.db')}`)
  await bot.fake.until(
    () =>
      ann.chat.messages.filter(
        ({ id, text }) => id > sent.id && /outside (of )?the project|credentials|belongs to/.test(text),
      ).length === 2,
    'two refusals',
  )
  expect(ann.chat.messages.filter(({ id, document }) => id > sent.id && document)).toEqual([])
})

it('a card shows the work after 25 s without new text, is edited, and is closed when the work ends', async () => {
  await untilIdle()
  const before = last()
  ann.say('a long one')
  await atWork()
  clock.jump(26_000)
  const card = await bot.seen(ann, /working for/, before)
  expect(card.text).toContain('demo')
  clock.jump(31_000)
  await bot.fake.until(() => card.versions.length > 0, 'the card to be edited')
  ann.say('/context')
  const context = await bot.seen(ann, /working · started/, card.id)
  expect(context.text).not.toMatch(/[{}"]/)
  ann.say('/esc')
  const stopped = await bot.seen(ann, 'Interrupted.', context.id)
  expect(stopped.text).not.toMatch(/[{}"]/)
  await bot.fake.until(() => card.text.includes('was interrupted'), 'the end on the card')
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('working for'))).toEqual([])
  // One card per session: the next long work uses the same card, and short work shows none.
  await untilIdle()
  ann.say('another long one')
  await atWork()
  clock.jump(26_000)
  await bot.fake.until(() => /working for/.test(card.text), 'the same card again')
  ann.say('/esc')
  await bot.fake.until(() => card.text.includes('was interrupted'), 'its end')
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('was interrupted'))).toHaveLength(1)
})

it('each session has a topic in a group with topics; the end of the session closes it', async () => {
  const forum = bot.fake.group(-91, 'Forum', { hasTopics: true })
  ann.say('/new demo shop', { in: forum })
  const started = await bot.fake.until(() => forum.messages.find(({ text }) => text.includes('started;')), 'the start')
  expect(started.thread).toBeDefined()
  expect(forum.topics.get(started.thread!)?.name).toMatch(/^shop · demo · #\d+$/)
  await untilIdle()
  ann.say('/to 2 hello topic', { in: forum, thread: started.thread! })
  const answer = await bot.fake.until(
    () => forum.messages.find(({ from, text }) => from.isBot && text.includes('You said: hello topic')),
    'the answer',
  )
  expect(answer.thread).toBe(started.thread)
  await untilIdle()
  await current().stop()
  await bot.fake.until(() => forum.topics.get(started.thread!)?.isClosed, 'the topic to be closed')
})
