import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { newEvent } from '../../src/events/index.js'
import { type KnownChat, telegramChatsProjection } from '../../src/host/telegram-projections.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { draftId, provisionalMarkdown } from '../../src/telegram/outgoing/answer-stream.js'
import { JumpClock } from './jump-clock.js'
import { TestBot } from './support.js'

/*
 * Growing answers, by the best method that the chat supports. The finished answer comes from the
 * log in any case.
 */

const clock = new JumpClock()
let bot: TestBot
let ann: FakePerson
let session: string
let count = 0

beforeAll(async () => {
  bot = await TestBot.start({ clock })
})
afterAll(() => bot.close())

/** Every test has its own person and session: capabilities are remembered per chat. */
beforeEach(async () => {
  count += 1
  session = `ses_x${count}`
  const chat = 4711 + count
  bot.people.pair(chat, { name: `Ann ${count}`, role: 'owner' })
  ann = bot.person(chat, `Ann ${count}`)
  const known = { chat, kind: 'private' as const, current: session }
  await bot.host.store.append(`telegram/chat/${chat}`, 'any', [newEvent('telegram.chat-changed', known)])
})
afterEach(() => bot.fake.faults.clear())

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
const growBlocks = (turn: number, blocks: Block[]) =>
  bot.host.bus.emit({
    type: 'message.update',
    session,
    turn: String(turn),
    message: `${session}.${turn}.1`,
    blocks,
  })
const grow = (turn: number, ...texts: string[]) => growBlocks(turn, texts.map(prose))
const finishBlocks = (turn: number, blocks: Block[]) => {
  const data = {
    session,
    turn: String(turn),
    message: `${session}.${turn}.1`,
    markdown: renderMarkdown(blocks),
    blocks: blocks as never,
  }
  return bot.host.store.append(`session/${session}`, 'any', [newEvent('message.final', data)])
}
const finish = (turn: number, ...texts: string[]) => finishBlocks(turn, texts.map(prose))
const calls = (method: string) =>
  bot.fake.calls.filter(call => call.method === method && call.fields.chat_id === ann.chat.id)
const messages = () => bot.fake.visible(ann.chat)
const texts = () => messages().map(({ text }) => text)

it('an answer grows by edits without drafts and rich messages, and ends in the first message', async () => {
  for (const method of ['sendRichMessageDraft', 'sendMessageDraft', 'sendRichMessage'])
    bot.fake.faults.plan(method, { kind: 'status', code: 404, description: 'Not Found: method not found' }, 100)
  grow(1, 'Beginning')
  await bot.fake.until(() => calls('sendMessageDraft').length > 0, 'the first way down')
  grow(1, 'Beginning', 'and more')
  await bot.seen(ann, 'Beginning')
  await finish(1, 'Beginning', 'and more', 'and the end')
  await bot.seen(ann, 'and the end')
  expect(texts()).toEqual(['Beginning\n\nand more\n\nand the end'])
  grow(2, 'What was learned is not tried again')
  await bot.seen(ann, 'not tried again')
  expect(calls('sendRichMessageDraft')).toHaveLength(1)
})

it('a 429 does not turn drafts off: the next update is a draft again', async () => {
  bot.fake.faults.plan('sendRichMessageDraft', { kind: 'status', code: 429, retryAfter: 1 })
  grow(1, 'Slowly')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 1, 'the refused draft')
  grow(1, 'Slowly', 'now')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 2, 'the next draft')
  const known = await bot.host.store.document<KnownChat>(telegramChatsProjection.name, String(ann.chat.id))
  expect(known?.state.cannot).toBeUndefined()
  const [first, second] = calls('sendRichMessageDraft')
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
})

it('after three refusals in ten minutes only the typing indicator is shown until the answer', async () => {
  bot.fake.faults.plan('sendRichMessageDraft', { kind: 'status', code: 429, retryAfter: 0 }, 100)
  for (const count of [1, 2, 3]) {
    grow(1, `Word ${count}`)
    await bot.fake.until(() => calls('sendRichMessageDraft').length === count, `draft ${count}`)
  }
  grow(1, 'Word 4')
  await bot.fake.until(() => calls('sendChatAction').length > 0, 'the sign of writing')
  await finish(1, 'Words')
  await bot.seen(ann, 'Words')
  expect(calls('sendRichMessageDraft')).toHaveLength(3)
})

it('an answer of which only a draft was sent is not lost with the bot', async () => {
  grow(1, 'Half of it')
  await bot.fake.until(() => calls('sendRichMessageDraft').length === 1, 'a draft')
  await bot.bot.stop()
  await finish(1, 'All of it, **with** marks')
  await bot.openBot()
  const answer = await bot.seen(ann, 'All of it')
  expect(answer.rich).toBe(renderMarkdown([prose('All of it, **with** marks')]))
  expect(texts()).toHaveLength(2)
  expect(texts()[0]).toContain('Signalbox is stopping')
})

it('an empty answer is not sent, and a text that the agent repeats three times is sent three times', async () => {
  await finish(1, ' .')
  await finish(2, 'done')
  await finish(3, 'done')
  await finish(4, 'done')
  await bot.fake.until(() => texts().length === 3, 'three answers')
  await bot.bot.settled()
  expect(texts()).toEqual(['done', 'done', 'done'])
})

it('the draft of a turn has one id, also after a restart; the growing block is plain text', () => {
  expect(draftId('ses_x', '1')).toBe(draftId('ses_x', '1'))
  expect(draftId('ses_x', '2')).not.toBe(draftId('ses_x', '1'))
  expect(draftId('ses_x', '1')).toBeGreaterThan(0)
  const bold = { ...prose('closed'), runs: [{ text: 'closed', bold: true }] } as Block
  const open = { ...prose('open'), runs: [{ text: 'open', bold: true }] } as Block
  expect(provisionalMarkdown([bold, open])).toBe('**closed**\n\nopen')
})

it('the finished answer keeps the formatting of its drafts, also after edits', async () => {
  const bold: Block = { ...prose('strong'), runs: [{ text: 'strong', bold: true }] } as Block
  growBlocks(1, [bold, prose('and on')])
  await bot.fake.until(() => calls('sendRichMessageDraft').length > 0, 'a rich draft')
  await finishBlocks(1, [bold, prose('and on')])
  const rich = await bot.seen(ann, 'and on')
  expect(rich.rich).toBe('**strong**\n\nand on')
  bot.fake.faults.plan('sendRichMessageDraft', { kind: 'status', code: 404, description: 'Not Found' }, 100)
  bot.fake.faults.plan('sendMessageDraft', { kind: 'status', code: 404, description: 'Not Found' }, 100)
  growBlocks(2, [bold, prose('second')])
  const begun = await bot.seen(ann, 'second', rich.id)
  await finishBlocks(2, [bold, prose('second'), prose('end')])
  await bot.fake.until(() => begun.text.endsWith('end'), 'the end by an edit')
  expect(begun.entities).toMatchObject([{ type: 'bold', offset: 0, length: 6 }])
})

it('a finished block looks the same while the answer grows and at its end', async () => {
  const code: Block = { ...prose('x'), kind: 'code', language: 'js', lines: ['const a = "<b>" && `c`'] } as Block
  const bold: Block = { ...prose('see *this*'), runs: [{ text: 'see *this*', bold: true }] } as Block
  growBlocks(1, [bold, code, prose('then')])
  const draft = await bot.fake.until(() => calls('sendRichMessageDraft')[0], 'a draft')
  await finishBlocks(1, [bold, code, prose('then, all of it')])
  const answer = await bot.seen(ann, 'all of it')
  const shown = (draft.fields.rich_message as { markdown: string }).markdown
  expect(answer.rich?.startsWith(shown)).toBe(true)
})

it('the second copy of an answer is marked as sent again', async () => {
  bot.fake.faults.plan('sendRichMessage', { kind: 'lost' })
  await finish(1, 'Perhaps twice')
  await bot.fake.until(() => {
    clock.jump(1000)
    return texts().length === 2
  }, 'the second copy')
  await bot.bot.settled()
  expect(texts().filter(text => text === 'Perhaps twice')).toHaveLength(1)
  expect(texts().filter(text => text.includes('sent again: the first was not confirmed'))).toHaveLength(1)
})

it('the typing indicator is repeated every four seconds where nothing else shows the work', async () => {
  bot.host.bus.emit({ type: 'typing', session, on: true } as never)
  await bot.fake.until(() => calls('sendChatAction').length === 1, 'the sign')
  clock.jump(4000)
  await bot.fake.until(() => calls('sendChatAction').length === 2, 'the sign again')
  // The session repeats it as well: that is not a second sign.
  bot.host.bus.emit({ type: 'typing', session, on: true } as never)
  for (const text of ['/runs', '/runs', '/runs']) {
    const shown = texts().length
    ann.say(text)
    await bot.fake.until(() => texts().length >= shown + 2, 'an answer of the bot')
  }
  await finish(1, 'Done writing')
  await bot.seen(ann, 'Done writing')
  expect(calls('sendChatAction')).toHaveLength(2)
})
