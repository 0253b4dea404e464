import { afterEach, beforeEach, expect, it } from 'vitest'
import { newEvent } from '../../src/events/index.js'
import { type KnownChat, telegramChatsProjection } from '../../src/host/index.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { draftId, provisionalMarkdown } from '../../src/telegram/stream.js'
import { was } from './regressions.js'
import { TestBot } from './support.js'

/* Answers that grow, on the best way the chat has; what must arrive comes by the log, whatever became of the rest. */

let bot: TestBot
let ann: FakePerson

beforeEach(async () => {
  bot = await TestBot.start()
  ann = bot.person()
  const known = { chat: 4711, kind: 'private' as const, current: 'ses_x' }
  await bot.host.store.append('telegram/chat/4711', 'any', [newEvent('telegram.chat-changed', known)])
})
afterEach(() => bot.close())

const prose = (text: string): Block => ({
  id: text,
  rows: [0, 0],
  provisional: false,
  missing: false,
  source: 'screen',
  kind: 'prose',
  variant: 'paragraph',
  runs: [{ text }],
})
const turnOf = (message: string) => message.split('.')[1]!
const grow = (message: string, ...texts: string[]) =>
  bot.host.bus.emit({
    type: 'message.update',
    session: 'ses_x',
    turn: turnOf(message),
    message,
    blocks: texts.map(prose),
  })
const finish = (message: string, ...texts: string[]) => {
  const blocks = texts.map(prose)
  const data = {
    session: 'ses_x',
    turn: turnOf(message),
    message,
    markdown: renderMarkdown(blocks),
    blocks: blocks as never,
  }
  return bot.host.store.append('session/ses_x', 'any', [newEvent('message.final', data)])
}
const calls = (method: string) => bot.fake.calls.filter(call => call.method === method)
const texts = () => bot.fake.visible(ann.chat).map(({ text }) => text)

it('a server without drafts and rich messages is spoken to by edits; the finished answer stands in the first message', async () => {
  for (const method of ['sendRichMessageDraft', 'sendMessageDraft', 'sendRichMessage'])
    bot.fake.faults.plan(method, { kind: 'status', code: 404, description: 'Not Found: method not found' }, 100)
  grow('ses_x.1.1', 'Beginning')
  await bot.fake.until(() => calls('sendMessageDraft').length > 0, 'the first way down')
  grow('ses_x.1.1', 'Beginning', 'and more')
  await bot.seen(ann, 'Beginning')
  await finish('ses_x.1.1', 'Beginning', 'and more', 'and the end')
  await bot.seen(ann, 'and the end')
  expect(texts()).toEqual(['Beginning\n\nand more\n\nand the end'])
  grow('ses_x.2.1', 'What was learned is not tried again')
  await bot.seen(ann, 'not tried again')
  expect(calls('sendRichMessageDraft')).toHaveLength(1)
})

it(was('drafts/429', 'being too fast is not being unable: after 429 it is the same way, later'), async () => {
  bot.fake.faults.plan('sendRichMessageDraft', { kind: 'status', code: 429, retryAfter: 1 })
  grow('ses_x.1.1', 'Slowly')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 1, 'the refused draft')
  grow('ses_x.1.1', 'Slowly', 'now')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 2, 'the next draft')
  const known = await bot.host.store.document<KnownChat>(telegramChatsProjection.name, '4711')
  expect(known?.state.cannot).toBeUndefined()
  const [first, second] = calls('sendRichMessageDraft')
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
})

it('refused three times in ten minutes it only shows that it writes, and the answer still comes', async () => {
  bot.fake.faults.plan('sendRichMessageDraft', { kind: 'status', code: 429, retryAfter: 0 }, 100)
  for (const count of [1, 2, 3]) {
    grow('ses_x.1.1', `Word ${count}`)
    await bot.fake.until(() => calls('sendRichMessageDraft').length === count, `draft ${count}`)
  }
  grow('ses_x.1.1', 'Word 4')
  await bot.fake.until(() => calls('sendChatAction').length > 0, 'the sign of writing')
  await finish('ses_x.1.1', 'Words')
  await bot.seen(ann, 'Words')
  expect(calls('sendRichMessageDraft')).toHaveLength(3)
})

it(was('drafts/only-copy', 'an answer whose draft was the only copy is not lost with the bot'), async () => {
  grow('ses_x.1.1', 'Half of it')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 1, 'a draft')
  await bot.bot.stop()
  await finish('ses_x.1.1', 'All of it, **with** marks')
  await bot.openBot()
  const answer = await bot.seen(ann, 'All of it')
  expect(answer.rich).toBe(renderMarkdown([prose('All of it, **with** marks')]))
  expect(texts()).toHaveLength(2)
  expect(texts()[0]).toContain('Signalbox is stopping')
})

it(
  was(
    'original/false-duplicates',
    'says nothing for an answer of nothing, and the same words three times when they were said three times',
  ),
  async () => {
    await finish('ses_x.1.1', ' .')
    await finish('ses_x.2.1', 'done')
    await finish('ses_x.3.1', 'done')
    await finish('ses_x.4.1', 'done')
    await bot.fake.until(() => texts().length === 3, 'three answers')
    await bot.bot.settled()
    expect(texts()).toEqual(['done', 'done', 'done'])
  },
)

it('the draft of a turn has one number, also after a restart; what still grows is plain', () => {
  expect(draftId('ses_x', '1')).toBe(draftId('ses_x', '1'))
  expect(draftId('ses_x', '2')).not.toBe(draftId('ses_x', '1'))
  expect(draftId('ses_x', '1')).toBeGreaterThan(0)
  const bold = { ...prose('closed'), runs: [{ text: 'closed', bold: true }] } as Block
  const open = { ...prose('open'), runs: [{ text: 'open', bold: true }] } as Block
  expect(provisionalMarkdown([bold, open])).toBe('**closed**\n\nopen')
})
