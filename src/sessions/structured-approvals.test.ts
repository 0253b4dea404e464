import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentReport, AgentStatement, HookAnswer } from '../agents/index.js'
import { type ApprovalRecord, Ledger, ledgerProjections } from '../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../approvals/testing/fixtures.js'
import { delay, SimulatedClock } from '../clock/index.js'
import { runToEnd } from '../clock/testing/run-to-end.js'
import { validateEvent } from '../events/index.js'
import type { Menu } from '../screen/index.js'
import { type EventStore, openStore } from '../store/index.js'
import type { AnswerChannel } from './answer-channel.js'
import { SessionApprovals } from './session-approvals.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let menu: Menu | null
let keys: string[]
let held: Set<string>
let answered: { report: string; answer: HookAnswer | null }[]
let messages: string[]
/** What the agent does with an answer of a hook, or with Enter. */
let onAnswer: (answer: HookAnswer) => void
let onEnter: () => void

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-structured-'))
  clock = new SimulatedClock(1_000_000)
  store = await openStore({
    path: join(directory, 'store.db'),
    clock,
    projections: ledgerProjections as never,
    validate: validateEvent,
  })
  ledger = new Ledger(store, { clock })
  menu = null
  keys = []
  held = new Set()
  answered = []
  messages = []
  onAnswer = () => {
    menu = null
  }
  onEnter = () => {
    menu = null
  }
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const channel: AnswerChannel = {
  mayHold: true,
  isOpen: report => held.has(report),
  async answer(report, answer) {
    if (!held.delete(report)) return 'closed'
    answered.push({ report, answer })
    onAnswer(answer)
    return 'sent'
  },
  release(report) {
    if (held.delete(report)) answered.push({ report, answer: null })
  },
}

function desk(): SessionApprovals {
  return new SessionApprovals({
    subject: SUBJECT,
    ledger,
    clock,
    sinks: [],
    answers: channel,
    say: async text => void messages.push(text),
    menu: {
      menu: () => menu,
      async press(key) {
        keys.push(key)
        if (key === '\r') onEnter()
        else if (menu) menu = { ...menu, selected: Math.min(menu.options.length - 1, (menu.selected ?? 0) + 1) }
      },
      nextFrame: ms => new Promise(resolve => clock.setTimer(Math.min(ms, 10), resolve)),
      age: () => ({ stands: 1_000, quiet: 1_000 }),
    },
    isExited: () => false,
    onError: error => {
      throw error
    },
  })
}

let reports = 0
const say = (
  to: SessionApprovals,
  statement: AgentStatement,
  id = `hook:${++reports}`,
  channelOf: AgentReport['channel'] = 'hook',
) => to.hear({ id, channel: channelOf, at: clock.now(), statement })
const started = (key: string, command: string): AgentStatement => ({
  is: 'tool',
  state: 'started',
  key,
  tool: 'Bash',
  input: { command },
})
const ended = (key: string, state: 'done' | 'failed' | 'denied', command = 'npm test'): AgentStatement => ({
  is: 'tool',
  state,
  key,
  tool: 'Bash',
  input: { command },
})

/** A permission hook that waits. */
async function asks(to: SessionApprovals, command: string, fields: { subAgent?: string } = {}): Promise<string> {
  const id = `hook:${++reports}`
  held.add(id)
  await say(to, { is: 'request', key: null, tool: 'Bash', input: { command }, ...fields }, id)
  return id
}

const shows = (command: string) =>
  menuOf(['Yes', 'Yes, always', 'No'], { body: [`$ ${command}`], print: `menu of ${command}` })
const run = <T>(work: Promise<T>) => runToEnd(clock, work)
const open = () => ledger.list({ isOpenOnly: true })
const end = async ({ id }: { id: string }) => {
  const { state, outcome } = (await ledger.get(id))!
  return outcome?.reason ? `${state} ${outcome.reason}` : state
}

async function decide(record: ApprovalRecord, meaning: string, fields: object = {}): Promise<ApprovalRecord> {
  const option = record.request.options.find(candidate => candidate.meaning === meaning)!.key
  await ledger.decide(record.id, decisionOf(record, { option, ...fields }))
  return (await ledger.get(record.id))!
}

describe('reports of one request', () => {
  test('tool, menu and hook are one approval, in structure from the first sight', async () => {
    const session = desk()
    await say(session, started('t1', 'npm test'))
    menu = shows('npm test')
    await session.raise(menu, '3:1')
    const hook = await asks(session, 'npm test')
    const [record, ...others] = await open()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      menuPrint: menu.print,
      request: {
        tool: 'Bash',
        input: { command: 'npm test' },
        options: [{ label: 'Yes' }, { label: 'Yes, always' }, { label: 'No' }],
      },
      source: { channel: 'hook', toolUseId: 't1' },
      joined: [{ requestKey: hook, toolUseId: 't1' }],
    })
  })

  test('the hook first: the menu joins it, and says what can be chosen', async () => {
    const session = desk()
    await asks(session, 'npm test')
    await session.raise(shows('npm test'), '3:1')
    const [record, ...others] = await open()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      request: { options: [{ label: 'Allow once' }, { label: 'Deny' }] },
      screenOptions: [{ label: 'Yes' }, {}, { label: 'No' }],
    })
  })

  test('the screen first and nothing known of the tool: the structured request follows the one from the screen', async () => {
    const session = desk()
    menu = shows('npm test')
    await session.raise(menu, '3:1')
    const [before] = await open()
    await asks(session, 'npm test')
    const [after, ...others] = await open()
    expect(others).toEqual([])
    expect(after).toMatchObject({
      follows: before!.id,
      menuPrint: menu.print,
      request: { input: { command: 'npm test' }, options: [{ label: 'Yes' }, {}, {}] },
    })
    expect(await end(before!)).toBe('stale changed')
    expect(session.open?.id).toBe(after!.id)
  })

  test('the screen first, and decided while the hook is on its way: it stays decided, and goes by the hook', async () => {
    const session = desk()
    menu = shows('npm test')
    await session.raise(menu, '3:1')
    const [before] = await open()
    const recent = ledger.recent.bind(ledger)
    ledger.recent = async id => {
      const list = await recent(id)
      if (list[0]?.state === 'pending') await decide(before!, 'deny')
      return list
    }
    const hook = await asks(session, 'npm test')
    await run(delay(clock, 2_000))
    expect(await end(before!)).toBe('applied')
    expect(answered).toMatchObject([{ report: hook, answer: {} }])
    expect(keys).toEqual([])
    expect(await ledger.list({ isOpenOnly: false })).toHaveLength(1)
  })

  test('a menu that shows another command than the hook told is a mismatch: high risk, both shown', async () => {
    const session = desk()
    await asks(session, 'npm test')
    await session.raise(shows('rm -rf /'), '3:1')
    const [record] = await open()
    expect(record).toMatchObject({ risk: { level: 'high' }, source: { mismatch: expect.stringContaining('rm -rf /') } })
  })

  test('the same hook told twice, or a relay that comes back, changes nothing but who can be answered', async () => {
    const session = desk()
    const id = await asks(session, 'npm test')
    held.delete(id)
    held.add(id)
    await say(session, { is: 'request', key: null, tool: 'Bash', input: { command: 'npm test' } }, id)
    expect(await open()).toHaveLength(1)
  })

  test('parallel tools with equal input are two requests; a helper’s is its own', async () => {
    const session = desk()
    await say(session, started('t1', 'npm test'))
    await say(session, started('t2', 'npm test'))
    await asks(session, 'npm test')
    await asks(session, 'npm test')
    await asks(session, 'npm test', { subAgent: 'helper' })
    const records = await open()
    expect(records.map(({ source, subject }) => [source.toolUseId, subject.subAgent])).toEqual([
      ['t2', undefined],
      ['t1', undefined],
      [undefined, 'helper'],
    ])
  })

  test('a form is answered on screen: its hook is let go at once, its menu is the request', async () => {
    const session = desk()
    held.add('hook:form')
    await say(session, { is: 'request', key: null, tool: 'AskUserQuestion', input: {}, viaScreen: true }, 'hook:form')
    expect(answered).toEqual([{ report: 'hook:form', answer: null }])
    expect(await open()).toEqual([])
  })
})

describe('a decision', () => {
  async function asked(session: SessionApprovals, key = 't1'): Promise<{ record: ApprovalRecord; hook: string }> {
    await say(session, started(key, 'npm test'))
    menu = shows('npm test')
    await session.raise(menu, '3:1')
    const hook = await asks(session, 'npm test')
    return { record: (await open())[0]!, hook }
  }

  test('goes by the hook, with exactly its key, and is applied when the menu goes', async () => {
    const session = desk()
    const { record, hook } = await asked(session)
    await run(session.apply(await decide(record, 'allow-once')))
    expect(answered).toEqual([{ report: hook, answer: { behavior: 'allow' } }])
    expect(keys).toEqual([])
    expect(await ledger.get(record.id)).toMatchObject({ state: 'applied', delivery: [{ step: 'answer' }] })
  })

  test('a denial’s reason goes with it; where nothing takes it, as the next message', async () => {
    const session = desk()
    const { record, hook } = await asked(session)
    await run(session.apply(await decide(record, 'deny', { note: 'wrong branch' })))
    expect(answered).toEqual([{ report: hook, answer: { behavior: 'deny', message: 'wrong branch' } }])
    expect(messages).toEqual([])
    await say(session, started('t2', 'npm run build'))
    menu = shows('npm run build')
    await session.raise(menu, '3:2')
    const [second] = await open()
    await run(session.apply(await decide(second!, 'deny', { note: 'not now', idempotencyKey: 'two' })))
    expect(keys).toEqual(['\u001b[B', '\u001b[B', '\r'])
    expect(messages).toEqual(['Denied: not now'])
    expect((await ledger.get(second!.id))!.outcome?.evidence).toContainEqual({ kind: 'note', way: 'message' })
  })

  test('an edited input goes by the hook; if the agent ran something else, that is overtaken', async () => {
    for (const [command, channel, state] of [
      ['npm test --silent', 'hook', 'applied'],
      ['npm test', 'hook', 'stale overtaken'],
      // It has what the model wrote, not what ran.
      ['npm test', 'transcript', 'applied'],
    ] as const) {
      const session = desk()
      const { record } = await asked(session, `use of ${command} by ${channel}`)
      onAnswer = () => void say(session, ended(`use of ${command} by ${channel}`, 'done', command), undefined, channel)
      const edit = { editedInput: { command: 'npm test --silent' }, idempotencyKey: `${command} ${channel}` }
      await run(session.apply(await decide(record, 'allow-once', edit)))
      expect(answered.at(-1)?.answer).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test --silent' } })
      expect(await end(record)).toBe(state)
    }
  })

  test('hook answered allow, menu stays: after 3 s the menu is answered, and the hook gets nothing more', async () => {
    const session = desk()
    const { record, hook } = await asked(session)
    onAnswer = () => held.add(hook)
    const before = clock.monotonic()
    await run(session.apply(await decide(record, 'allow-once')))
    expect(keys).toEqual(['\r'])
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(3_000)
    expect(answered).toEqual([
      { report: hook, answer: { behavior: 'allow' } },
      { report: hook, answer: null },
    ])
    expect((await ledger.get(record.id))!).toMatchObject({
      state: 'applied',
      delivery: [{ step: 'answer' }, { step: 'move' }, { step: 'confirm' }],
    })
  })

  test('somebody else was faster: what the agent says decides, and it is not called applied', async () => {
    const session = desk()
    const { record } = await asked(session)
    onAnswer = () => undefined
    const applying = session.apply(await decide(record, 'allow-once'))
    await say(session, ended('t1', 'denied'), undefined, 'transcript')
    await run(applying)
    expect(await end(record)).toBe('stale overtaken')
  })

  test('one that stands behind another is typed when its own menu comes', async () => {
    const session = desk()
    menu = shows('npm test')
    await say(session, started('t1', 'npm test'))
    await session.raise(menu, '3:1')
    const hook = await asks(session, 'npm run build')
    held.delete(hook)
    const [first, second] = await open()
    await run(session.apply(await decide(second!, 'deny', { idempotencyKey: 'two' })))
    expect(keys).toEqual([])
    expect(await end(second!)).toBe('decided')
    await run(session.apply(await decide(first!, 'allow-once')))
    await session.settle()
    menu = shows('npm run build')
    await session.raise(menu, '3:2')
    await run(new Promise<void>(resolve => clock.setTimer(2_000, resolve)))
    await eventually(async () => expect(await end(second!)).toBe('applied'))
    expect(keys).toEqual(['\r', '\u001b[B', '\u001b[B', '\r'])
  })

  test('without a menu and without a word from the agent it stays decided, until the agent says or its turn ends', async () => {
    for (const [statement, state] of [
      [ended('use, applied', 'done'), 'applied'],
      [{ is: 'turn-ended', outcome: 'done' }, 'stale unconfirmed'],
    ] as const) {
      const session = desk()
      await say(session, started(`use, ${state}`, 'npm test'))
      await asks(session, 'npm test')
      const record = (await open()).at(-1)!
      await run(session.apply(await decide(record, 'allow-once', { idempotencyKey: state })))
      expect(await end(record)).toBe('decided')
      await say(session, statement)
      expect(await end(record)).toBe(state)
    }
  })
})

describe('answered without us', () => {
  test('in the dialog: applied by observed when the agent says so, and the hook is let go', async () => {
    const session = desk()
    const hook = await asks(session, 'npm test')
    await say(session, started('t1', 'npm test'))
    const [record] = await open()
    await session.raise(shows('npm test'), '3:1')
    session.noteKeys()
    await session.settle()
    expect(answered).toEqual([{ report: hook, answer: null }])
    await run(new Promise<void>(resolve => clock.setTimer(2_000, resolve)))
    await eventually(async () =>
      expect(await ledger.get(record!.id)).toMatchObject({
        state: 'applied',
        outcome: { observed: { surface: 'terminal' } },
      }),
    )
  })

  test('the tool’s result is known before the screen is seen to change', async () => {
    const session = desk()
    await say(session, started('t1', 'npm test'))
    await session.raise(shows('npm test'), '3:1')
    const [record] = await open()
    await say(session, ended('t1', 'denied'), undefined, 'transcript')
    expect(await ledger.get(record!.id)).toMatchObject({
      state: 'applied',
      outcome: { observed: {}, evidence: [{ kind: 'transcript', result: 'denied' }] },
    })
    expect(session.open).toBeNull()
  })

  test('a turn that ends takes its requests with it, not those of helpers', async () => {
    const session = desk()
    await asks(session, 'npm test')
    await asks(session, 'npm run build', { subAgent: 'helper' })
    const [main, helper] = await open()
    await say(session, { is: 'turn-ended', outcome: 'interrupted' })
    expect(await end(main!)).toBe('cancelled the turn has ended')
    expect(await end(helper!)).toBe('pending')
  })

  test('the end of an earlier turn, told late, takes nothing', async () => {
    const session = desk()
    clock.advance(10_000)
    await asks(session, 'npm test')
    await session.hear({
      id: 'transcript:x#1',
      channel: 'transcript',
      at: 1_000_500,
      statement: { is: 'turn-ended', outcome: 'done' },
    })
    expect(await open()).toHaveLength(1)
  })
})

describe('after a restart', () => {
  test('a relay that comes back finds its request, and what was decided meanwhile goes by it', async () => {
    const before = desk()
    const id = await asks(before, 'npm test')
    const record = await decide((await open())[0]!, 'allow-once')
    held.clear()
    const after = desk()
    expect(await after.takeOver(null)).toBe('none')
    expect(await end(record)).toBe('decided')
    held.add(id)
    await say(after, { is: 'request', key: null, tool: 'Bash', input: { command: 'npm test' } }, id)
    await eventually(async () => expect(answered).toEqual([{ report: id, answer: { behavior: 'allow' } }]))
  })

  test('the end that the transcript tells before anything is taken over counts all the same', async () => {
    const before = desk()
    await say(before, started('t1', 'npm test'))
    menu = shows('npm test')
    await before.raise(menu, '3:1')
    const record = await decide((await open())[0]!, 'allow-once')
    await ledger.delivering(record, 'answer')
    const after = desk()
    await say(after, started('t1', 'npm test'), undefined, 'transcript')
    await say(after, ended('t1', 'done'), undefined, 'transcript')
    await say(after, started('t2', 'npm test'), undefined, 'transcript')
    // The same thing is asked again, and its menu looks the same.
    expect(await after.takeOver({ menu, instance: '3:2' })).toBe('new')
    expect(await end(record)).toBe('applied')
    await after.raise(menu, '3:2')
    const [next, ...others] = await open()
    expect(others).toEqual([])
    expect(next).toMatchObject({ state: 'pending', source: { toolUseId: 't2' } })
    expect(keys).toEqual([])
  })

  test('a new request whose tool was not told of is not taken for the one that was asked before', async () => {
    const before = desk()
    await say(before, started('t1', 'npm test'))
    menu = shows('npm test')
    await before.raise(menu, '3:1')
    await asks(before, 'npm test')
    const record = await decide((await open())[0]!, 'allow-once')
    const after = desk()
    await after.takeOver(null)
    await say(after, started('t1', 'npm test'), undefined, 'transcript')
    await asks(after, 'npm test')
    const [first, second] = await open()
    expect(first).toMatchObject({ id: record.id, state: 'decided' })
    expect(second).toMatchObject({ state: 'pending' })
    expect(answered.filter(({ answer }) => answer !== null)).toEqual([])
  })

  test('nobody comes back: what was asked is gone, what was sent is unconfirmed', async () => {
    const before = desk()
    await asks(before, 'npm test')
    await asks(before, 'npm run build')
    const [first, second] = await open()
    await ledger.delivering(await decide(second!, 'allow-once'), 'answer')
    held.clear()
    await desk().takeOver(null)
    await run(new Promise<void>(resolve => clock.setTimer(11_000, resolve)))
    await eventually(async () =>
      expect([await end(first!), await end(second!)]).toEqual(['stale gone', 'stale unconfirmed']),
    )
  })
})

/** Store work runs beside the simulated clock: looked at again until it is done. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await check()
    } catch (error) {
      if (tries > 200) throw error
      clock.advance(10)
      await new Promise(setImmediate)
    }
  }
}
