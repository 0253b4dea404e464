import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { daemonContext } from '../../src/runs/index.js'
import type { FakePerson } from '../../src/telegram/fake/index.js'
import { executableText } from '../../src/trust/index.js'
import { TestBot } from './support.js'

const MAY_I = {
  question: 'May I run this command?',
  options: [
    { label: 'Yes, this once', meaning: 'allow-once' },
    { label: 'No', meaning: 'deny' },
  ],
}

const scenario = {
  name: 'telegram',
  turns: [
    {
      match: 'hello',
      steps: [
        {
          say: { markdown: 'Hello, this is a **signal box**.\n\n```js\nconst a = 1 < 2\n```', chunk: 8, delayMs: 2500 },
        },
      ],
    },
    {
      match: 'clean',
      steps: [
        { say: 'I would remove the old report.' },
        { tool: { name: 'Shell', kind: 'shell', command: 'touch cleaned', permission: MAY_I } },
        { say: 'It ended with {{exitCode}}.' },
      ],
    },
    {
      match: 'ask',
      steps: [
        { ask: { question: 'Which port?', options: ['8080', '3000'], freeText: 'Type another' } },
        { think: 8000 },
        { say: 'Port {{answer}} it is.' },
      ],
    },
    { match: 'long', steps: [{ think: 400_000 }, { say: 'At last.' }] },
  ],
  otherwise: { steps: [{ say: 'You said: {{prompt}}' }] },
}

let bot: TestBot
let ann: FakePerson

beforeAll(async () => {
  bot = await TestBot.start({
    scenario,
    people: [
      [4711, 'Ann', 'owner'],
      [4712, 'Vic', 'viewer'],
    ],
  })
  mkdirSync(join(bot.work, '.git'))
  ann = bot.person()
})
afterAll(() => bot.close())

it('/new asks for the project and starts the agent there', async () => {
  ann.say('/new')
  const which = await bot.seen(ann, 'Which project?')
  ann.press(which, 'shop')
  await bot.seen(ann, /shop · demo · #1[\s\S]*started/)
})

it('plain text goes to the agent; its answer grows as a draft and is sent with formatting', async () => {
  const before = ann.chat.messages.at(-1)!.id
  ann.say('hello')
  const answer = await bot.seen(ann, 'signal box', before)
  expect(answer.rich).toContain('**signal box**')
  expect(answer.rich).toContain('const a = 1 < 2')
  const drafts = bot.fake.calls.filter(({ method }) => method === 'sendRichMessageDraft')
  expect(drafts.length).toBeGreaterThan(0)
  expect(new Set(drafts.map(({ fields }) => fields.draft_id)).size).toBe(1)
})

it('a request is shown as a card; a button decides it, and the same message shows the outcome', async () => {
  ann.say('clean up')
  const card = await bot.seen(ann, 'Demo wants to')
  expect(card.text).toContain('touch cleaned')
  expect(card.text).toContain('shop')
  expect(card.text).toContain('You asked: clean up')
  const labels = card.markup!.inline_keyboard!.map(row => row.map(({ text }) => text))
  expect(labels[0]).toEqual(['Allow once'])
  expect(labels.at(-1)).toEqual(['Deny'])
  const press = ann.press(card, 'Allow once')
  await bot.fake.until(() => /✅ Allowed once — Ann, telegram, \d\d:\d\d$/.test(card.text), 'applied on the card')
  expect(card.markup?.inline_keyboard ?? []).toEqual([])
  await bot.fake.until(() => press.answer?.text?.includes('Allowed once'), 'the answer to the button')
  await bot.seen(ann, 'It ended with 0.')
  expect(existsSync(join(bot.work, 'cleaned'))).toBe(true)
})

it('a text is not typed into an open request; it can become the reason of a denial', async () => {
  const before = ann.chat.messages.at(-1)!.id
  ann.say('clean it again')
  const card = await bot.seen(ann, 'Demo wants to', before)
  ann.say('use the other tool')
  const refusal = await bot.seen(ann, 'Answer the open request first')
  ann.press(refusal, 'Use as reason to deny')
  await bot.fake.until(() => /⛔ Denied — [^·]*$/.test(card.text), 'the denial on the card')
  const decided = await bot.events('approval.decided')
  const { text, note } = decided.at(-1)!.data as { text?: string; note?: string }
  expect(text ?? note).toBe('use the other tool')
  await bot.fake.until(() => bot.host.liveSessions()[0]!.isIdle, 'idle')
})

it('a reply to the card of a question answers it', async () => {
  const before = ann.chat.messages.at(-1)!.id
  ann.say('ask me')
  const card = await bot.seen(ann, 'Which port?', before)
  expect(card.markup!.inline_keyboard!.flat().map(({ text }) => text)).toEqual(expect.arrayContaining(['8080', '3000']))
  ann.say('9999', { replyTo: card.id })
  await bot.seen(ann, 'Port 9999 it is.')
})

it('an unknown command goes to the agent unchanged, and //x arrives as /x', async () => {
  const isOnScreen = (text: string) => bot.host.localSessions()[0]!.frame!.lines.some(line => line.text.includes(text))
  ann.say('/frobnicate now')
  await bot.fake.until(() => isOnScreen('/frobnicate now'), 'the command on the agent’s screen')
  await bot.fake.until(() => bot.host.liveSessions()[0]!.isIdle, 'idle')
  ann.say('//usage please')
  await bot.fake.until(() => isOnScreen('/usage please'), 'the doubled one')
  expect(isOnScreen('//usage')).toBe(false)
  await bot.fake.until(() => bot.host.liveSessions()[0]!.isIdle, 'idle')
})

it('an uploaded file is reported to the agent; files of the project can be downloaded, others not', async () => {
  // The server closes the connection that was kept open: the bot asks again.
  bot.fake.faults.plan('getFile', { kind: 'no-answer' })
  ann.sendFile('notes.txt', Buffer.from('all aboard'), { caption: 'read this' })
  await bot.seen(ann, 'Stored as notes.txt')
  const [session] = await bot.host.records()
  const uploads = join(bot.host.settings.dataDirectory, 'uploads', session!.id)
  expect(readdirSync(uploads)).toEqual(['notes.txt'])
  await bot.seen(ann, 'The user uploaded a file')
  writeFileSync(join(bot.work, 'plan.md'), '# Plan\n')
  ann.say('/download plan.md')
  const sent = await bot.fake.until(
    () => ann.chat.messages.find(({ document, from }) => document && from.isBot),
    'a file',
  )
  expect(Buffer.from(sent.document!.bytes).toString()).toBe('# Plan\n')
  ann.say('/download ../scenario.json')
  await bot.seen(ann, 'lies outside the project')
})

it('a viewer can only read, without buttons or texts to the agent', async () => {
  const vic = bot.person(4712, 'Vic')
  vic.say('/sessions')
  const list = await bot.seen(vic, 'shop · demo · #1')
  expect(list.markup?.inline_keyboard ?? []).toEqual([])
  vic.say('do something')
  await bot.seen(vic, 'This needs the role approver.')
  const before = ann.chat.messages.at(-1)!.id
  ann.say('clean a third time')
  const card = await bot.seen(ann, 'Demo wants to', before)
  const theirs = await bot.seen(vic, 'Demo wants to')
  expect(theirs.markup?.inline_keyboard ?? []).toEqual([])
  const { callback_data: data } = card.markup!.inline_keyboard![0]![0]!
  const press = vic.press(card, { data: data! })
  await bot.fake.until(() => press.answer, 'an answer to the press')
  expect(press.answer).toMatchObject({ text: 'You have read access only: you cannot decide here.', isAlert: true })
  ann.press(card, 'Deny')
  await bot.fake.until(() => /⛔/.test(theirs.text), 'the end on the viewer’s card')
})

it('reading commands answer: /read, /screen, /history, /context, /usage, /runs, /approvals, /explain', async () => {
  for (const [command, expected] of [
    ['/read', /./],
    ['/screen', /demo/i],
    ['/history', /shop · demo · #1/],
    ['/context', /^shop · demo · #1\n(idle|done|working) · started [^{}"]*$/],
    ['/usage', /Today: \d+ run/],
    ['/budget', /No budget of its own/],
    ['/budget 5', /Budget: \$5\.00/],
    ['/runs', /No runs yet/],
    ['/approvals', /No request waits/],
    ['/explain', /won: \w+ [^{}"]+$/],
    ['/verbose 2', /results/],
    ['/quiet 2h', /Quiet until/],
    ['/quiet off', /Notifications are on/],
    ['/start', /No request waits/],
    ['/keys', /Keys for/],
  ] as const) {
    const before = ann.chat.messages.at(-1)!.id
    ann.say(command)
    await bot.seen(ann, expected, before)
  }
})

it('/git shows the state of the project, and /diff sends all uncommitted changes with new files', async () => {
  const { cwd } = (await bot.host.records()).find(({ number }) => number === 1)!
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=ann', '-c', 'user.email=ann@example.invalid', ...args], { cwd })
  git('init', '-q', '-b', 'trunk')
  writeFileSync(join(cwd, 'kept.txt'), 'one\n')
  writeFileSync(join(cwd, '.env'), 'TOKEN=old\n')
  git('add', 'kept.txt', '.env')
  git('commit', '-q', '-m', 'A beginning')
  writeFileSync(join(cwd, 'kept.txt'), 'two\n')
  writeFileSync(join(cwd, 'fresh.txt'), 'new here\n')
  // What /download refuses, /diff only names.
  writeFileSync(join(cwd, '.env'), 'TOKEN=hunter2\n')
  mkdirSync(join(cwd, 'deploy'))
  writeFileSync(join(cwd, 'deploy', '.env.production'), 'TOKEN=hunter3\n')
  ann.say('/git')
  const card = await bot.seen(ann, /Branch trunk/, ann.chat.messages.at(-1)!.id)
  expect(card.text).toContain('kept.txt')
  expect(card.text).toContain('A beginning')
  ann.say('/diff')
  const sent = await bot.fake.until(
    () => ann.chat.messages.find(({ document, id, from }) => document && from.isBot && id > card.id),
    'the difference',
  )
  const text = Buffer.from(sent.document!.bytes).toString()
  expect(text).toContain('+two')
  expect(text).toContain('+new here')
  expect(text).not.toContain('TOKEN')
  expect(text).toMatch(/credentials: \.env\n.*credentials: deploy\/\.env\.production\n/)
})

it('a text for a working agent is held, and can be edited and removed', async () => {
  ann.say('long one')
  await bot.fake.until(() => bot.host.liveSessions()[0]?.phase === 'thinking', 'work')
  const before = ann.chat.messages.at(-1)!.id
  ann.say('and then this')
  const held = await bot.seen(ann, /Queued|Held/, before)
  expect(held.text).toMatch(/Queued|Held/)
  ann.say('/esc')
  await bot.seen(ann, /shop · demo · #1\nInterrupted\./, held.id)
})

it('the gate of a run is a card with its edges as buttons; the end of the run is reported', async () => {
  const dot = `digraph ship { start [shape=Mdiamond]; ask [shape=hexagon, label="Ship it?"]; done [shape=Msquare]
    start -> ask; ask -> done [label="[Y] Ship"]; ask -> done [label="[N] Hold"] }`
  const before = ann.chat.messages.at(-1)!.id
  const { hash: trust } = await executableText(dot, bot.work)
  const { home, env } = bot.api.parts
  const { store, clock } = bot.host
  const context = daemonContext({ store, home: home(), env, clock, person: 'local' }, bot.work)
  const { id } = await bot.api.parts.attractor.create(context, { dot, project: bot.work, trust })
  const card = await bot.seen(ann, 'Ship it?', before)
  const labels = card.markup!.inline_keyboard!.flat().map(({ text }) => text)
  expect(labels.join()).toMatch(/Ship.*Hold/)
  ann.press(card, labels.find(label => label.includes('Ship'))!)
  await bot.fake.until(() => /✅/.test(card.text), 'the end on the card')
  const end = await bot.seen(ann, /✅ ship[\s\S]*done/, card.id)
  expect(end.text).toContain('shop')
  ann.say(`/run ${id}`)
  await bot.seen(ann, /ship[\s\S]*done/, end.id)
})

it('/stop asks, stops, and names the session that becomes current', async () => {
  ann.say('/stop')
  const sure = await bot.seen(ann, /Stop shop · demo · #1/)
  ann.press(sure, 'Yes, stop it')
  await bot.seen(ann, 'has stopped. No session is running')
  ann.say('anybody there?')
  await bot.seen(ann, 'No session is selected.')
  expect(bot.errors).toEqual([])
})
