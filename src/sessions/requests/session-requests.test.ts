import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ApprovalRecord, approvalsProjection, Ledger } from '../../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../../approvals/testing/fixtures.js'
import { delay, SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { validateEvent } from '../../events/index.js'
import type { Menu } from '../../screen/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { SessionRequests } from './session-requests.js'

const MENU = menuOf(['Yes', 'No'])

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let screen: { menu: Menu | null; keys: string[]; keyTimes: number[]; hasExited: boolean }
let reported: string[]
let errors: unknown[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'))
  clock = new SimulatedClock(1_000_000)
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [approvalsProjection] as never,
    validate: validateEvent,
  })
  ledger = new Ledger(store)
  screen = { menu: MENU, keys: [], keyTimes: [], hasExited: false }
  reported = []
  errors = []
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function approvals(): SessionRequests {
  return new SessionRequests({
    subject: SUBJECT,
    ledger,
    clock,
    onAsked: ({ state }) => void reported.push(`asked ${state}`),
    onEnded: ({ state, outcome }) => void reported.push(`ended ${state}${outcome?.reason ? ` ${outcome.reason}` : ''}`),
    menu: {
      menu: () => screen.menu,
      async press(keys) {
        screen.keys.push(keys)
        screen.keyTimes.push(clock.monotonic())
        if (keys === '\r') screen.menu = null
        else if (screen.menu) screen.menu = { ...screen.menu, selected: 1 }
      },
      nextFrame: ms => new Promise(resolve => clock.setTimer(Math.min(ms, 10), resolve)),
    },
    isExited: () => screen.hasExited,
    onError: error => errors.push(error),
  })
}

async function decided(of: SessionRequests, option = 'Yes'): Promise<ApprovalRecord> {
  const { id, fingerprint, display } = of.open.first!.record
  await ledger.decide(id, decisionOf({ fingerprint, display }, { option }))
  return (await ledger.get(id))!
}

const run = <T>(work: Promise<T>) => runToEnd(clock, work)
const stateOf = async (record: { id: string }) => {
  const { state, outcome } = (await ledger.get(record.id))!
  return outcome?.reason ? `${state} ${outcome.reason}` : state
}

describe('a menu', () => {
  test('is raised once', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    expect(session.open.first?.record).toMatchObject({
      state: 'pending',
      instance: '3:1',
      menuHash: MENU.hash,
      kind: 'permission',
    })
    expect(reported).toEqual(['asked pending'])
  })

  test('supersedes its request when it is redrawn differently; another dialog does not', async () => {
    const session = approvals()
    const [small, large] = ['⋮ 9 more rows', '⋮ 2 more rows'].map(row =>
      menuOf(['Yes', 'No'], { hash: row, body: ['$ make all the things', row], isCut: true }),
    )
    await session.screen.raise(small!, '3:1')
    const first = session.open.first!.record
    await session.screen.menuGone(large!)
    await session.screen.raise(large!, '3:2')
    expect(await ledger.get(first.id)).toMatchObject({
      state: 'stale',
      outcome: { reason: 'changed', followedBy: session.open.first!.record.id },
    })
    // A person scrolls: the text is still partly the same.
    session.open.noteKeys()
    await session.screen.menuGone(small!)
    await session.screen.raise(small!, '3:3')
    const third = session.open.first!.record
    session.open.noteKeys()
    const other = menuOf(['Yes', 'No'], { hash: 'other', body: ['$ npm publish'] })
    await session.screen.menuGone(other)
    await session.screen.raise(other, '3:4')
    expect(await stateOf(third)).toBe('applied')
    expect((await ledger.list({ isOpenOnly: true })).map(({ menuHash }) => menuHash)).toEqual(['other'])
  })

  test('is raised once if it is on screen without an open request', async () => {
    const before = approvals()
    await before.screen.raise(MENU, '3:1')
    const first = before.open.first!.record
    // The next host comes while the screen shows no menu; then an equal menu appears.
    screen.menu = null
    const session = approvals()
    expect(await session.screen.takeOver(null)).toBe('none')
    expect(await stateOf(first)).toBe('stale gone')
    screen.menu = MENU
    for (let looks = 0; looks < 3; looks++) {
      session.screen.seenAgain(MENU, '3:1')
      await run(delay(clock, 200))
    }
    await run(delay(clock, 1_000))
    session.screen.seenAgain(MENU, '3:1')
    await run(delay(clock, 1_000))
    const all = await ledger.list({ isOpenOnly: false })
    expect(all.map(({ state }) => state)).toEqual(['stale', 'pending'])
    expect(session.open.first?.record).toMatchObject({ state: 'pending', menuHash: MENU.hash })
  })

  test('raises no request if it is a survey or if a person opened it', async () => {
    const session = approvals()
    await session.screen.raise({ ...MENU, kind: 'survey' }, '3:1')
    await session.screen.raise({ ...MENU, origin: 'user' }, '3:2')
    expect(session.open.first).toBeNull()
    expect(await ledger.list({ isOpenOnly: false })).toEqual([])
  })

  test('makes its request stale without an answer; after a person’s keys it was answered in the terminal', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const first = session.open.first!.record
    await session.screen.menuGone()
    expect(await stateOf(first)).toBe('stale gone')
    await session.screen.raise(MENU, '3:2')
    const second = session.open.first!.record
    session.open.noteKeys()
    await session.screen.menuGone()
    expect(await stateOf(second)).toBe('applied')
    expect(session.open.first).toBeNull()
    expect(reported).toEqual(['asked pending', 'ended stale gone', 'asked pending', 'ended applied'])
  })

  test('is recorded as observed if it was answered in the terminal before it was raised', async () => {
    const session = approvals()
    const since = clock.monotonic()
    await clock.advance(40)
    session.open.noteKeys()
    await clock.advance(500)
    await session.screen.raise(MENU, '3:1', since)
    const record = session.open.first!.record
    await session.screen.menuGone()
    expect(await stateOf(record)).toBe('applied')
  })

  test('cancels its request when the program has exited, decided or not', async () => {
    for (const isDecided of [false, true]) {
      screen.hasExited = false
      const session = approvals()
      await session.screen.raise(MENU, `3:${isDecided}`)
      const record = session.open.first!.record
      if (isDecided) await decided(session)
      screen.hasExited = true
      await session.screen.menuGone()
      expect(await stateOf(record)).toBe('cancelled session ended')
    }
  })
})

describe('the delivery of a decision', () => {
  test('types the keys, proves their effect and records the outcome', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const record = await decided(session, 'No')
    await run(session.delivery.apply(record))
    expect(screen.keys).toEqual(['\u001b[B', '\r'])
    const done = (await ledger.get(record.id))!
    expect(done.state).toBe('applied')
    expect(done.delivery.map(({ step, attempt }) => [step, attempt])).toEqual([
      ['move', 1],
      ['confirm', 1],
    ])
    expect(session.open.first).toBeNull()
    expect(reported.at(-1)).toBe('ended applied')
  })

  test('types a decision once, however often it is applied', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const record = await decided(session)
    await run(
      Promise.all([session.delivery.apply(record), session.delivery.apply(record), session.delivery.apply(record)]),
    )
    expect(screen.keys).toEqual(['\r'])
    screen.menu = MENU
    await run(session.delivery.apply(record))
    expect(screen.keys).toEqual(['\r'])
  })

  test('makes a decision stale without a key if its menu disappeared or changed', async () => {
    for (const [menu, state] of [
      [null, 'stale gone'],
      [menuOf(['Delete', 'Keep']), 'stale changed'],
    ] as const) {
      const session = approvals()
      screen.menu = MENU
      await session.screen.raise(MENU, '3:1')
      const record = await decided(session)
      screen.menu = menu
      await run(session.delivery.apply(record))
      expect(await stateOf(record)).toBe(state)
    }
    expect(screen.keys).toEqual([])
  })

  test('does not type a decision into a later equal menu', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const first = await decided(session)
    await session.screen.raise(MENU, '3:2')
    const second = session.open.first!.record
    await run(session.delivery.apply(first))
    expect(screen.keys).toEqual([])
    expect(await stateOf(first)).toBe('stale gone')
    expect(reported.at(-1)).toBe('ended stale gone')
    expect(session.open.first?.record).toMatchObject({ id: second.id, state: 'pending' })
  })

  test('waits until no person has typed for a second, and then holds the keyboard', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const record = await decided(session)
    session.open.noteKeys()
    const keysAt = clock.monotonic()
    const applying = session.delivery.apply(record)
    expect(session.delivery.isTyping).toBe(false)
    await run(applying)
    expect(screen.keyTimes[0]! - keysAt).toBeGreaterThanOrEqual(1000)
    expect(session.delivery.isTyping).toBe(false)
  })

  test('types nothing if the decision is withdrawn while it waits', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const record = await decided(session)
    session.open.noteKeys()
    const applying = session.delivery.apply(record)
    while (!session.delivery.isTyping) await new Promise(setImmediate)
    await ledger.cancelled(record, 'session ended')
    await expect(run(applying)).rejects.toMatchObject({ code: 'E_STATE' })
    expect(screen.keys).toEqual([])
    expect(session.delivery.isTyping).toBe(false)
  })

  test('closes its request even if the next one is already open', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const first = await decided(session)
    const applying = session.delivery.apply(first)
    const next = menuOf(['Left', 'Right'])
    const raised = new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (screen.keys.includes('\r')) {
          screen.menu = next
          session.screen.raise(next, '9:2').then(resolve, reject)
        } else clock.setTimer(5, watch)
      }
      watch()
    })
    await run(Promise.all([applying, raised]))
    expect(await stateOf(first)).toBe('applied')
    expect(reported).toContain('ended applied')
    expect(session.open.first?.record).toMatchObject({ state: 'pending', menuHash: next.hash })
  })
})

describe('requests after a restart', () => {
  async function raisedBefore(isDecided: boolean): Promise<ApprovalRecord> {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    if (isDecided) await decided(session)
    return (await ledger.get(session.open.first!.record.id))!
  }

  test('are taken over with the menu on screen, and can be applied', async () => {
    const record = await raisedBefore(true)
    const session = approvals()
    expect(await session.screen.takeOver({ menu: MENU, instance: '3:1' })).toBe('known')
    await run(delay(clock, 2_000))
    expect(await stateOf(record)).toBe('applied')
    expect(screen.keys).toEqual(['\r'])
  })

  test('get no key before they were compared with the screen', async () => {
    const record = await raisedBefore(true)
    const session = approvals()
    session.screen.expectTakeOver()
    await run(session.delivery.apply(record))
    expect([await stateOf(record), screen.keys]).toEqual(['decided', []])
    await session.screen.takeOver({ menu: MENU, instance: '3:1' })
    await run(delay(clock, 2_000))
    expect([await stateOf(record), screen.keys]).toEqual(['applied', ['\r']])
  })

  test('are unconfirmed, not applied, while an equal menu is on screen', async () => {
    const record = await raisedBefore(true)
    await ledger.delivering(record, 'confirm')
    const session = approvals()
    expect(await session.screen.takeOver({ menu: MENU, instance: '3:2' })).toBe('new')
    expect([await stateOf(record), screen.keys]).toEqual(['stale unconfirmed', []])
  })

  test('are delivered when their menu appears again if the first delivery failed', async () => {
    const session = approvals()
    await session.screen.raise(MENU, '3:1')
    const record = await decided(session)
    const real = ledger.delivering.bind(ledger)
    ledger.delivering = () => Promise.reject(new Error('the store is busy'))
    await expect(run(session.delivery.apply(record))).rejects.toThrow('the store is busy')
    ledger.delivering = real
    session.screen.seenAgain(MENU, '3:1')
    await run(delay(clock, 2_000))
    expect([await stateOf(record), screen.keys]).toEqual(['applied', ['\r']])
  })

  test('end if another instance is on screen, which is a new request', async () => {
    const record = await raisedBefore(false)
    const session = approvals()
    expect(await session.screen.takeOver({ menu: MENU, instance: '3:2' })).toBe('new')
    expect(await stateOf(record)).toBe('stale gone')
    expect(reported.at(-1)).toBe('ended stale gone')
  })

  test('are applied without a menu if the decision was confirmed, else gone', async () => {
    const confirmed = await raisedBefore(true)
    await ledger.delivering(confirmed, 'confirm')
    const waiting = await raisedBefore(true)
    const session = approvals()
    screen.menu = null
    expect(await session.screen.takeOver(null)).toBe('none')
    expect(await stateOf(confirmed)).toBe('applied')
    expect(await stateOf(waiting)).toBe('stale gone')
  })

  test('stay unchanged if they belong to other sessions', async () => {
    const other = new SessionRequests({
      subject: { ...SUBJECT, session: 'ses_2' },
      ledger,
      clock,
      menu: { menu: () => null, press: async () => undefined, nextFrame: async () => undefined },
      isExited: () => false,
      onError: () => undefined,
    })
    await other.screen.raise(MENU, '3:1')
    await approvals().screen.takeOver(null)
    expect(await stateOf(other.open.first!.record)).toBe('pending')
  })
})
