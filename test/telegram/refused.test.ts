import { afterAll, beforeAll, expect, it } from 'vitest'
import { requestFromReport } from '../../src/approvals/index.js'
import { systemClock } from '../../src/clock/index.js'
import { newEvent } from '../../src/events/index.js'
import { DEFAULT_NOTIFICATION_TIMES } from '../../src/notifications/index.js'
import type { FakeChat, FakePerson } from '../../src/telegram/fake/index.js'
import { raise, requestOf, TestBot } from './support.js'

/* What is refused has no effect and is recorded. */

let bot: TestBot
let ann: FakePerson
let vic: FakePerson
let crew: FakeChat
let presence = { channels: ['telegram', 'terminal'] as const, lastActive: {}, settings: DEFAULT_NOTIFICATION_TIMES }

beforeAll(async () => {
  bot = await TestBot.start({
    people: [
      [4711, 'Ann', 'owner'],
      [4712, 'Vic', 'viewer'],
    ],
    settings: { groups: [-90], groupDetail: false, topics: 'auto', stream: 'auto', announce: true, quiet: null },
    presence: () => presence,
  })
  // These runs are only reported; nothing drives them.
  await bot.runs.close()
  ann = bot.person()
  vic = bot.person(4712, 'Vic')
  crew = bot.fake.group(-90, 'Crew')
  for (const person of [ann, vic]) person.say('/start')
  await bot.seen(ann, 'No request waits')
  await bot.seen(vic, 'No request waits')
})
afterAll(() => bot.close())

const last = () => ann.chat.messages.at(-1)!.id
const keysOf = (message: { markup?: { inline_keyboard?: { text: string; callback_data?: string }[][] } }) =>
  message.markup?.inline_keyboard?.flat() ?? []

/** Waits until all updates so far are handled. */
async function quiet(): Promise<void> {
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'every update to be taken')
  await bot.bot.settled()
}

it('unpaired accounts, forwards, viewers’ presses and stale or edited buttons only cause a record', async () => {
  const { id } = await raise(bot.host, 'ls records')
  const card = await bot.seen(ann, 'ls records')
  const { callback_data: data } = keysOf(card)[0]!
  const old = await raise(bot.host, 'ls stale')
  const stale = await bot.seen(ann, 'ls stale')
  const { callback_data: staleData } = keysOf(stale)[0]!
  await bot.host.ledger.cancelled(old, 'withdrawn')
  await bot.fake.until(() => keysOf(stale).length === 0, 'the end of the other')
  const before = (await bot.events('telegram.refused')).length
  const eve = bot.person(666, 'Eve')
  eve.say('/start')
  const strange = eve.press(card, { data: data! })
  ann.say('deny it', { replyTo: card.id, forwardedFrom: 'Mallory' })
  const viewed = vic.press(card, { data: data! })
  const late = ann.press(stale, { data: staleData! })
  const forged = ann.press(card, { data: `${data!.slice(0, -1)}${data!.endsWith('A') ? 'B' : 'A'}` })
  await bot.fake.until(() => viewed.answer && late.answer && forged.answer, 'answers')
  await quiet()
  const records = (await bot.events('telegram.refused'))
    .slice(before)
    .map(({ data: { from, reason } }) => [from, reason])
  expect(records).toHaveLength(6)
  expect(records).toEqual(
    expect.arrayContaining([
      [666, 'an unpaired account'],
      [4711, 'forwarded: neither a command nor an answer nor a reason'],
      [4712, 'You have read access only: you cannot decide here.'],
      [4711, 'This request is closed.'],
      [4711, 'Unknown button.'],
    ]),
  )
  expect(strange.answer).toBeUndefined()
  expect(eve.chat.messages.filter(({ from }) => from.isBot)).toEqual([])
  expect((await bot.host.ledger.get(id))?.state).toBe('pending')
  expect(await bot.events('approval.decided')).toEqual([])
})

let tries = 0
it('a superseding request takes over the card; old buttons decide nothing and new ones do', async () => {
  const nth = ++tries
  const shown = await raise(bot.host, `ls ${nth} cut of…`)
  const card = await bot.seen(ann, `ls ${nth} cut of…`)
  const { callback_data: before } = keysOf(card)[0]!
  const messages = ann.chat.messages.length
  const known = (await bot.host.ledger.replace(shown, requestOf(`ls ${nth} cut off before`)))!
  await bot.fake.until(() => card.text?.includes(`ls ${nth} cut off before`) ?? false, 'the card to change')
  await quiet()
  expect(ann.chat.messages.length).toBe(messages)
  const late = ann.press(card, { data: before! })
  await bot.fake.until(() => late.answer, 'an answer')
  expect((await bot.host.ledger.get(known.id))!.state).toBe('pending')
  const press = ann.press(card, { data: keysOf(card)[0]!.callback_data! })
  await bot.fake.until(() => press.answer, 'an answer to the new button')
  await quiet()
  const { state, decision } = (await bot.host.ledger.get(known.id))!
  expect([state, decision?.surface]).toEqual(['decided', 'telegram'])
})

it('a text of a viewer reaches no agent and is recorded', async () => {
  const before = (await bot.events('telegram.refused')).length
  vic.say('do something')
  await bot.seen(vic, 'This needs the role approver.')
  const records = (await bot.events('telegram.refused')).slice(before)
  expect(records.map(({ data: { from, reason } }) => [from, reason])).toEqual([[4712, 'This needs the role approver.']])
})

it('a request that expires is not decided, and a late press is refused', async () => {
  const subject = { agent: 'demo', project: '/work/shop', cwd: '/work/shop', hostName: 'box' }
  const deadline = { at: systemClock.now() + 3_600_000, owner: 'config' as const, onExpiry: 'deny' as const }
  const report = { channel: 'hook', requestKey: 'late', tool: 'Bash', input: { command: 'ls late' }, deadline }
  const record = await bot.host.ledger.request(requestFromReport(report, { subject, realPath: path => path }))
  const card = await bot.seen(ann, 'ls late')
  expect(card.text).toMatch(/Until \d\d:\d\d, then: it is denied/)
  const { callback_data: data } = keysOf(card).find(({ text }) => text === 'Allow once')!
  await bot.host.ledger.expired(record)
  await bot.fake.until(() => card.text.includes('no decision was made in time'), 'the end on the card')
  expect(keysOf(card)).toEqual([])
  const press = ann.press(card, { data: data! })
  await bot.fake.until(() => press.answer, 'an answer')
  expect(press.answer).toMatchObject({ isAlert: true })
  expect((await bot.host.ledger.get(record.id))?.decision).toBeUndefined()
})

it('a decided card waits until the agent continues or the decision is not applied', async () => {
  const { id } = await raise(bot.host, 'ls told')
  const card = await bot.seen(ann, 'ls told')
  const press = ann.press(card, 'Allow once')
  await bot.fake.until(() => card.text.includes('waiting for the agent to continue'), 'the decision on the card')
  await bot.fake.until(() => press.answer?.text?.includes('Allowed once'), 'the answer to the button')
  await bot.host.ledger.stale((await bot.host.ledger.get(id))!, 'gone' as never)
  await bot.fake.until(() => card.text.includes('Not applied'), 'the outcome on the card')
  expect(card.text).not.toContain('waiting for the agent')
})

it('a card that is being sent shows a decision made on the dashboard in the meantime', async () => {
  bot.fake.faults.plan('sendMessage', { kind: 'late', ms: 400 })
  const { id, fingerprint, display } = await raise(bot.host, 'ls crossing')
  const card = await bot.seen(ann, 'ls crossing')
  await bot.host.ledger.decide(id, {
    fingerprint,
    option: 'no',
    seen: { displayHash: display.hash, whole: true },
    actor: { kind: 'person', id: 'x', name: 'Carl', role: 'owner' },
    surface: 'web',
    idempotencyKey: 'crossing',
  })
  await bot.fake.until(() => /⛔ .*Carl, web/.test(card.text), 'the decision on the card')
  expect(keysOf(card)).toEqual([])
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('ls crossing'))).toHaveLength(1)
})

it('tabs, padding, look-alike and hidden characters of a request are made visible', async () => {
  await raise(bot.host, `echo “safe”\t\u00a0\u2003${' '.repeat(40)}; rm x\u202e\u200b\u00ad`)
  const card = await bot.seen(ann, 'safe')
  expect(card.text).not.toMatch(/[\u202e\u200b\u00ad\t\u00a0\u2003]/)
  expect(card.text).toContain('rm x')
  expect(card.text).toMatch(/High risk|Medium risk/)
})

it('a lost session is reported once, with project, agent and reason, and can be resumed', async () => {
  const started = {
    number: 7,
    agent: 'demo',
    args: [],
    cwd: bot.work,
    project: bot.work,
    person: 'local',
    owner: 'daemon',
    agentSessionId: 'abc',
    pid: 1,
    size: { cols: 80, rows: 24 },
    recording: 'none',
  }
  const lost = { session: 'ses_lost', kind: 'lost', text: 'the machine was started anew' }
  await bot.host.store.append('session/ses_lost', 'any', [
    newEvent('session.started', started),
    newEvent('session.noticed', lost),
    newEvent('session.ended', { exit: null, reason: 'lost' }),
  ])
  const notice = await bot.seen(ann, 'the machine was started anew')
  expect(notice.text).toContain('shop · demo · #7')
  expect(keysOf(notice).map(({ text }) => text)).toEqual(['Resume', 'Open'])
})

it('the end of a run is reported with project, kind and result; that of a child run is not', async () => {
  const created = (title: string, more = {}) => {
    const run = { kind: 'graph', title, project: bot.work, cwd: bot.work, person: 'local', input: {}, ...more }
    return { type: 'run.created', data: run }
  }
  const failed = (reason: string) => [
    { type: 'run.started', data: { host: 'test', epoch: 1 } },
    { type: 'run.failed', data: { reason } },
  ]
  const append = (id: string, ...events: { type: string; data: object }[]) =>
    bot.host.store.append(`run/${id}`, 'any', events as never)
  const before = last()
  const parent = { run: 'run_top', child: 'part' }
  await append('run_child', created('Inner loop', { parent }), ...failed('no luck'))
  await append('run_top', created('Outer work', { labels: { host: 'daemon' } }), ...failed('the tests fail'))
  const end = await bot.seen(ann, 'Outer work', before)
  expect(end.text).toMatch(/❌ Outer work\nshop · graph · failed/)
  expect(end.text).toContain('the tests fail')
  expect(keysOf(end).map(({ text }) => text)).toEqual(['Open', 'Resume'])
  await quiet()
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('Inner loop'))).toEqual([])
})

it('a request is delayed while a person is at the terminal, and is not sent if decided by then', async () => {
  // Longer than any machine takes until the cancellation below.
  const settings = { ...DEFAULT_NOTIFICATION_TIMES, graceMs: 600_000 }
  presence = { ...presence, settings, lastActive: { terminal: systemClock.now() } }
  const there = await raise(bot.host, 'ls there')
  await quiet()
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('ls there'))).toEqual([])
  await bot.host.ledger.cancelled(there, 'answered at the terminal')
  presence = { ...presence, settings: { ...DEFAULT_NOTIFICATION_TIMES, graceMs: 300 } }
  await raise(bot.host, 'ls unseen')
  await bot.seen(ann, 'ls unseen')
  presence = { ...presence, lastActive: {} }
  await raise(bot.host, 'ls alone')
  await bot.seen(ann, 'ls alone')
  await quiet()
  expect(bot.fake.visible(ann.chat).filter(({ text }) => text.includes('ls there'))).toEqual([])
})

it('the bot announces its start if the setting is on', async () => {
  const before = last()
  await bot.bot.stop()
  await bot.openBot()
  await bot.seen(ann, 'Signalbox is running.', before)
})

it('a handler that fails reports that to the chat, and the bot keeps running', async () => {
  const before = last()
  const { startOneshot } = bot.ports
  bot.ports.startOneshot = () => Promise.reject(new TypeError('boom'))
  ann.say('/oneshot demo shop paint it')
  await bot.seen(ann, /An internal error occurred \(u\d+\)/, before)
  if (startOneshot) bot.ports.startOneshot = startOneshot
  ann.say('/usage')
  await bot.seen(ann, 'Today: ', before)
  expect(bot.errors.splice(0).join()).toContain('boom')
})

it('an enabled group gets no details, and stays enabled when it becomes a supergroup', async () => {
  ann.say('/start', { in: crew })
  await bot.fake.until(
    () => crew.messages.some(({ from, text }) => from.isBot && /waiting for you|No request waits/.test(text)),
    'words',
  )
  const { id } = await raise(bot.host, 'cat /private/path')
  const card = await bot.fake.until(
    () => crew.messages.find(({ text }) => text.includes('private chat only')),
    'a card',
  )
  expect(card.text).not.toContain('/private/path')
  const next = bot.fake.migrate(crew, -10090)
  await bot.host.ledger.cancelled((await bot.host.ledger.get(id))!, 'withdrawn')
  await raise(bot.host, 'ls moved')
  await bot.fake.until(() => next.messages.some(({ text }) => text.includes('wants to')), 'the card in the supergroup')
  ann.say('/usage', { in: next })
  await bot.fake.until(() => next.messages.some(({ text }) => text.includes('No daily budget')), 'an answer there')
  const eve = bot.person(667, 'Eva')
  const before = (await bot.events('telegram.refused')).length
  eve.say('/usage', { in: next })
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'it to be taken')
  await bot.bot.settled()
  expect((await bot.events('telegram.refused')).slice(before).map(({ data }) => data.reason)).toEqual([
    'an unpaired account',
  ])
})

it('no account gets an answer while the list of people is empty', async () => {
  await quiet()
  bot.people.unpair(4711)
  bot.people.unpair(4712)
  const before = [last(), vic.chat.messages.at(-1)!.id]
  const refused = (await bot.events('telegram.refused')).length
  ann.say('/start')
  vic.say('/sessions')
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, 'them to be taken')
  await bot.bot.settled()
  expect(ann.chat.messages.filter(({ id, from }) => id > before[0]! && from.isBot)).toEqual([])
  expect(vic.chat.messages.filter(({ id, from }) => id > before[1]! && from.isBot)).toEqual([])
  expect((await bot.events('telegram.refused')).length).toBe(refused + 2)
})
