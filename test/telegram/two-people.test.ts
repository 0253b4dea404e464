import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { TestBot } from './support.js'

/* Two people with sessions of their own: each counts them from 1. */

let bot: TestBot
let ann: FakePerson
let bob: FakePerson
const last = ({ chat }: FakePerson) => chat.messages.at(-1)?.id ?? 0
const running = async () =>
  (await bot.host.records())
    .filter(({ id }) => bot.host.live(id) && !bot.host.live(id)!.exit)
    .map(({ person, number }) => `${person === 'local' ? 'ann' : 'bob'} ${number}`)
    .sort()

async function start(person: FakePerson): Promise<void> {
  const before = last(person)
  person.say('/new demo shop')
  await bot.seen(person, 'started; your messages go there', before)
  await bot.fake.until(() => bot.host.liveSessions().every(live => live.isIdle), 'idle')
}

beforeAll(async () => {
  bot = await TestBot.start({
    scenario: { name: 'echo', turns: [], otherwise: { steps: [{ say: 'You said: {{prompt}}' }] } },
    people: [
      [4711, 'Ann', 'owner'],
      [4713, 'Bob', 'approver'],
    ],
  })
  mkdirSync(join(bot.work, '.git'))
  ann = bot.person()
  bob = bot.person(4713, 'Bob')
  await start(ann)
  await start(bob)
  await start(ann)
  await start(bob)
  expect(await running()).toEqual(['ann 1', 'ann 2', 'bob 1', 'bob 2'])
})
afterAll(() => bot.close())

it('/sessions shows for each button whose session it is', async () => {
  const before = last(ann)
  ann.say('/sessions')
  const list = await bot.seen(ann, '#2 of Bob', before)
  const uses = list.markup!.inline_keyboard!.map(([use]) => use!.text)
  expect(uses.sort()).toEqual(['Use #1', 'Use #1 of Bob', 'Use #2', 'Use #2 of Bob'])
})

it('a number means a session of the asking person, whose next session becomes current', async () => {
  let before = last(ann)
  ann.say('/stop 2')
  const sure = await bot.seen(ann, 'Stop shop · demo · #2?', before)
  ann.press(sure, 'Yes, stop it')
  await bot.seen(ann, 'The active session is now shop · demo · #1.', sure.id)
  expect(await running()).toEqual(['ann 1', 'bob 1', 'bob 2'])
  before = last(ann)
  ann.say('for my own')
  await bot.seen(ann, 'You said: for my own', before)
  const [own] = (await bot.host.records()).filter(({ person, number }) => person === 'local' && number === 1)
  expect((await bot.events('message.final')).at(-1)?.data.session).toBe(own!.id)
  ann.say('/exit')
  const last1 = await bot.seen(ann, 'Stop shop · demo · #1?', before)
  ann.press(last1, 'Yes, stop it')
  await bot.seen(ann, 'You have no other session', last1.id)
  before = last(ann)
  ann.say('where does this go?')
  await bot.seen(ann, 'No session is selected.', before)
  expect(await running()).toEqual(['bob 1', 'bob 2'])
})

it('a number that only another person’s session has names that person before the session is stopped', async () => {
  await start(bob)
  const before = last(ann)
  ann.say('/stop 3')
  await bot.seen(ann, 'Stop shop · demo · #3 of Bob?', before)
})

it('/new offers no agent that cannot run in a terminal; a run may use it', async () => {
  Object.assign(bot.ports, { agents: ['demo', 'gemini', 'direct'], agentsWithoutTerminal: ['direct'] })
  const agents = async (command: string) => {
    const before = last(ann)
    ann.say(command)
    const list = await bot.seen(ann, 'Which agent?', before)
    return list.markup!.inline_keyboard!.flat().map(({ text }) => text)
  }
  expect(await agents('/new shop')).toEqual(['demo', 'gemini'])
  expect(await agents('/oneshot shop')).toEqual(['demo', 'gemini', 'direct'])
})
