import { afterAll, beforeAll, expect, it } from 'vitest'
import { KNOWN_SETTINGS } from '../../src/config/index.js'
import { createBot, notificationKinds } from '../../src/daemon/bot.js'
import { newEvent } from '../../src/events/index.js'
import { openHome } from '../../src/host/home/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import type { TelegramSettings } from '../../src/telegram/index.js'
import { raise, TestBot } from './support.js'

/* Every setting of the bot is read, and each has an effect. */

const PLAIN: TelegramSettings = {
  groups: [],
  groupDetail: false,
  topics: 'auto',
  stream: 'auto',
  announce: false,
  quiet: null,
}

let bot: TestBot
let ann: FakePerson

beforeAll(async () => {
  bot = await TestBot.start()
  ann = bot.person()
  ann.say('/start')
  await bot.seen(ann, 'No request waits')
  await bot.runs.close()
})
afterAll(() => bot.close())

const last = () => ann.chat.messages.at(-1)?.id ?? 0
const calls = (method: string) => bot.fake.calls.filter(call => call.method === method).length
async function withSettings(change: Partial<TelegramSettings>): Promise<number> {
  await bot.bot.settled()
  await bot.bot.stop()
  const before = last()
  await bot.openBot({ settings: { ...PLAIN, ...change } })
  return before
}
async function quiet(): Promise<void> {
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'every update to be taken')
  await bot.bot.settled()
}
let runs = 0
async function runEnds(type: 'run.completed' | 'run.failed'): Promise<string> {
  const title = `Work ${++runs}`
  const created = { kind: 'graph', title, project: bot.work, cwd: bot.work, person: 'local', input: {} }
  await bot.host.store.append(`run/run_set${runs}`, 'any', [
    newEvent('run.created', created as never),
    newEvent('run.started', { host: 'test', epoch: 1 } as never),
    newEvent(type, { reason: type === 'run.failed' ? 'no luck' : 'done' } as never),
  ])
  await quiet()
  return title
}
const told = (text: string, after: number) =>
  bot.fake.visible(ann.chat).some(message => message.id > after && message.text.includes(text))

it('the bot reads every Telegram setting', async () => {
  const home = openHome(bot.context)
  const read = new Set<string>()
  const noting = <T extends object>(section: string, values: T): T =>
    new Proxy(values, {
      get(target, name) {
        read.add(`${section}.${String(name)}`)
        return Reflect.get(target, name) as unknown
      },
    })
  const { config } = home.loaded
  const telegram = { ...config.telegram, token: bot.fake.token, api_root: 'http://127.0.0.1:9' }
  const noted = { ...config, telegram: noting('telegram', telegram), notify: noting('notify', config.notify) }
  const opened = createBot({
    home: { ...home, loaded: { ...home.loaded, config: noted } } as never,
    env: bot.context.env,
    log: () => undefined,
  })
  opened.start({ host: bot.host, lockdown: { begin: async () => ({ grants: 0 }) } })
  await bot.fake.until(() => opened.health().state !== 'off', 'the bot to start')
  await opened.stop()
  const wanted = KNOWN_SETTINGS.map(({ pattern }) => pattern).filter(key => key.startsWith('telegram.'))
  expect(wanted.length).toBeGreaterThan(7)
  expect(wanted.filter(key => !read.has(key))).toEqual([])
  // Those of notifications are read at each of them: they apply without a restart.
  const kinds = notificationKinds(() => noted.notify)
  expect({ ...kinds }).toEqual({ needsYou: true, done: true, failed: true })
  for (const key of ['enabled', 'needs_you', 'done', 'failed']) expect(read).toContain(`notify.${key}`)
})

it('announce reports the start of the bot; notify.* select the kinds of notifications', async () => {
  const before = await withSettings({ announce: true, notify: { needsYou: false, done: false, failed: true } })
  await bot.seen(ann, 'Signalbox is running.', before)
  const done = await runEnds('run.completed')
  const failed = await runEnds('run.failed')
  await bot.seen(ann, failed, before)
  await raise(bot.host, 'ls uncalled')
  await quiet()
  expect(told(done, before)).toBe(false)
  expect(told('ls uncalled', before)).toBe(false)
  // A command is answered in any case.
  ann.say('/approvals')
  await bot.seen(ann, 'ls uncalled', before)
})

it('notify.quiet holds notifications during its hours', async () => {
  const before = await withSettings({ quiet: '00:00-23:59', notify: { needsYou: true, done: true, failed: true } })
  const done = await runEnds('run.completed')
  expect(told(done, before)).toBe(false)
  const after = await withSettings({})
  await bot.seen(ann, done, after)
})

it('stream = off sends no drafts, only the typing indicator and then the answer', async () => {
  await withSettings({ stream: 'off' })
  const known = { chat: 4711, current: 'ses_off' }
  await bot.host.store.append('telegram/chat/4711', 'any', [newEvent('telegram.chat-changed', known)])
  const drafts = calls('sendRichMessageDraft') + calls('sendMessageDraft')
  const base = {
    id: 'b',
    rows: [0, 0] as [number, number],
    provisional: false,
    missing: false,
    source: 'screen' as const,
  }
  const blocks = [{ ...base, kind: 'prose' as const, variant: 'paragraph' as const, runs: [{ text: 'All at once' }] }]
  const message = 'ses_off.1.1'
  bot.host.bus.emit({ type: 'typing', session: 'ses_off', on: true } as never)
  bot.host.bus.emit({ type: 'message.update', session: 'ses_off', turn: '1', message, blocks })
  await bot.fake.until(() => calls('sendChatAction') > 0, 'the sign of writing')
  const data = { session: 'ses_off', turn: '1', message, markdown: 'All at once', blocks: blocks as never }
  await bot.host.store.append('session/ses_off', 'any', [newEvent('message.final', data)])
  await bot.seen(ann, 'All at once')
  expect(calls('sendRichMessageDraft') + calls('sendMessageDraft')).toBe(drafts)
})

it('only the groups of the setting get messages, and paths only with group_detail', async () => {
  const group = bot.fake.group(-96, 'Crew')
  const said = (text: string) => group.messages.some(message => message.from.isBot && message.text.includes(text))
  await withSettings({ groups: [-96] })
  ann.say('/start', { in: group })
  await bot.fake.until(() => group.messages.some(({ from }) => from.isBot), 'words in the group')
  await raise(bot.host, 'cat /hidden/path')
  await bot.fake.until(() => said('private chat only'), 'a card without details')
  expect(said('/hidden/path')).toBe(false)
  await withSettings({ groups: [-96], groupDetail: true })
  await raise(bot.host, 'cat /shown/path')
  await bot.fake.until(() => said('/shown/path'), 'a card with details')
})

it('topics = off puts everything into the main chat, also in a chat with topics', async () => {
  const forum = bot.fake.group(-97, 'Forum', { hasTopics: true })
  await withSettings({ groups: [-97], topics: 'off' })
  const run = await runEnds('run.completed')
  ann.say('/runs', { in: forum })
  await bot.fake.until(() => forum.messages.some(({ text }) => text.includes(run)), 'the list')
  await runEnds('run.failed')
  await bot.fake.until(() => forum.messages.some(({ text }) => text.includes('no luck')), 'the notice')
  expect(calls('createForumTopic')).toBe(0)
})
