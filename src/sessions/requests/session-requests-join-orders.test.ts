import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentReport, AgentStatement } from '../../agents/index.js'
import { type ApprovalRecord, Ledger, ledgerProjections } from '../../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../../approvals/testing/fixtures.js'
import { SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { validateEvent } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore, storeSettled } from '../../store/testing/open-test-store.js'
import type { AnswerChannel } from './request-answer.js'
import { SessionRequests } from './session-requests.js'

/*
 * A transcript, two hooks and a menu report the same request. Their order and their distance depend
 * on a busy machine: in every order and at every distance they are one request. Only a request that
 * the screen alone has reported may be superseded, once, by the reported one.
 */
const COMMAND = 'npm test'
const MENU = menuOf(['Yes', 'No'], { body: [`$ ${COMMAND}`], hash: 'the menu' })
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
  store = await openTestStore({
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

/** One session whose agent asks; tests send its reports by hand. */
class Asking {
  readonly id = `ses_${++sessions}`
  readonly held = new Set<string>()
  readonly begun = clock.now()
  menu: Menu | null = null
  #appearances = 0
  #calls = 0
  readonly #approvals: SessionRequests

  constructor() {
    const answers: AnswerChannel = {
      mayHold: true,
      isOpen: report => this.held.has(report),
      answer: async report => (this.held.delete(report) ? 'sent' : 'closed'),
      release: report => void this.held.delete(report),
    }
    this.#approvals = new SessionRequests({
      subject: { ...SUBJECT, session: this.id },
      ledger,
      clock,
      answers,
      menu: {
        menu: () => this.menu,
        press: async key => {
          if (key === '\r') this.menu = null
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

  report(way: Way, call = 'call_1'): Promise<void> {
    const tool: AgentStatement = {
      kind: 'tool',
      state: 'started',
      key: call,
      tool: 'Bash',
      input: { command: COMMAND },
    }
    switch (way) {
      // The agent's own time: when it wrote the line, not when it is read.
      case 'transcript':
        return this.#take(tool, `line of ${call}`, { channel: 'transcript', at: this.begun })
      case 'tool hook':
        return this.#take({ ...tool, prompt: 'prompt_1' }, `${this.id} tool ${call}`)
      case 'permission hook': {
        const id = `${this.id} request ${++this.#calls}`
        this.held.add(id)
        const asked = { key: null, tool: 'Bash', input: { command: COMMAND }, prompt: 'prompt_1' }
        return this.#take({ kind: 'request', ...asked }, id)
      }
      case 'menu':
        this.menu = MENU
        return this.#approvals.screen.raise(MENU, `3:${++this.#appearances}`)
    }
  }

  /** The agent records that the tool has run. */
  end(call: string): Promise<void> {
    const tool = { tool: 'Bash', input: { command: COMMAND } }
    return this.#take({ kind: 'tool', state: 'done', key: call, ...tool }, `end of ${call}`, { channel: 'transcript' })
  }

  /** The relay of the last permission hook reconnects. */
  repeat(): Promise<void> {
    this.#calls--
    return this.report('permission hook')
  }

  async answer(record: ApprovalRecord): Promise<void> {
    await ledger.decide(record.id, decisionOf(record, { option: record.request.options[0]!.key }))
    await runToEnd(clock, this.#approvals.delivery.apply((await ledger.get(record.id))!))
    await this.#approvals.screen.menuGone()
  }

  async records(): Promise<ApprovalRecord[]> {
    return (await ledger.list({ isOpenOnly: false })).filter(({ subject }) => subject.session === this.id)
  }

  #take(statement: AgentStatement, id: string, report: Partial<AgentReport> = {}): Promise<void> {
    return this.#approvals.reported.handleReport({ id, channel: 'hook', at: clock.now(), statement, ...report })
  }
}

function orders<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map(rest => [item, ...rest]))
}

const subsets = [WAYS, WAYS.filter(way => way !== 'tool hook'), WAYS.filter(way => way !== 'transcript')] as const
const cases = subsets.flatMap(ways => orders(ways)).map(order => [order.join(', '), order] as const)

describe('one request, reported in any order', () => {
  test.each(cases)('is one record: %s', async (_, order) => {
    for (const gapMs of [0, 1_200, 11_000]) {
      const asking = new Asking()
      for (const way of order) {
        await asking.report(way)
        await pass(gapMs)
      }
      const records = await asking.records()
      expect(records, `${gapMs} ms apart`).toHaveLength(1)
      expect(records[0], `${gapMs} ms apart`).toMatchObject({
        state: 'pending',
        menuHash: MENU.hash,
        request: { tool: 'Bash' },
      })
    }
  })

  test('supersedes its version from the screen, and a decision on that one is refused', async () => {
    const asking = new Asking()
    await asking.report('menu')
    const [shown] = await asking.records()
    await asking.report('permission hook')
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

  test('keeps a decision that was made before its hook arrived', async () => {
    const asking = new Asking()
    await asking.report('menu')
    const [shown] = await asking.records()
    await ledger.decide(shown!.id, decisionOf(shown!, { option: shown!.request.options[0]!.key }))
    await asking.report('permission hook')
    await pass(0)
    const records = await asking.records()
    expect(records.map(({ id, state, decision }) => [id, state, decision?.option])).toEqual([
      [shown!.id, 'decided', shown!.request.options[0]!.key],
    ])
    // The hook is another way to deliver the answer.
    expect([...asking.held]).toEqual([])
  })

  test.each(orders(WAYS.filter(way => way !== 'menu')).map(order => [order.join(', '), order] as const))(
    'is applied once if it is answered at its menu before the other reports: %s',
    async (_, order) => {
      for (const gapMs of [0, 11_000]) {
        const asking = new Asking()
        await asking.report('menu')
        await asking.answer((await asking.records())[0]!)
        for (const way of order) {
          await pass(gapMs)
          await asking.report(way)
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

describe('the same tool, requested again', () => {
  test.each([150, 11_000])('has its own hook if the first hook reported late, %i ms earlier', async gapMs => {
    const asking = new Asking()
    await asking.report('menu')
    await asking.answer((await asking.records())[0]!)
    await asking.report('permission hook')
    await pass(gapMs)
    await asking.report('menu')
    await asking.report('permission hook')
    await asking.report('tool hook', 'call_2')
    expect((await asking.records()).map(({ state }) => state)).toEqual(['applied', 'pending'])
    expect([...asking.held]).toEqual([`${asking.id} request 2`])
  })

  test.each(['before its answer', 'after its answer', 'after the second menu'])(
    'does not get the first use of the tool, reported %s, nor its end',
    async when => {
      const asking = new Asking()
      // A slow machine: the menu is seen long after the agent has recorded the start of the tool.
      await pass(500)
      await asking.report('menu')
      const first = (await asking.records())[0]!
      if (when === 'before its answer') await asking.report('transcript')
      await asking.answer(first)
      if (when === 'after its answer') await asking.report('transcript')
      await pass(10)
      await asking.report('menu')
      if (when === 'after the second menu') await asking.report('transcript')
      await asking.end('call_1')
      const records = await asking.records()
      expect(records.map(({ state }) => state)).toEqual(['applied', 'pending'])
      await asking.report('tool hook', 'call_2')
      await asking.end('call_2')
      // The menu is still there: it is raised again, once.
      await pass(2_000)
      expect((await asking.records()).map(({ state, outcome }) => [state, outcome?.observed !== undefined])).toEqual([
        ['applied', false],
        ['applied', true],
        ['pending', false],
      ])
    },
  )

  test('releases a relay that reconnects for a closed request', async () => {
    const asking = new Asking()
    await asking.report('menu')
    await asking.answer((await asking.records())[0]!)
    await asking.report('permission hook')
    await asking.repeat()
    expect(await asking.records()).toMatchObject([{ state: 'applied' }])
    expect([...asking.held]).toEqual([])
  })
})

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await storeSettled(4)
}
