import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../clock/index.js'
import { openHomeStore } from '../../host/index.js'
import type { SqliteStore } from '../../store/index.js'
import { type BotApi, openBotApi } from '../bot-api.js'
import { FakeBotApi, type FakePerson } from '../fake/index.js'
import { Topics } from '../topics.js'
import { Speaker } from './bot-sender.js'
import { Outbox } from './outbox.js'
import type { Queued } from './outbox-item.js'
import { DEFAULT_PACE } from './rate-limiter.js'

let directory: string
let store: SqliteStore
let fake: FakeBotApi
let ann: FakePerson
let api: BotApi
let outbox: Outbox
const gone: string[] = []
const errors: string[] = []
let revoked = 0
const moved: number[][] = []

const FAST = { privatePerS: 1000, privateBurst: 1000, groupPerMin: 60_000, allPerS: 1000 }

async function open(rules = FAST, clock: Clock = systemClock): Promise<Outbox> {
  const topics = new Topics({ api, store, clock: systemClock, isOn: true, nameOf: async subject => `about ${subject}` })
  const speaker = new Speaker({
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
    speaker,
    rules,
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
const say = (html: string, lane: 1 | 2 | 3 = 2): Queued => ({
  chat: 4711,
  lane,
  subject: `said_${++count}`,
  act: { do: 'say', html },
})
const card = (html: string, isOpen = true): Queued => ({
  chat: 4711,
  lane: 1,
  subject: 'apr_1',
  act: { do: 'card', html, isOpen, keyboard: isOpen ? [[{ text: 'Allow', data: 's1.x' }]] : [] },
})
const texts = () => ann.chat.messages.map(({ text }) => text)

it('says what was queued, the pressing things first, each in its order', async () => {
  await outbox.say([say('a', 3), say('b', 2), say('c', 2), say('d', 1)])
  await outbox.settled()
  expect(texts()).toEqual(['d', 'b', 'c', 'a'])
})

it('a card is one message, edited as long as it lives, and loses its buttons when it is closed', async () => {
  await outbox.say([card('may I?')])
  await outbox.settled()
  await outbox.say([card('denied', false)])
  await outbox.settled()
  expect(ann.chat.messages).toMatchObject([{ text: 'denied', versions: [{ text: 'may I?' }] }])
  expect(ann.chat.messages[0]?.markup?.inline_keyboard).toEqual([])
})

it('a card that was closed before it was shown is no message', async () => {
  await outbox.say([card('may I?'), card('denied', false)])
  await outbox.settled()
  expect(texts()).toEqual([])
})

it('waits as long as it is told, and loses nothing', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 429, retryAfter: 1 })
  await outbox.say([say('a'), say('b')])
  await outbox.settled()
  expect(texts()).toEqual(['a', 'b'])
  const [first, second] = fake.calls.filter(({ method }) => method === 'sendMessage')
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
})

it('an answer that was lost is sent again and says so; a card is sent again as it was', async () => {
  fake.faults.plan('sendMessage', { kind: 'lost' })
  await outbox.say([say('the answer')])
  await outbox.settled()
  expect(texts()).toEqual(['the answer', 'the answer\n\n(sent again: the first was not confirmed)'])
  fake.faults.plan('sendMessage', { kind: 'lost' })
  await outbox.say([card('may I?')])
  await outbox.settled()
  expect(texts().slice(2)).toEqual(['may I?', 'may I?'])
})

it('what was on its way when the process died is sent again by the next one', async () => {
  fake.faults.plan('sendMessage', { kind: 'late', ms: 3000 })
  void outbox.say([say('first'), say('second')])
  await fake.until(() => texts().length === 1, 'the first')
  const next = await open()
  await next.settled()
  expect(texts()).toEqual(['first', 'first\n\n(sent again: the first was not confirmed)', 'second'])
  await next.stop()
  fake.state.updates.endPoll()
})

it('broken formatting goes as plain text, too long text in parts, an edit of what is gone as a new message', async () => {
  await outbox.say([say('a <x>b</x> &amp; c'), say(`<b>${'word '.repeat(1000)}</b>`)])
  await outbox.settled()
  expect(texts()[0]).toBe('a b & c')
  expect(texts().slice(1).join(' ').match(/word/g)).toHaveLength(1000)
  await outbox.say([card('one')])
  await outbox.settled()
  ann.chat.messages.at(-1)!.isDeleted = true
  await outbox.say([card('two')])
  await outbox.settled()
  expect(ann.chat.messages.at(-1)).toMatchObject({ text: 'two', versions: [] })
})

it('a person who blocked the bot stops its chat, and the next thing to say tries again', async () => {
  ann.block()
  await outbox.say([say('hello')])
  await outbox.settled()
  expect(gone).toEqual(['Forbidden: bot was blocked by the user'])
  ann.unblock()
  await outbox.say([say('again')])
  await outbox.settled()
  expect(texts()).toEqual(['hello', 'again'])
})

it('follows a group that became a supergroup', async () => {
  const group = fake.group(-5, 'Crew')
  const next = fake.migrate(group, -1005)
  await outbox.say([{ ...say('hello all'), chat: -5 }])
  await fake.until(() => next.messages.length > 0, 'the message in the supergroup')
  expect(moved).toEqual([[-5, -1005]])
})

it('each session has its topic, made again when it was deleted', async () => {
  const chat = fake.group(-7, 'Forum', { hasTopics: true })
  const known = { type: 'telegram.chat-changed', data: { chat: -7, hasTopics: true } }
  await store.append('telegram/chat/-7', 'any', [known])
  const said = (html: string): Queued => ({ ...say(html), chat: -7, topic: 'ses_1' })
  await outbox.say([said('a')])
  await outbox.settled()
  for (const topic of chat.topics.values()) topic.isDeleted = true
  await outbox.say([said('b')])
  await outbox.settled()
  expect([...chat.topics.values()].map(({ name }) => name)).toEqual(['about ses_1', 'about ses_1'])
  expect(chat.messages.map(({ thread }) => thread)).toEqual([...chat.topics.keys()])
})

it('more than two hundred waiting words become one file, and none is missing', async () => {
  await outbox.stop()
  outbox = await open(DEFAULT_PACE)
  ann.block()
  await outbox.say([say('hello')])
  await outbox.settled()
  ann.unblock()
  await outbox.say(Array.from({ length: 230 }, (_, index) => say(`word &lt;${index}&gt;`)))
  await outbox.settled()
  const [file] = ann.chat.messages.filter(({ document }) => document)
  expect(file?.text).toBe('231 messages')
  const text = Buffer.from(file!.document!.bytes).toString()
  expect(text.startsWith('hello')).toBe(true)
  expect(text.match(/word <\d+>/g)).toHaveLength(230)
  expect(texts()).toEqual(['231 messages'])
})

/** Waits are short here; what is asked for is the order of things. */
const hasty: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 50,
  setTimer: (ms, run) => systemClock.setTimer(ms / 50, run),
}
const sends = () => fake.calls.filter(({ method }) => method === 'sendMessage')

it('errors of the server refuse the whole call: it is tried again, and what arrives is no copy', async () => {
  await outbox.stop()
  outbox = await open(FAST, hasty)
  for (const code of [500, 502, 503]) fake.faults.plan('sendMessage', { kind: 'status', code })
  await outbox.say([say('hello')])
  await outbox.settled()
  expect(sends()).toHaveLength(4)
  expect(texts()).toEqual(['hello'])
})

it('a refusal for speed that names no time is obeyed for five seconds', async () => {
  await outbox.stop()
  outbox = await open(FAST, hasty)
  fake.faults.plan('sendMessage', { kind: 'status', code: 429, description: 'Too Many Requests' })
  await outbox.say([say('hello')])
  await outbox.settled()
  const [first, second] = sends()
  expect((second!.at - first!.at) * 50).toBeGreaterThanOrEqual(5000)
  expect(texts()).toEqual(['hello'])
})

it('a token that was revoked stops it and is told; nothing is lost, and what was refused is no copy later', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 401, description: 'Unauthorized' })
  void outbox.say([say('hello')])
  await fake.until(() => revoked === 1, 'the end of the token to be told')
  await outbox.stop()
  expect(texts()).toEqual([])
  outbox = await open()
  await outbox.settled()
  expect(texts()).toEqual(['hello'])
})

it('an edit that changes nothing is a success', async () => {
  await outbox.say([card('may I?')])
  await outbox.settled()
  await outbox.say([card('may I?')])
  await outbox.settled()
  const edit = fake.calls.find(({ method }) => method === 'editMessageText')
  expect(edit?.description).toContain('message is not modified')
  expect([...texts(), ...errors]).toEqual(['may I?'])
})

it('what is refused for another reason is told and dropped, and the lane goes on', async () => {
  fake.faults.plan('sendMessage', { kind: 'status', code: 400, description: 'Bad Request: CHAT_WRITE_FORBIDDEN' })
  await outbox.say([say('one'), say('two')])
  await outbox.settled()
  expect(texts()).toEqual(['two'])
  expect(errors).toEqual(['Bad Request: CHAT_WRITE_FORBIDDEN'])
  const dropped = await store.readAll({ after: 0, limit: 100, types: ['telegram.dropped'] })
  expect(dropped.map(({ data }) => data.reason)).toEqual(['Bad Request: CHAT_WRITE_FORBIDDEN'])
})

it('an answer to a press that comes too late is no error, and is not repeated', async () => {
  await outbox.toast('nobody-asked', 'Too late', false)
  expect(errors).toEqual([])
  expect(fake.calls.filter(({ method }) => method === 'answerCallbackQuery')).toHaveLength(1)
})

it('a card goes first; each part of a long answer waits for its own turn', async () => {
  await outbox.stop()
  outbox = await open({ ...DEFAULT_PACE, privatePerS: 10 })
  const parts = Array.from({ length: 5 }, (_, index) => `part ${index}`)
  const answer: Queued = { chat: 4711, lane: 2, subject: 'ses_1.1', act: { do: 'answer', parts, markdown: null } }
  for (let count = 0; count < 5; count++) outbox.fleeting(4711, `typing ${count}`, { do: 'typing' })
  await outbox.say([answer, card('may I?')])
  await outbox.settled()
  expect(texts()).toEqual(['may I?', ...parts])
  const times = sends().map(({ at }) => at)
  // Three may come at once, then ten a second: the sixth cannot be there before three tenths.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(250)
})

it('what was put off is said when its time has come, and not at all when it is over by then', async () => {
  await outbox.say([
    { ...card('later'), notBefore: systemClock.now() + 60_000 },
    { ...say('soon'), notBefore: systemClock.now() + 200 },
  ])
  await outbox.settled()
  expect(texts()).toEqual([])
  await fake.until(() => texts().length === 1, 'what was put off for a moment')
  await outbox.say([card('over', false)])
  await outbox.settled()
  expect(texts()).toEqual(['soon'])
  const waiting = await store.documents('telegram-outbox')
  expect(waiting).toEqual([])
})
