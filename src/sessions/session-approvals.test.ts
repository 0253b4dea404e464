import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ApprovalRecord, approvalsProjection, Ledger } from '../approvals/index.js'
import { decisionOf, menuOf, SUBJECT } from '../approvals/testing/fixtures.js'
import { delay, SimulatedClock } from '../clock/index.js'
import { runToEnd } from '../clock/testing/run-to-end.js'
import { validateEvent } from '../events/index.js'
import type { Menu } from '../screen/index.js'
import { type EventStore, openStore } from '../store/index.js'
import { SessionApprovals } from './session-approvals.js'
import { BLOCK_CAPS, type Sink } from './sink.js'

const MENU = menuOf(['Yes', 'No'])

let directory: string
let clock: SimulatedClock
let store: EventStore
let ledger: Ledger
let screen: { menu: Menu | null; keys: string[]; keyTimes: number[]; hasExited: boolean }
let told: string[]
let errors: unknown[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-approvals-'))
  clock = new SimulatedClock(1_000_000)
  store = await openStore({
    path: join(directory, 'store.db'),
    clock,
    projections: [approvalsProjection] as never,
    validate: validateEvent,
  })
  ledger = new Ledger(store)
  screen = { menu: MENU, keys: [], keyTimes: [], hasExited: false }
  told = []
  errors = []
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function sink(): Sink {
  const nothing = async () => undefined
  return {
    kind: 'web',
    caps: BLOCK_CAPS,
    open: nothing,
    update: () => undefined,
    close: nothing,
    notice: nothing,
    typing: () => undefined,
    ask: async ({ state }) => void told.push(`ask ${state}`),
    settle: async ({ state, outcome }) =>
      void told.push(`settle ${state}${outcome?.reason ? ` ${outcome.reason}` : ''}`),
  }
}

function approvals(extra: Sink[] = []): SessionApprovals {
  return new SessionApprovals({
    subject: SUBJECT,
    ledger,
    clock,
    sinks: [...extra, sink()],
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

async function decided(of: SessionApprovals, option = 'Yes'): Promise<ApprovalRecord> {
  const { id, fingerprint, display } = of.open!
  await ledger.decide(id, decisionOf({ fingerprint, display }, { option }))
  return (await ledger.get(id))!
}

const run = <T>(work: Promise<T>) => runToEnd(clock, work)
const stateOf = async (record: { id: string }) => {
  const { state, outcome } = (await ledger.get(record.id))!
  return outcome?.reason ? `${state} ${outcome.reason}` : state
}

describe('a menu', () => {
  test('is raised once and asked everywhere', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    expect(session.open).toMatchObject({ state: 'pending', instance: '3:1', menuPrint: MENU.print, kind: 'permission' })
    expect(told).toEqual(['ask pending'])
  })

  test('that stands there while no request is open for it is asked, once', async () => {
    const before = approvals()
    await before.raise(MENU, '3:1')
    const first = before.open!
    // The next host comes while a picture without the menu is on screen; then an equal one is drawn.
    screen.menu = null
    const session = approvals()
    expect(await session.takeOver(null)).toBe('none')
    expect(await stateOf(first)).toBe('stale gone')
    screen.menu = MENU
    for (let looks = 0; looks < 3; looks++) {
      session.stands(MENU, '3:1')
      await run(delay(clock, 200))
    }
    await run(delay(clock, 1_000))
    session.stands(MENU, '3:1')
    await run(delay(clock, 1_000))
    const all = await ledger.list({ isOpenOnly: false })
    expect(all.map(({ state }) => state)).toEqual(['stale', 'pending'])
    expect(session.open).toMatchObject({ state: 'pending', menuPrint: MENU.print })
  })

  test('of a survey, or one that a person opened, is no request', async () => {
    const session = approvals()
    await session.raise({ ...MENU, kind: 'survey' }, '3:1')
    await session.raise({ ...MENU, origin: 'user' }, '3:2')
    expect(session.open).toBeNull()
    expect(await ledger.list({ isOpenOnly: false })).toEqual([])
  })

  test('is asked in the other sinks when one fails', async () => {
    const broken = { ...sink(), ask: () => Promise.reject(new Error('offline')) }
    await approvals([broken]).raise(MENU, '3:1')
    expect(told).toEqual(['ask pending'])
    expect(errors).toMatchObject([{ message: 'offline' }])
  })

  test('that goes unanswered is stale; after keys at the terminal it was answered there', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const first = session.open!
    await session.settle()
    expect(await stateOf(first)).toBe('stale gone')
    await session.raise(MENU, '3:2')
    const second = session.open!
    session.noteKeys()
    await session.settle()
    expect(await stateOf(second)).toBe('applied')
    expect(session.open).toBeNull()
    expect(told).toEqual(['ask pending', 'settle stale gone', 'ask pending', 'settle applied'])
  })

  test('that was answered in the terminal before it could be raised is observed all the same', async () => {
    const session = approvals()
    const since = clock.monotonic()
    await clock.advance(40)
    session.noteKeys()
    await clock.advance(500)
    await session.raise(MENU, '3:1', since)
    const record = session.open!
    await session.settle()
    expect(await stateOf(record)).toBe('applied')
  })

  test('of a program that has exited is cancelled, decided or not', async () => {
    for (const isDecided of [false, true]) {
      screen.hasExited = false
      const session = approvals()
      await session.raise(MENU, `3:${isDecided}`)
      const record = session.open!
      if (isDecided) await decided(session)
      screen.hasExited = true
      await session.settle()
      expect(await stateOf(record)).toBe('cancelled session ended')
    }
  })
})

describe('a decision', () => {
  test('is typed, proven, recorded, and told', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const record = await decided(session, 'No')
    await run(session.apply(record))
    expect(screen.keys).toEqual(['\u001b[B', '\r'])
    const done = (await ledger.get(record.id))!
    expect(done.state).toBe('applied')
    expect(done.delivery.map(({ step, attempt }) => [step, attempt])).toEqual([
      ['move', 1],
      ['confirm', 1],
    ])
    expect(session.open).toBeNull()
    expect(told.at(-1)).toBe('settle applied')
  })

  test('is typed once, however often it is applied', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const record = await decided(session)
    await run(Promise.all([session.apply(record), session.apply(record), session.apply(record)]))
    expect(screen.keys).toEqual(['\r'])
    screen.menu = MENU
    await run(session.apply(record))
    expect(screen.keys).toEqual(['\r'])
  })

  test('for a menu that is gone or has changed is stale, without a key', async () => {
    for (const [menu, state] of [
      [null, 'stale gone'],
      [menuOf(['Delete', 'Keep']), 'stale changed'],
    ] as const) {
      const session = approvals()
      screen.menu = MENU
      await session.raise(MENU, '3:1')
      const record = await decided(session)
      screen.menu = menu
      await run(session.apply(record))
      expect(await stateOf(record)).toBe(state)
    }
    expect(screen.keys).toEqual([])
  })

  test('is not typed into a later menu that looks just the same', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const first = await decided(session)
    await session.raise(MENU, '3:2')
    const second = session.open!
    await run(session.apply(first))
    expect(screen.keys).toEqual([])
    expect(await stateOf(first)).toBe('stale gone')
    expect(told.at(-1)).toBe('settle stale gone')
    expect(session.open).toMatchObject({ id: second.id, state: 'pending' })
  })

  test('waits until nobody has typed for a second, and keeps the keyboard to itself meanwhile', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const record = await decided(session)
    session.noteKeys()
    const keysAt = clock.monotonic()
    const applying = session.apply(record)
    expect(session.isApplying).toBe(false)
    await run(applying)
    expect(screen.keyTimes[0]! - keysAt).toBeGreaterThanOrEqual(1000)
    expect(session.isApplying).toBe(false)
  })

  test('that is withdrawn while it waits is not typed', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const record = await decided(session)
    session.noteKeys()
    const applying = session.apply(record)
    while (!session.isApplying) await new Promise(setImmediate)
    await ledger.cancelled(record, 'session ended')
    await expect(run(applying)).rejects.toMatchObject({ code: 'E_STATE' })
    expect(screen.keys).toEqual([])
    expect(session.isApplying).toBe(false)
  })

  test('is settled in every sink even when the next request is open already', async () => {
    const session = approvals()
    await session.raise(MENU, '3:1')
    const first = await decided(session)
    const applying = session.apply(first)
    const next = menuOf(['Left', 'Right'])
    const raised = new Promise<void>((resolve, reject) => {
      const watch = () => {
        if (screen.keys.includes('\r')) {
          screen.menu = next
          session.raise(next, '9:2').then(resolve, reject)
        } else clock.setTimer(5, watch)
      }
      watch()
    })
    await run(Promise.all([applying, raised]))
    expect(await stateOf(first)).toBe('applied')
    expect(told).toContain('settle applied')
    expect(session.open).toMatchObject({ state: 'pending', menuPrint: next.print })
  })
})

describe('after a restart', () => {
  async function raisedBefore(isDecided: boolean): Promise<ApprovalRecord> {
    const session = approvals()
    await session.raise(MENU, '3:1')
    if (isDecided) await decided(session)
    return (await ledger.get(session.open!.id))!
  }

  test('the request of the menu on screen is taken over, and can be applied', async () => {
    const record = await raisedBefore(true)
    const session = approvals()
    expect(await session.takeOver({ menu: MENU, instance: '3:1' })).toBe('known')
    await run(session.apply(record))
    expect(await stateOf(record)).toBe('applied')
  })

  test('another instance is a new request, and the old one is over', async () => {
    const record = await raisedBefore(false)
    const session = approvals()
    expect(await session.takeOver({ menu: MENU, instance: '3:2' })).toBe('new')
    expect(await stateOf(record)).toBe('stale gone')
    expect(told.at(-1)).toBe('settle stale gone')
  })

  test('without a menu, what was confirmed has been applied, and what was not is gone', async () => {
    const confirmed = await raisedBefore(true)
    await ledger.delivering(confirmed, 'confirm')
    const waiting = await raisedBefore(true)
    const session = approvals()
    screen.menu = null
    expect(await session.takeOver(null)).toBe('none')
    expect(await stateOf(confirmed)).toBe('applied')
    expect(await stateOf(waiting)).toBe('stale gone')
  })

  test('requests of other sessions are left alone', async () => {
    const other = new SessionApprovals({
      subject: { ...SUBJECT, session: 'ses_2' },
      ledger,
      clock,
      sinks: [],
      menu: { menu: () => null, press: async () => undefined, nextFrame: async () => undefined },
      isExited: () => false,
      onError: () => undefined,
    })
    await other.raise(MENU, '3:1')
    await approvals().takeOver(null)
    expect(await stateOf(other.open!)).toBe('pending')
  })
})
