import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newEvent } from '../../src/events/index.js'
import type { FakeMessage, FakePerson } from '../../src/telegram/fake/index.js'
import { raise, TestBot } from './support.js'

/* What a chat shows besides answers and requests, with the demo agent. */

const scenario = {
  name: 'details',
  turns: [{ match: 'slowly', steps: [{ think: 600_000 }] }],
  otherwise: { steps: [{ say: 'You said: {{prompt}}' }] },
}

let bot: TestBot
let ann: FakePerson
const live = () => bot.host.liveSessions()[0]!
const last = () => ann.chat.messages.at(-1)?.id ?? 0
const buttons = (message: FakeMessage) => message.markup?.inline_keyboard?.flat().map(({ text }) => text) ?? []
const untilIdle = () => bot.fake.until(() => live()?.isIdle, 'idle')

beforeAll(async () => {
  bot = await TestBot.start({ scenario })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: bot.work })
  git('init', '-q', '-b', 'trunk')
  git('-c', 'user.name=ann', '-c', 'user.email=ann@example.invalid', 'commit', '-q', '--allow-empty', '-m', 'first')
  ann = bot.person()
})
afterAll(() => bot.close())

it('the first message of a session names its branch, and the picker loses its buttons', async () => {
  ann.say('/new')
  const picker = await bot.seen(ann, 'Which project?')
  expect(buttons(picker)).toEqual(['shop'])
  ann.press(picker, 'shop')
  ann.press(await bot.seen(ann, 'Where?'), 'In the project itself')
  const started = await bot.seen(ann, 'started; your messages go there.')
  expect(started.text).toContain('trunk · no changes')
  await bot.fake.until(
    () => ann.chat.messages.some(message => message.id === picker.id && buttons(message).length === 0),
    'the keyboard to go',
  )
})

it('the output of an agent’s own command is sent at the lowest verbosity', async () => {
  await untilIdle()
  ann.say('/verbose 0')
  await bot.seen(ann, 'Answers only.')
  const before = last()
  // Agents print the output of such a command like the result of a tool, without a call.
  const { id } = live()
  const block = { id: 'b', rows: [0, 0], provisional: false, missing: false, source: 'screen' }
  const result = { ...block, kind: 'tool_result', lines: ['Context usage: 12 %'], ok: true }
  const call = { ...block, kind: 'tool_call', tool: { name: 'Bash', kind: 'shell', summary: 'ls' } }
  const answer = (turn: string, prompt: string, blocks: unknown[]) =>
    bot.host.store.append(`session/${id}`, 'any', [
      newEvent('turn.opened', { session: id, turn, prompt }),
      newEvent('message.final', { session: id, turn, message: `${turn}.1`, markdown: '', blocks: blocks as never }),
    ])
  await answer(`${id}.90`, '/context', [result])
  await bot.seen(ann, 'Context usage: 12 %', before)
  const after = last()
  await answer(`${id}.91`, '/review', [call, { ...result, lines: ['secret details'] }])
  await answer(`${id}.92`, 'ls', [{ ...result, lines: ['more details'] }])
  await bot.bot.settled()
  expect(ann.chat.messages.filter(({ id: at, text }) => at > after && text.includes('details'))).toEqual([])
})

it('/context offers to compact the conversation, once', async () => {
  await untilIdle()
  const before = last()
  ann.say('/context')
  const card = await bot.fake.until(
    () => ann.chat.messages.find(message => message.id > before && buttons(message).includes('Compact now')),
    'the button',
  )
  ann.press(card, 'Compact now')
  await bot.fake.until(() => bot.written.some(text => text.includes('/compact')), 'the command')
  await bot.bot.settled()
  expect(buttons(ann.chat.messages.find(({ id }) => id === card.id)!)).toEqual([])
})

it('an interrupted turn without an answer is reported as interrupted', async () => {
  await untilIdle()
  const before = last()
  ann.say('slowly')
  await bot.fake.until(() => live().phase === 'thinking', 'work')
  await live().interrupt()
  await bot.seen(ann, /^shop.*\nInterrupted\.$/, before)
})

it('the agent’s own commands answer at the lowest verbosity, also if they print a notice', async () => {
  await untilIdle()
  ann.say('/verbose 0')
  await bot.seen(ann, 'Answers only.')
  for (const [command, output] of [
    ['//help', 'ctrl-j new line'],
    ['//context', 'of 200.0k tokens'],
    ['//cost', 'Cost: $'],
    ['//compact', 'The conversation was made shorter.'],
  ] as const) {
    const before = last()
    ann.say(command)
    await bot.seen(ann, output, before)
  }
})

it('/esc before any answer reports once that the turn was interrupted', async () => {
  await untilIdle()
  const before = last()
  ann.say('slowly')
  await bot.fake.until(() => live().phase === 'thinking', 'work')
  ann.say('/esc')
  await bot.seen(ann, 'Interrupted.', before)
  await untilIdle()
  await bot.bot.settled()
  expect(ann.chat.messages.filter(({ id, text }) => id > before && text.includes('Interrupted.'))).toHaveLength(1)
})

it('a reply that starts with a deciding word is not used as the reason of a denial', async () => {
  const record = await raise(bot.host, 'npm publish')
  const card = await bot.seen(ann, 'npm publish')
  for (const word of ['yes', 'Ok.', 'allow', '1', 'Yes, for this session']) {
    const before = last()
    ann.say(word, { replyTo: card.id })
    expect((await bot.seen(ann, `“${word}” is not a reason`, before)).text).toContain('Yes, for this session')
  }
  expect((await bot.host.ledger.get(record.id))?.state).toBe('pending')
  ann.say('not before the tests pass', { replyTo: card.id })
  await bot.fake.until(async () => (await bot.host.ledger.get(record.id))?.decision?.tier === 'deny', 'the denial')
})
