import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Clock, SimulatedClock, systemClock } from '../../clock/index.js'
import { openHomeStore } from '../../host/index.js'
import type { EventStore } from '../../store/index.js'
import { type BotApi, openBotApi } from '../bot-api.js'
import { FakeBotApi, type FakePerson } from '../fake/index.js'
import { Topics } from '../topics.js'
import { BotSender } from './bot-sender.js'
import { Outbox } from './outbox.js'
import type { OutboxItem } from './outbox-item.js'
import { DEFAULT_RATE_LIMITS } from './rate-limiter.js'

let directory: string
let store: EventStore
let fake: FakeBotApi
let ann: FakePerson
let api: BotApi
let outbox: Outbox
const gone: string[] = []
const errors: string[] = []
let revoked = 0
const moved: number[][] = []

const FAST = { privatePerS: 1000, privateBurst: 1000, groupPerMin: 60_000, allPerS: 1000 }

async function open(limits = FAST, clock: Clock = systemClock): Promise<Outbox> {
  const topics = new Topics({ api, store, clock: systemClock, isOn: true, nameOf: async subject => `about ${subject}` })
  const sender = new BotSender({
    api,
    store,
    clock: systemClock,
    topics,
    readFile: async () => ({ name: 'x', bytes: Buffer.from('x') }),
    onProblem: () => undefined,
  })
  const made = new Outbox({
    store,
    clock,
    sender,
    limits,
    onGone: async (_, reason) => void gone.push(reason),
    onMoved: async (from, to) => void moved.push([from, to]),
    onUnauthorized: () => void revoked++,
    onError: error => void errors.push((error as Error).message),
  })
  await made.start()
  return made
}

beforeEach(async () => {
  gone.length = 0
  errors.length = 0
  revoked = 0
  moved.length = 0
  directory = mkdtempSync(join(tmpdir(), 'signalbox-outbox-'))
  store = await openHomeStore({ dataDirectory: directory, clock: systemClock, onError: () => undefined })
  fake = new FakeBotApi({ rates: FAST })
  api = openBotApi({ token: fake.token, apiRoot: await fake.start() })
  ann = fake.person(4711, 'Ann')
  outbox = await open()
})
afterEach(async () => {
  await outbox.stop()
  await fake.stop()
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

let count = 0
const say = (html: string, lane: 1 | 2 | 3 = 2): OutboxItem => ({
  chat: 4711,
  lane,
  subject: `said_${++count}`,
  act: { do: 'say', html },
})
const card = (html: string, isOpen = true): OutboxItem => ({
  chat: 4711,
  lane: 1,
  subject: 'apr_1',
  act: { do: 'card', html, isOpen, keyboard: isOpen ? [[{ text: 'Allow', data: 's1.x' }]] : [] },
})
const texts = () => ann.chat.messages.map(({ text }) => text)

it('sends queued items by lane, and each lane in its order', async () => {
  await outbox.enqueue([say('a', 3), say('b', 2), say('c', 2), say('d', 1)])
  await outbox.settled()
  expect(texts()).toEqual(['d', 'b', 'c', 'a'])
})

it('edits a card as one message, and removes its buttons when it is closed', async () => {
  await outbox.enqueue([card('may I?')])
  await outbox.settled()
  await outbox.enqueue([card('denied', false)])
  await outbox.settled()
  expect(ann.chat.messages).toMatchObject([{ text: 'denied', versions: [{ text: 'may I?' }] }])
  expect(ann.chat.messages[0]?.markup?.inline_keyboard).toEqual([])
})

it('does not send a card that was closed before it was shown', async () => {
  await outbox.enqueue([card('may I?'), card('denied', false)])
  await outbox.settled()
  expect(texts()).toEqual([])
})

it('waits as long as Telegram requests, and loses nothing', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 429, retryAfter: 1 })
  await outbox.enqueue([say('a'), say('b')])
  await outbox.settled()
  expect(texts()).toEqual(['a', 'b'])
  const [first, second] = fake.calls.filter(({ method }) => method === 'sendMessage')
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
})

it('sends an unconfirmed answer again with a mark, and an unconfirmed card without one', async () => {
  fake.faults.plan('sendMessage', { kind: 'lost' })
  await outbox.enqueue([say('the answer')])
  await outbox.settled()
  expect(texts()).toEqual(['the answer', 'the answer\n\n(sent again: the first was not confirmed)'])
  fake.faults.plan('sendMessage', { kind: 'lost' })
  await outbox.enqueue([card('may I?')])
  await outbox.settled()
  expect(texts().slice(2)).toEqual(['may I?', 'may I?'])
})

it('sends again the items that were being sent when the previous process died', async () => {
  fake.faults.plan('sendMessage', { kind: 'late', ms: 3000 })
  void outbox.enqueue([say('first'), say('second')])
  await fake.until(() => texts().length === 1, 'the first')
  const next = await open()
  await next.settled()
  expect(texts()).toEqual(['first', 'first\n\n(sent again: the first was not confirmed)', 'second'])
  await next.stop()
  fake.state.updates.endPoll()
})

it('sends broken formatting as plain text, a long text in parts, and a deleted message anew', async () => {
  await outbox.enqueue([say('a <x>b</x> &amp; c'), say(`<b>${'word '.repeat(1000)}</b>`)])
  await outbox.settled()
  expect(texts()[0]).toBe('a b & c')
  expect(texts().slice(1).join(' ').match(/word/g)).toHaveLength(1000)
  await outbox.enqueue([card('one')])
  await outbox.settled()
  ann.chat.messages.at(-1)!.isDeleted = true
  await outbox.enqueue([card('two')])
  await outbox.settled()
  expect(ann.chat.messages.at(-1)).toMatchObject({ text: 'two', versions: [] })
})

it('stops the chat of a person who blocks the bot; the next item tries again', async () => {
  ann.block()
  await outbox.enqueue([say('hello')])
  await outbox.settled()
  expect(gone).toEqual(['Forbidden: bot was blocked by the user'])
  ann.unblock()
  await outbox.enqueue([say('again')])
  await outbox.settled()
  expect(texts()).toEqual(['hello', 'again'])
})

it('follows a group that became a supergroup', async () => {
  const group = fake.group(-5, 'Crew')
  const next = fake.migrate(group, -1005)
  await outbox.enqueue([{ ...say('hello all'), chat: -5 }])
  await fake.until(() => next.messages.length > 0, 'the message in the supergroup')
  expect(moved).toEqual([[-5, -1005]])
})

it('keeps a topic per session, which is created again after it was deleted', async () => {
  const chat = fake.group(-7, 'Forum', { hasTopics: true })
  const known = { type: 'telegram.chat-changed', data: { chat: -7, hasTopics: true } }
  await store.append('telegram/chat/-7', 'any', [known])
  const said = (html: string): OutboxItem => ({ ...say(html), chat: -7, topic: 'ses_1' })
  await outbox.enqueue([said('a')])
  await outbox.settled()
  for (const topic of chat.topics.values()) topic.isDeleted = true
  await outbox.enqueue([said('b')])
  await outbox.settled()
  expect([...chat.topics.values()].map(({ name }) => name)).toEqual(['about ses_1', 'about ses_1'])
  expect(chat.messages.map(({ thread }) => thread)).toEqual([...chat.topics.keys()])
})

it('sends more than 200 waiting messages as one file that contains all of them', async () => {
  await outbox.stop()
  outbox = await open(DEFAULT_RATE_LIMITS)
  ann.block()
  await outbox.enqueue([say('hello')])
  await outbox.settled()
  ann.unblock()
  await outbox.enqueue(Array.from({ length: 230 }, (_, index) => say(`word &lt;${index}&gt;`)))
  await outbox.settled()
  const [file] = ann.chat.messages.filter(({ document }) => document)
  expect(file?.text).toBe('231 messages')
  const text = Buffer.from(file!.document!.bytes).toString()
  expect(text.startsWith('hello')).toBe(true)
  expect(text.match(/word <\d+>/g)).toHaveLength(230)
  expect(texts()).toEqual(['231 messages'])
})

/** Waits are 50 times shorter: these tests check the order of calls. */
const FAST_CLOCK: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 50,
  setTimer: (ms, run) => systemClock.setTimer(ms / 50, run),
}
const sends = () => fake.calls.filter(({ method }) => method === 'sendMessage')

it('repeats a call after a server error, without a mark on the message', async () => {
  await outbox.stop()
  outbox = await open(FAST, FAST_CLOCK)
  for (const code of [500, 502, 503]) fake.faults.plan('sendMessage', { kind: 'status', code })
  await outbox.enqueue([say('hello')])
  await outbox.settled()
  expect(sends()).toHaveLength(4)
  expect(texts()).toEqual(['hello'])
})

it('pauses the chat for five seconds after a rate refusal without a time', async () => {
  await outbox.stop()
  outbox = await open(FAST, FAST_CLOCK)
  fake.faults.plan('sendMessage', { kind: 'status', code: 429, description: 'Too Many Requests' })
  await outbox.enqueue([say('hello')])
  await outbox.settled()
  const [first, second] = sends()
  expect((second!.at - first!.at) * 50).toBeGreaterThanOrEqual(5000)
  expect(texts()).toEqual(['hello'])
})

it('stops and reports a revoked token, and later sends the item without a mark', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 401, description: 'Unauthorized' })
  void outbox.enqueue([say('hello')])
  await fake.until(() => revoked === 1, 'the report of the revoked token')
  await outbox.stop()
  expect(texts()).toEqual([])
  outbox = await open()
  await outbox.settled()
  expect(texts()).toEqual(['hello'])
})

it('counts an edit that changes nothing as a success', async () => {
  await outbox.enqueue([card('may I?')])
  await outbox.settled()
  await outbox.enqueue([card('may I?')])
  await outbox.settled()
  const edit = fake.calls.find(({ method }) => method === 'editMessageText')
  expect(edit?.description).toContain('message is not modified')
  expect([...texts(), ...errors]).toEqual(['may I?'])
})

it('reports and drops an item that is refused for another reason, and sends the next one', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 400, description: 'Bad Request: CHAT_WRITE_FORBIDDEN' })
  await outbox.enqueue([say('one'), say('two')])
  await outbox.settled()
  expect(texts()).toEqual(['two'])
  expect(errors).toEqual(['Bad Request: CHAT_WRITE_FORBIDDEN'])
  const dropped = await store.readAll({ after: 0, limit: 100, types: ['telegram.dropped'] })
  expect(dropped.map(({ data }) => data.reason)).toEqual(['Bad Request: CHAT_WRITE_FORBIDDEN'])
})

it('ignores a late answer to a button press, and does not repeat it', async () => {
  await outbox.toast('nobody-asked', 'Too late', false)
  expect(errors).toEqual([])
  expect(fake.calls.filter(({ method }) => method === 'answerCallbackQuery')).toHaveLength(1)
})

it('sends a card first, while each part of a long answer waits for its own turn', async () => {
  await outbox.stop()
  outbox = await open({ ...DEFAULT_RATE_LIMITS, privatePerS: 10 })
  const parts = Array.from({ length: 5 }, (_, index) => `part ${index}`)
  const answer: OutboxItem = { chat: 4711, lane: 2, subject: 'ses_1.1', act: { do: 'answer', parts, markdown: null } }
  for (let count = 0; count < 5; count++) outbox.sendEphemeral(4711, `typing ${count}`, { do: 'typing' })
  await outbox.enqueue([answer, card('may I?')])
  await outbox.settled()
  expect(texts()).toEqual(['may I?', ...parts])
  const times = sends().map(({ at }) => at)
  // A burst of three, then ten a second: the sixth call comes 300 ms after the first at the
  // earliest.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(250)
})

it('sends a delayed item when it is due, unless it is obsolete by then', async () => {
  await outbox.stop()
  const clock = new SimulatedClock(systemClock.now())
  outbox = await open(FAST, clock)
  await outbox.enqueue([
    { ...card('later'), notBefore: clock.now() + 60_000 },
    { ...say('soon'), notBefore: clock.now() + 200 },
  ])
  await outbox.settled()
  expect(texts()).toEqual([])
  clock.advance(200)
  await fake.until(() => texts().length === 1, 'the delayed message')
  await outbox.enqueue([card('over', false)])
  await outbox.settled()
  expect(texts()).toEqual(['soon'])
  const waiting = await store.documents('telegram-outbox')
  expect(waiting).toEqual([])
})
