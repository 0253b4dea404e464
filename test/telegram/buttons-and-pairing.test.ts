import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { FakeMessage, FakePerson } from '../../src/telegram/fake/index.js'
import { raise, TestBot } from './support.js'

/*
 * Buttons, cards, pairing and groups, against the fake server. The requests are raised directly
 * in the ledger.
 */

let bot: TestBot
let ann: FakePerson
let bob: FakePerson

beforeAll(async () => {
  bot = await TestBot.start({
    people: [
      [4711, 'Ann', 'owner'],
      [4713, 'Bob', 'approver'],
    ],
  })
  ann = bot.person()
  bob = bot.person(4713, 'Bob')
  ann.say('/start')
  bob.say('/start')
  await bot.seen(ann, 'No request waits')
  await bot.seen(bob, 'No request waits')
})
afterAll(() => bot.close())
afterEach(() => void bot.errors.splice(0))

const cardOf = (person: FakePerson, command: string) => bot.seen(person, command)
const dataOf = (message: FakeMessage, label: string) =>
  message.markup!.inline_keyboard!.flat().find(({ text }) => text === label)!.callback_data!

it('buttons carry only a token far below 64 bytes, for any path', async () => {
  await raise(bot.host, `cat ${'/very/long/path'.repeat(20)}`)
  const card = await cardOf(ann, '/very/long/path')
  for (const { callback_data } of card.markup!.inline_keyboard!.flat()) expect(callback_data).toMatch(/^s1\.[\w-]{22}$/)
})

it('every option has a button with its label', async () => {
  await raise(bot.host, 'ls options')
  const card = await cardOf(ann, 'ls options')
  ann.press(card, 'More…')
  await bot.fake.until(
    () => card.markup!.inline_keyboard!.flat().some(({ text }) => text.startsWith('Yes, for this')),
    'all',
  )
  const labels = card.markup!.inline_keyboard!.flat().map(({ text }) => text)
  expect(labels).toEqual(['Yes', 'Yes, for this session', 'No', 'Deny with reason', 'Back'])
})

it('a stale button decides neither its request nor another open one', async () => {
  const first = await raise(bot.host, 'ls first')
  const card = await cardOf(ann, 'ls first')
  const data = dataOf(card, 'Allow once')
  await bot.host.ledger.cancelled(first, 'withdrawn')
  const second = await raise(bot.host, 'ls second')
  await cardOf(ann, 'ls second')
  const press = ann.press(card, { data })
  await bot.fake.until(() => press.answer, 'an answer')
  expect(press.answer?.text).toBe('This request is closed.')
  expect((await bot.host.ledger.get(second.id))?.state).toBe('pending')
})

it('the first of two simultaneous presses decides; the second person learns who did', async () => {
  const { id } = await raise(bot.host, 'ls both')
  const hers = await cardOf(ann, 'ls both')
  const his = await cardOf(bob, 'ls both')
  const first = ann.press(hers, 'Allow once')
  await bot.fake.until(() => first.answer, 'the first answer')
  const second = bob.press(his, { data: dataOf({ ...his, ...his.versions[0] } as FakeMessage, 'Deny') })
  await bot.fake.until(() => second.answer, 'the second answer')
  expect(second.answer).toMatchObject({ text: 'Ann decided first.', isAlert: true })
  expect((await bot.host.ledger.get(id))?.decision).toMatchObject({ actor: { name: 'Ann' }, tier: 'allow-once' })
})

it('an edited or guessed callback and the button of another person have no effect and are recorded', async () => {
  const { id } = await raise(bot.host, 'ls edited')
  const card = await cardOf(ann, 'ls edited')
  const before = (await bot.events('telegram.refused')).length
  const forged = ann.press(card, { data: `s1.${'A'.repeat(22)}` })
  const foreign = bob.press(card, { data: dataOf(card, 'Allow once') })
  await bot.fake.until(() => forged.answer && foreign.answer, 'answers')
  expect(forged.answer?.text).toBe('Unknown button.')
  expect(foreign.answer?.text).toBe('You have read access only: you cannot decide here.')
  expect((await bot.host.ledger.get(id))?.state).toBe('pending')
  expect((await bot.events('telegram.refused')).length).toBe(before + 2)
})

it('an unpaired account gets no answer, decides nothing, and is counted', async () => {
  const eve = bot.person(666, 'Eve')
  const card = await cardOf(ann, 'ls edited')
  eve.say('/start')
  eve.say('rm -rf /')
  const press = eve.press(card, { data: dataOf(card, 'Allow once') })
  const before = ann.chat.messages.at(-1)!.id
  ann.say('/start')
  await bot.seen(ann, '3 messages of unpaired accounts', before)
  expect(eve.chat.messages.filter(({ from }) => from.isBot)).toEqual([])
  expect(press.answer).toBeUndefined()
})

it('a forwarded message is not used as a command, an answer or a reason', async () => {
  const { id } = await raise(bot.host, 'ls forwarded')
  const card = await cardOf(ann, 'ls forwarded')
  ann.say('no, because', { replyTo: card.id, forwardedFrom: 'Mallory' })
  ann.say('/approvals', { forwardedFrom: 'Mallory' })
  await bot.fake.until(
    () => bot.fake.visible(ann.chat).filter(({ text }) => text.startsWith('No session is selected.')).length >= 2,
    'refusals',
  )
  expect((await bot.host.ledger.get(id))?.state).toBe('pending')
})

it('a reply to the card denies with that reason; the same text elsewhere does not', async () => {
  const { id } = await raise(bot.host, 'ls reason')
  const card = await cardOf(ann, 'ls reason')
  ann.say('not on a Friday')
  ann.say('not on a Friday', { replyTo: card.id })
  await bot.fake.until(() => /⛔/.test(card.text), 'the end on the card')
  const { decision } = (await bot.host.ledger.get(id))!
  expect(decision).toMatchObject({ tier: 'deny', note: 'not on a Friday' })
})

it('an elevated request that is cut must be shown completely first; a high one needs two presses', async () => {
  const { id } = await raise(bot.host, `rm -rf build/${'x'.repeat(3000)}`)
  const card = await cardOf(ann, 'rm -rf build/')
  expect(card.text).toContain('characters in total')
  ann.press(card, 'Allow once…')
  const below = await bot.fake.until(
    () =>
      bot.fake.visible(ann.chat).find(message => message.id > card.id && /More…/.test(JSON.stringify(message.markup))),
    'new buttons below the whole request',
  )
  const really = below.markup!.inline_keyboard!.flat().find(({ text }) => text.startsWith('Allow once'))!.text
  ann.press(below, really)
  if (really.endsWith('…')) {
    await bot.fake.until(() => JSON.stringify(below.markup).includes('Yes, allow'), 'really?')
    ann.press(below, 'Yes, allow')
  }
  await bot.fake.until(() => /✅/.test(below.text), 'decided')
  expect((await bot.host.ledger.get(id))?.decision).toMatchObject({ seen: { whole: true }, actor: { name: 'Ann' } })
})

it('a repeated update has no effect', async () => {
  const { id } = await raise(bot.host, 'ls twice')
  const card = await cardOf(ann, 'ls twice')
  ann.press(card, 'Allow once')
  await bot.fake.until(() => /✅/.test(card.text), 'decided')
  const decided = (await bot.events('approval.decided')).length
  const query = {
    id: 'cb_again',
    from: { id: 4711, is_bot: false, first_name: 'Ann' },
    data: 'whatever',
    message: { message_id: card.id, chat: { id: 4711, type: 'private' } },
  }
  const last = (await bot.events('telegram.update-taken')).at(-1)!.data.update as number
  bot.fake.state.updates.push({ callback_query: query }, last)
  // Telegram restarts the numbers of updates after a quiet week.
  const polls = () => bot.fake.calls.filter(({ method }) => method === 'getUpdates')
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'the repeated one to be confirmed')
  bot.fake.state.updates.endPoll()
  await bot.fake.until(() => polls().at(-1)?.fields.offset === undefined, 'a poll from anywhere')
  bot.fake.state.updates.jumpTo(5)
  ann.say('/usage')
  await bot.seen(ann, 'Today: ')
  expect((await bot.events('approval.decided')).length).toBe(decided)
  expect((await bot.host.ledger.get(id))?.state).not.toBe('pending')
})

it('buttons and cards survive a restart, and show decisions made in the meantime', async () => {
  const open = await raise(bot.host, 'ls survivor')
  const gone = await raise(bot.host, 'ls elsewhere')
  const openCard = await cardOf(ann, 'ls survivor')
  const goneCard = await cardOf(ann, 'ls elsewhere')
  await bot.bot.settled()
  await bot.bot.stop()
  await bot.host.ledger.decide(gone.id, {
    fingerprint: gone.fingerprint,
    option: 'no',
    seen: { displayHash: gone.display.hash, whole: true },
    actor: { kind: 'person', id: 'x', name: 'Carl', role: 'owner' },
    surface: 'web',
    idempotencyKey: 'web:1',
  })
  ann.press(openCard, 'Allow once')
  await bot.openBot()
  await bot.fake.until(() => /⛔ .*Carl, web/.test(goneCard.text), 'the other decision on the card')
  await bot.fake.until(() => /✅ .*Ann, telegram/.test(openCard.text), 'the press that waited')
  expect((await bot.host.ledger.get(open.id))?.decision?.tier).toBe('allow-once')
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('ls survivor'))).toHaveLength(1)
})

it('after a 409 one poller waits and receives updates again; until then its health is not-receiving', async () => {
  const polls = () => bot.fake.calls.filter(({ method }) => method === 'getUpdates')
  bot.fake.faults.plan('getUpdates', { kind: 'status', code: 409 })
  bot.fake.state.updates.endPoll()
  await bot.fake.until(() => bot.bot.health.state === 'not-receiving', 'not-receiving')
  expect(bot.bot.health.reason).toContain('another program')
  ann.say('/usage')
  await bot.fake.until(() => bot.bot.health.state === 'connected', 'hearing again')
  const refused = polls().findLastIndex(({ status }) => status === 409)
  const [conflict, next] = polls().slice(refused)
  // A timer may fire a millisecond early.
  expect(next!.at - conflict!.at).toBeGreaterThanOrEqual(2_990)
})

it('a person who blocks the bot ends no session; their next message reopens the chat', async () => {
  bob.block()
  await raise(bot.host, 'ls blocked')
  await cardOf(ann, 'ls blocked')
  bob.unblock()
  const before = bob.chat.messages.at(-1)!.id
  bob.say('/approvals')
  await bot.seen(bob, 'ls blocked', before)
})

it('hidden characters of a request are made visible', async () => {
  await raise(bot.host, 'echo safe\u202e rm -rf /\u200b')
  const card = await cardOf(ann, 'echo safe')
  expect(card.text).not.toMatch(/[\u202e\u200b]/)
})

it('a second bot for the same store is refused', async () => {
  await expect(new Promise((_, reject) => bot.openBot({ owner: 'other' }).catch(reject))).rejects.toMatchObject({
    code: 'E_BUSY',
  })
})

it('pairing needs the code from the machine, a private chat and a confirmation at the machine', async () => {
  const dan = bot.person(4999, 'Dan')
  const { code } = bot.bot.pairing.open()
  dan.say('/start AAAAAAAA')
  dan.say(`/start ${code}`)
  await bot.seen(dan, 'confirm the pairing at the machine')
  dan.say('/sessions')
  await bot.bot.settled()
  expect(bot.people.byTelegram(4999)).toBeNull()
  expect(bot.bot.pairing.confirm(code!)).toMatchObject({ name: 'Dan', role: 'approver', telegram: [4999] })
  const before = dan.chat.messages.at(-1)!.id
  dan.say('/start')
  await bot.seen(dan, 'waiting for you', before)
  bot.people.unpair(4999)
  const after = dan.chat.messages.at(-1)!.id
  dan.say('/start')
  ann.say('/usage')
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'everything to be taken')
  await bot.bot.settled()
  expect(dan.chat.messages.filter(({ id, from }) => id > after && from.isBot)).toEqual([])
})

it('a group that is not enabled gets no answer to any message', async () => {
  const group = bot.fake.group(-77, 'Crew')
  ann.say('/approvals', { in: group })
  ann.say('/usage')
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'everything to be taken')
  await bot.bot.settled()
  expect(group.messages.filter(({ from }) => from.isBot)).toEqual([])
  expect((await bot.events('telegram.refused')).at(-1)?.data.reason).toBe('a group that is not enabled')
})
