import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentReport, AgentStatement } from '../../agents/index.js'
import { type ApprovalRecord, Ledger, ledgerProjections } from '../../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../../approvals/testing/fixtures.js'
import { SimulatedClock } from '../../clock/index.js'
import { runThrough } from '../../clock/testing/run-through.js'
import { validateEvent } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import { type EventStore, openStore } from '../../store/index.js'
import type { AnswerChannel } from './answer-channel.js'
import { SessionApprovals } from './session-approvals.js'

/*
 * One request is told of by its transcript, by two hooks and by its menu. Which comes first, and how long after the others, is up to a busy
 * machine: in every order and at every distance it is one request. Only what the screen alone told may be replaced, once, by the same
 * thing in structure.
 */
const COMMAND = 'npm test'
const MENU = menuOf(['Yes', 'No'], { body: [`$ ${COMMAND}`], print: 'the menu' })
const WAYS = ['transcript', 'tool hook', 'permission hook', 'menu'] as const
type Way = (typeof WAYS)[number]

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let sessions = 0
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-orders-'))
  clock = new SimulatedClock(1_000_000)
  store = await openStore({
    path: join(directory, 'store.db'),
    clock,
    projections: ledgerProjections as never,
    validate: validateEvent,
  })
  ledger = new Ledger(store, { clock })
})
afterAll(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

/** One session whose agent asks, with the reports of it at hand. */
class Asking {
  readonly id = `ses_${++sessions}`
  readonly held = new Set<string>()
  readonly begun = clock.now()
  menu: Menu | null = null
  #appearances = 0
  #calls = 0
  readonly #approvals: SessionApprovals

  constructor() {
    const answers: AnswerChannel = {
      mayHold: true,
      isOpen: report => this.held.has(report),
      answer: async report => (this.held.delete(report) ? 'sent' : 'closed'),
      release: report => void this.held.delete(report),
    }
    this.#approvals = new SessionApprovals({
      subject: { ...SUBJECT, session: this.id },
      ledger,
      clock,
      sinks: [],
      answers,
      menu: {
        menu: () => this.menu,
        press: async key => {
          if (key === '\r') this.menu = null
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

  tell(way: Way, call = 'call_1'): Promise<void> {
    const tool: AgentStatement = { is: 'tool', state: 'started', key: call, tool: 'Bash', input: { command: COMMAND } }
    switch (way) {
      // The agent's own time: when it wrote the line, whenever that is read.
      case 'transcript':
        return this.#hear(tool, `line of ${call}`, { channel: 'transcript', at: this.begun })
      case 'tool hook':
        return this.#hear({ ...tool, prompt: 'prompt_1' }, `${this.id} tool ${call}`)
      case 'permission hook': {
        const id = `${this.id} request ${++this.#calls}`
        this.held.add(id)
        const asked = { key: null, tool: 'Bash', input: { command: COMMAND }, prompt: 'prompt_1' }
        return this.#hear({ is: 'request', ...asked }, id)
      }
      case 'menu':
        this.menu = MENU
        return this.#approvals.raise(MENU, `3:${++this.#appearances}`)
    }
  }

  /** The agent writes down that the tool has run. */
  end(call: string): Promise<void> {
    const tool = { tool: 'Bash', input: { command: COMMAND } }
    return this.#hear({ is: 'tool', state: 'done', key: call, ...tool }, `end of ${call}`, { channel: 'transcript' })
  }

  /** The relay of the last permission hook has lost us, and is back. */
  repeat(): Promise<void> {
    this.#calls--
    return this.tell('permission hook')
  }

  async answer(record: ApprovalRecord): Promise<void> {
    await ledger.decide(record.id, decisionOf(record, { option: record.request.options[0]!.key }))
    await runThrough(clock, this.#approvals.apply((await ledger.get(record.id))!))
    await this.#approvals.settle()
  }

  async records(): Promise<ApprovalRecord[]> {
    return (await ledger.list({ isOpenOnly: false })).filter(({ subject }) => subject.session === this.id)
  }

  #hear(statement: AgentStatement, id: string, report: Partial<AgentReport> = {}): Promise<void> {
    return this.#approvals.hear({ id, channel: 'hook', at: clock.now(), statement, ...report })
  }
}

function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

const subsets = [WAYS, WAYS.filter(way => way !== 'tool hook'), WAYS.filter(way => way !== 'transcript')] as const
const cases = subsets.flatMap(ways => orders(ways)).map(order => [order.join(', '), order] as const)

describe('one request, in every order of its reports', () => {
  test.each(cases)('%s', async (_, order) => {
    for (const gapMs of [0, 1_200, 11_000]) {
      const asking = new Asking()
      for (const way of order) {
        await asking.tell(way)
        await pass(gapMs)
      }
      const records = await asking.records()
      expect(records, `${gapMs} ms apart`).toHaveLength(1)
      expect(records[0], `${gapMs} ms apart`).toMatchObject({
        state: 'pending',
        menuPrint: MENU.print,
        request: { tool: 'Bash' },
      })
    }
  })

  test('what the screen alone told makes way for the same in structure, and says so to whoever decides it', async () => {
    const asking = new Asking()
    await asking.tell('menu')
    const [shown] = await asking.records()
    await asking.tell('permission hook')
    const [known] = await asking.records()
    expect(known).toMatchObject({ state: 'pending', follows: shown!.id })
    expect(await ledger.get(shown!.id)).toMatchObject({
      state: 'stale',
      outcome: { reason: 'changed', followedBy: known!.id },
    })
    expect(await ledger.newestVersion(shown!.id)).toEqual(known)
    const old = decisionOf(shown!, { option: shown!.request.options[0]!.key })
    await expect(ledger.decide(shown!.id, old)).rejects.toMatchObject({
      code: 'E_APPROVAL_CHANGED',
      next: expect.stringContaining(known!.id),
    })
    expect((await ledger.get(known!.id))!.state).toBe('pending')
    await asking.answer(known!)
    expect((await asking.records()).map(({ state }) => state)).toEqual(['applied'])
  })

  test('what was decided before the hook came stays as it was decided', async () => {
    const asking = new Asking()
    await asking.tell('menu')
    const [shown] = await asking.records()
    await ledger.decide(shown!.id, decisionOf(shown!, { option: shown!.request.options[0]!.key }))
    await asking.tell('permission hook')
    await pass(0)
    const records = await asking.records()
    expect(records.map(({ id, state, decision }) => [id, state, decision?.option])).toEqual([
      [shown!.id, 'decided', shown!.request.options[0]!.key],
    ])
    // The hook is a further way to bring the answer.
    expect([...asking.held]).toEqual([])
  })

  test.each(orders(WAYS.filter(way => way !== 'menu')).map(order => [order.join(', '), order] as const))(
    'answered at its menu before the rest comes: %s',
    async (_, order) => {
      for (const gapMs of [0, 11_000]) {
        const asking = new Asking()
        await asking.tell('menu')
        await asking.answer((await asking.records())[0]!)
        for (const way of order) {
          await pass(gapMs)
          await asking.tell(way)
        }
        await pass(2_000)
        const records = await asking.records()
        expect(
          records.map(({ state }) => state),
          `${gapMs} ms apart`,
        ).toEqual(['applied'])
        expect([...asking.held], `${gapMs} ms apart`).toEqual([])
      }
    },
  )
})

describe('the same thing asked again', () => {
  test.each([150, 11_000])(
    'after a report of the first that came too late: its own hook is its own, %i ms on',
    async gapMs => {
      const asking = new Asking()
      await asking.tell('menu')
      await asking.answer((await asking.records())[0]!)
      await asking.tell('permission hook')
      await pass(gapMs)
      await asking.tell('menu')
      await asking.tell('permission hook')
      await asking.tell('tool hook', 'call_2')
      expect((await asking.records()).map(({ state }) => state)).toEqual(['applied', 'pending'])
      expect([...asking.held]).toEqual([`${asking.id} request 2`])
    },
  )

  test.each(['before its answer', 'after its answer', 'after the second menu'])(
    'the first use of the tool, told of %s, and its end are not the second request’s',
    async when => {
      const asking = new Asking()
      // A slow machine: the menu is seen long after the agent has written down that it begins.
      await pass(500)
      await asking.tell('menu')
      const first = (await asking.records())[0]!
      if (when === 'before its answer') await asking.tell('transcript')
      await asking.answer(first)
      if (when === 'after its answer') await asking.tell('transcript')
      await pass(10)
      await asking.tell('menu')
      if (when === 'after the second menu') await asking.tell('transcript')
      await asking.end('call_1')
      const records = await asking.records()
      expect(records.map(({ state }) => state)).toEqual(['applied', 'pending'])
      await asking.tell('tool hook', 'call_2')
      await asking.end('call_2')
      // The menu stands there all the same: it is asked anew, once.
      await pass(2_000)
      expect((await asking.records()).map(({ state, outcome }) => [state, outcome?.observed !== undefined])).toEqual([
        ['applied', false],
        ['applied', true],
        ['pending', false],
      ])
    },
  )

  test('a relay that comes back with a report of what is over is let go again', async () => {
    const asking = new Asking()
    await asking.tell('menu')
    await asking.answer((await asking.records())[0]!)
    await asking.tell('permission hook')
    await asking.repeat()
    expect(await asking.records()).toMatchObject([{ state: 'applied' }])
    expect([...asking.held]).toEqual([])
  })
})

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  for (let turn = 0; turn < 4; turn++) await new Promise(resolve => setImmediate(resolve))
}
