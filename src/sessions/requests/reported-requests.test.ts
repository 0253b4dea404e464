import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AgentReport, AgentStatement, HookAnswer } from '../../agents/index.js'
import { type ApprovalRecord, Ledger, ledgerProjections } from '../../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../../approvals/testing/fixtures.js'
import { delay, SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { validateEvent } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore, storeSettled } from '../../store/testing/open-test-store.js'
import type { AnswerChannel } from './request-answer.js'
import { SessionRequests } from './session-requests.js'

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let menu: Menu | null
let keys: string[]
let held: Set<string>
let answered: { report: string; answer: HookAnswer | null }[]
let messages: string[]
/** What the agent does with a hook's answer, or with Enter. */
let onAnswer: (answer: HookAnswer) => void
let onEnter: () => void

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-structured-'))
  clock = new SimulatedClock(1_000_000)
  store = await openTestStore({
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

function requests(): SessionRequests {
  return new SessionRequests({
    subject: SUBJECT,
    ledger,
    clock,
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
      age: () => ({ visible: 1_000, quiet: 1_000 }),
    },
    isExited: () => false,
    onError: error => {
      throw error
    },
  })
}

let reports = 0
const say = (
  to: SessionRequests,
  statement: AgentStatement,
  id = `hook:${++reports}`,
  channelOf: AgentReport['channel'] = 'hook',
) => to.reported.handleReport({ id, channel: channelOf, at: clock.now(), statement })
const started = (key: string, command: string): AgentStatement => ({
  kind: 'tool',
  state: 'started',
  key,
  tool: 'Bash',
  input: { command },
})
const ended = (key: string, state: 'done' | 'failed' | 'denied', command = 'npm test'): AgentStatement => ({
  kind: 'tool',
  state,
  key,
  tool: 'Bash',
  input: { command },
})

/** A waiting permission hook. */
async function asks(to: SessionRequests, command: string, fields: { subAgent?: string } = {}): Promise<string> {
  const id = `hook:${++reports}`
  held.add(id)
  await say(to, { kind: 'request', key: null, tool: 'Bash', input: { command }, ...fields }, id)
  return id
}

const shows = (command: string) =>
  menuOf(['Yes', 'Yes, always', 'No'], { body: [`$ ${command}`], hash: `menu of ${command}` })
const run = <T>(work: Promise<T>) => runToEnd(clock, work, { settled: () => storeSettled(3) })
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
  test('tool, menu and hook are joined into one approval, structured from the start', async () => {
    const session = requests()
    await say(session, started('t1', 'npm test'))
    menu = shows('npm test')
    await session.screen.raise(menu, '3:1')
    const hook = await asks(session, 'npm test')
    const [record, ...others] = await open()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      menuHash: menu.hash,
      request: {
        tool: 'Bash',
        input: { command: 'npm test' },
        options: [{ label: 'Yes' }, { label: 'Yes, always' }, { label: 'No' }],
      },
      source: { channel: 'hook', toolUseId: 't1' },
      joined: [{ requestKey: hook, toolUseId: 't1' }],
    })
  })

  test('a menu that follows a hook joins it and adds its options', async () => {
    const session = requests()
    await asks(session, 'npm test')
    await session.screen.raise(shows('npm test'), '3:1')
    const [record, ...others] = await open()
    expect(others).toEqual([])
    expect(record).toMatchObject({
      request: { options: [{ label: 'Allow once' }, { label: 'Deny' }] },
      screenOptions: [{ label: 'Yes' }, {}, { label: 'No' }],
    })
  })

  test('a reported request supersedes the one from the screen if its tool was unknown', async () => {
    const session = requests()
    menu = shows('npm test')
    await session.screen.raise(menu, '3:1')
    const [before] = await open()
    await asks(session, 'npm test')
    const [after, ...others] = await open()
    expect(others).toEqual([])
    expect(after).toMatchObject({
      follows: before!.id,
      menuHash: menu.hash,
      request: { input: { command: 'npm test' }, options: [{ label: 'Yes' }, {}, {}] },
    })
    expect(await end(before!)).toBe('stale changed')
    expect(session.open.first?.record.id).toBe(after!.id)
  })

  test('a decision made before the hook stands, and the hook delivers it', async () => {
    const session = requests()
    menu = shows('npm test')
    await session.screen.raise(menu, '3:1')
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

  test('a menu and a hook with different commands are a mismatch of high risk that shows both', async () => {
    const session = requests()
    await asks(session, 'npm test')
    await session.screen.raise(shows('rm -rf /'), '3:1')
    const [record] = await open()
    expect(record).toMatchObject({ risk: { level: 'high' }, source: { mismatch: expect.stringContaining('rm -rf /') } })
  })

  test('a repeated hook or a relay that reconnects only adds a way to answer', async () => {
    const session = requests()
    const id = await asks(session, 'npm test')
    held.delete(id)
    held.add(id)
    await say(session, { kind: 'request', key: null, tool: 'Bash', input: { command: 'npm test' } }, id)
    expect(await open()).toHaveLength(1)
  })

  test('parallel tools with equal input are two requests; a sub-agent’s is separate', async () => {
    const session = requests()
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

  test('a form is answered on screen: its menu is the request, and its hook is released', async () => {
    const session = requests()
    held.add('hook:form')
    await say(session, { kind: 'request', key: null, tool: 'AskUserQuestion', input: {}, viaScreen: true }, 'hook:form')
    expect(answered).toEqual([{ report: 'hook:form', answer: null }])
    expect(await open()).toEqual([])
  })
})

describe('a decision on a reported request', () => {
  async function asked(session: SessionRequests, key = 't1'): Promise<{ record: ApprovalRecord; hook: string }> {
    await say(session, started(key, 'npm test'))
    menu = shows('npm test')
    await session.screen.raise(menu, '3:1')
    const hook = await asks(session, 'npm test')
    return { record: (await open())[0]!, hook }
  }

  test('is delivered by the hook with its key, and applied when the menu disappears', async () => {
    const session = requests()
    const { record, hook } = await asked(session)
    await run(session.delivery.apply(await decide(record, 'allow-once')))
    expect(answered).toEqual([{ report: hook, answer: { behavior: 'allow' } }])
    expect(keys).toEqual([])
    expect(await ledger.get(record.id)).toMatchObject({ state: 'applied', delivery: [{ step: 'answer' }] })
  })

  test('delivers the reason of a denial with the answer, or else as the next prompt', async () => {
    const session = requests()
    const { record, hook } = await asked(session)
    await run(session.delivery.apply(await decide(record, 'deny', { note: 'wrong branch' })))
    expect(answered).toEqual([{ report: hook, answer: { behavior: 'deny', message: 'wrong branch' } }])
    expect(messages).toEqual([])
    await say(session, started('t2', 'npm run build'))
    menu = shows('npm run build')
    await session.screen.raise(menu, '3:2')
    const [second] = await open()
    await run(session.delivery.apply(await decide(second!, 'deny', { note: 'not now', idempotencyKey: 'two' })))
    expect(keys).toEqual(['\u001b[B', '\u001b[B', '\r'])
    expect(messages).toEqual(['Denied: not now'])
    expect((await ledger.get(second!.id))!.outcome?.evidence).toContainEqual({ kind: 'note', way: 'message' })
  })

  test('delivers an edited input by the hook, and is overtaken if the agent ran something else', async () => {
    for (const [command, channel, state] of [
      ['npm test --silent', 'hook', 'applied'],
      ['npm test', 'hook', 'stale overtaken'],
      // The transcript has what the model wrote, not what ran.
      ['npm test', 'transcript', 'applied'],
    ] as const) {
      const session = requests()
      const { record } = await asked(session, `use of ${command} by ${channel}`)
      onAnswer = () => void say(session, ended(`use of ${command} by ${channel}`, 'done', command), undefined, channel)
      const edit = { editedInput: { command: 'npm test --silent' }, idempotencyKey: `${command} ${channel}` }
      await run(session.delivery.apply(await decide(record, 'allow-once', edit)))
      expect(answered.at(-1)?.answer).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test --silent' } })
      expect(await end(record)).toBe(state)
    }
  })

  test('is typed into the menu if that stays 3 s after the hook was answered', async () => {
    const session = requests()
    const { record, hook } = await asked(session)
    onAnswer = () => held.add(hook)
    const before = clock.monotonic()
    await run(session.delivery.apply(await decide(record, 'allow-once')))
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

  test('is not applied if a person answered first, as the agent’s report shows', async () => {
    const session = requests()
    const { record } = await asked(session)
    onAnswer = () => undefined
    const applying = session.delivery.apply(await decide(record, 'allow-once'))
    await say(session, ended('t1', 'denied'), undefined, 'transcript')
    await run(applying)
    expect(await end(record)).toBe('stale overtaken')
  })

  test('is typed when the menu of its queued request appears', async () => {
    const session = requests()
    menu = shows('npm test')
    await say(session, started('t1', 'npm test'))
    await session.screen.raise(menu, '3:1')
    const hook = await asks(session, 'npm run build')
    held.delete(hook)
    const [first, second] = await open()
    await run(session.delivery.apply(await decide(second!, 'deny', { idempotencyKey: 'two' })))
    expect(keys).toEqual([])
    expect(await end(second!)).toBe('decided')
    await run(session.delivery.apply(await decide(first!, 'allow-once')))
    await session.screen.menuGone()
    menu = shows('npm run build')
    await session.screen.raise(menu, '3:2')
    await run(new Promise<void>(resolve => clock.setTimer(2_000, resolve)))
    await eventually(() => end(second!)).toBe('applied')
    expect(keys).toEqual(['\r', '\u001b[B', '\u001b[B', '\r'])
  })

  test('stays decided without menu and report until the agent reports or its turn ends', async () => {
    for (const [statement, state] of [
      [ended('use, applied', 'done'), 'applied'],
      [{ kind: 'turn-ended', outcome: 'done' }, 'stale unconfirmed'],
    ] as const) {
      const session = requests()
      await say(session, started(`use, ${state}`, 'npm test'))
      await asks(session, 'npm test')
      const record = (await open()).at(-1)!
      await run(session.delivery.apply(await decide(record, 'allow-once', { idempotencyKey: state })))
      expect(await end(record)).toBe('decided')
      await say(session, statement)
      expect(await end(record)).toBe(state)
    }
  })
})

describe('a request that is answered in the terminal', () => {
  test('is applied as observed when the agent reports it, and the hook is released', async () => {
    const session = requests()
    const hook = await asks(session, 'npm test')
    await say(session, started('t1', 'npm test'))
    const [record] = await open()
    await session.screen.raise(shows('npm test'), '3:1')
    session.open.noteKeys()
    await session.screen.menuGone()
    expect(answered).toEqual([{ report: hook, answer: null }])
    await run(new Promise<void>(resolve => clock.setTimer(2_000, resolve)))
    await eventually(() => ledger.get(record!.id)).toMatchObject({
      state: 'applied',
      outcome: { observed: { surface: 'terminal' } },
    })
  })

  test('is applied also if the tool’s result arrives before the screen changes', async () => {
    const session = requests()
    await say(session, started('t1', 'npm test'))
    await session.screen.raise(shows('npm test'), '3:1')
    const [record] = await open()
    await say(session, ended('t1', 'denied'), undefined, 'transcript')
    expect(await ledger.get(record!.id)).toMatchObject({
      state: 'applied',
      outcome: { observed: {}, evidence: [{ kind: 'transcript', result: 'denied' }] },
    })
    expect(session.open.first).toBeNull()
  })

  test('is cancelled at the end of its turn, unless a sub-agent made it', async () => {
    const session = requests()
    await asks(session, 'npm test')
    await asks(session, 'npm run build', { subAgent: 'helper' })
    const [main, helper] = await open()
    await say(session, { kind: 'turn-ended', outcome: 'interrupted' })
    expect(await end(main!)).toBe('cancelled the turn has ended')
    expect(await end(helper!)).toBe('pending')
  })

  test('is not cancelled by a late report of an earlier turn’s end', async () => {
    const session = requests()
    clock.advance(10_000)
    await asks(session, 'npm test')
    await session.reported.handleReport({
      id: 'transcript:x#1',
      channel: 'transcript',
      at: 1_000_500,
      statement: { kind: 'turn-ended', outcome: 'done' },
    })
    expect(await open()).toHaveLength(1)
  })
})

describe('reports on a busy machine', () => {
  test('prove a late menu by the end of its own tool, also if an equal menu follows', async () => {
    const session = requests()
    const startedAt = clock.now()
    // The menu appears 300 ms after the tool has started, and the transcript is read later still.
    clock.advance(300)
    menu = shows('npm test')
    await session.screen.raise(menu, '3:1')
    const record = await decide((await open())[0]!, 'deny')
    // Enter is followed by an equal menu, with no frame between them.
    onEnter = () => {
      menu = shows('npm test')
    }
    const delivering = session.delivery.apply(record)
    await eventually(() => keys.at(-1)).toBe('\r')
    clock.advance(50)
    const report = (statement: AgentStatement, at: number) =>
      session.reported.handleReport({ id: `transcript:${++reports}`, channel: 'transcript', at, statement })
    await report(started('t1', 'npm test'), startedAt)
    await report(ended('t1', 'denied'), clock.now())
    await report(started('t2', 'npm test'), clock.now())
    await run(delivering)
    expect(await end(record)).toBe('applied')
    expect((await ledger.get(record.id))!.joined).toMatchObject([{ toolUseId: 't1' }])
  })
})

describe('a host after a restart', () => {
  test('gives a relay that reconnects the decision that was made in between', async () => {
    const before = requests()
    const id = await asks(before, 'npm test')
    const record = await decide((await open())[0]!, 'allow-once')
    held.clear()
    const after = requests()
    expect(await after.screen.takeOver(null)).toBe('none')
    expect(await end(record)).toBe('decided')
    held.add(id)
    await say(after, { kind: 'request', key: null, tool: 'Bash', input: { command: 'npm test' } }, id)
    await eventually(() => answered).toEqual([{ report: id, answer: { behavior: 'allow' } }])
  })

  test('types a decision that is delivered before the takeover when its menu is found', async () => {
    const before = requests()
    await say(before, started('t1', 'npm test'))
    menu = shows('npm test')
    await before.screen.raise(menu, '3:1')
    const record = await decide((await open())[0]!, 'allow-once')
    const after = requests()
    await run(after.delivery.apply(record))
    expect([await end(record), keys]).toEqual(['decided', []])
    expect(await after.screen.takeOver({ menu, instance: '3:1' })).toBe('known')
    await eventually(() => end(record)).toBe('applied')
    expect(keys).toEqual(['\r'])
  })

  test('accepts a proof after the takeover for a delivery that began before it', async () => {
    const before = requests()
    await say(before, started('t1', 'npm test'))
    await asks(before, 'npm test')
    const record = await decide((await open())[0]!, 'allow-once')
    const after = requests()
    const delivering = after.delivery.apply(record)
    await storeSettled(6)
    expect(await after.screen.takeOver(null)).toBe('none')
    await say(after, ended('t1', 'done'), undefined, 'transcript')
    await run(delivering)
    expect([await end(record), answered.length, keys]).toEqual(['applied', 1, []])
  })

  test('accepts an end that the transcript reports before the takeover', async () => {
    const before = requests()
    await say(before, started('t1', 'npm test'))
    menu = shows('npm test')
    await before.screen.raise(menu, '3:1')
    const record = await decide((await open())[0]!, 'allow-once')
    await ledger.delivering(record, 'answer')
    const after = requests()
    await say(after, started('t1', 'npm test'), undefined, 'transcript')
    await say(after, ended('t1', 'done'), undefined, 'transcript')
    await say(after, started('t2', 'npm test'), undefined, 'transcript')
    // The agent asks the same thing again with an equal menu.
    expect(await after.screen.takeOver({ menu, instance: '3:2' })).toBe('new')
    expect(await end(record)).toBe('applied')
    await after.screen.raise(menu, '3:2')
    const [next, ...others] = await open()
    expect(others).toEqual([])
    expect(next).toMatchObject({ state: 'pending', source: { toolUseId: 't2' } })
    expect(keys).toEqual([])
  })

  test('does not read a new request with an unreported tool as the earlier one', async () => {
    const before = requests()
    await say(before, started('t1', 'npm test'))
    menu = shows('npm test')
    await before.screen.raise(menu, '3:1')
    await asks(before, 'npm test')
    const record = await decide((await open())[0]!, 'allow-once')
    const after = requests()
    await after.screen.takeOver(null)
    await say(after, started('t1', 'npm test'), undefined, 'transcript')
    await asks(after, 'npm test')
    const [first, second] = await open()
    expect(first).toMatchObject({ id: record.id, state: 'decided' })
    expect(second).toMatchObject({ state: 'pending' })
    expect(answered.filter(({ answer }) => answer !== null)).toEqual([])
  })

  test('marks a pending request without a relay as gone and a sent one as unconfirmed', async () => {
    const before = requests()
    await asks(before, 'npm test')
    await asks(before, 'npm run build')
    const [first, second] = await open()
    await ledger.delivering(await decide(second!, 'allow-once'), 'answer')
    held.clear()
    await requests().screen.takeOver(null)
    await run(new Promise<void>(resolve => clock.setTimer(11_000, resolve)))
    await eventually(() => Promise.all([end(first!), end(second!)])).toEqual(['stale gone', 'stale unconfirmed'])
  })
})

/** Polls while time passes on the simulated clock, which the store does not use. */
function eventually<T>(look: () => T | Promise<T>) {
  return expect.poll(
    () => {
      clock.advance(10)
      return look()
    },
    { interval: 1 },
  )
}
