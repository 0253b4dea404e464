import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { validateEvent } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { openTestStore } from '../../store/testing/open-test-store.js'
import { createRedactor } from '../../text/index.js'
import { SessionJournal } from './journal.js'
import { sessionStream } from './session-record.js'

let directory: string
let store: EventStore

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-journal-'))
  store = await openTestStore({
    path: join(directory, 'store.db'),
    clock: new SimulatedClock(1000),
    projections: [],
    validate: validateEvent,
  })
})

afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const turn = (number: number) => ({ session: 'ses_1', turn: `ses_1.${number}` })
const final = (message: string) => ({ ...turn(1), message, markdown: 'x', blocks: [] })
const types = async () => (await store.readStream(sessionStream('ses_1'))).map(event => event.type)

test('a long journal is read in pages, with a pause after each page', async () => {
  const before = await SessionJournal.open(store, 'ses_1')
  for (let index = 0; index < 250; index++) await before.write('message.final', final(`ses_1.1.${index}`))
  await before.write('prompt.held', { session: 'ses_1', prompt: 'prm_1', text: 'later', meaning: 'text' })
  let pauses = 0
  const after = await SessionJournal.open(store, 'ses_1', { pause: async () => void pauses++ })
  // 251 events are two full pages and a rest.
  expect(pauses).toBe(2)
  expect(after.prompts.held).toMatchObject([{ id: 'prm_1' }])
  expect(await after.write('message.final', final('ses_1.1.3'))).toBe(false)
  expect(await after.write('message.final', final('ses_1.1.249'))).toBe(false)
  expect(await after.write('message.final', final('ses_1.1.250'))).toBe(true)
})

async function writeAll(journal: SessionJournal): Promise<void> {
  await journal.write('session.ready', {})
  await journal.write('turn.opened', turn(1))
  await journal.write('message.final', final('ses_1.1.1'))
  await journal.write('message.final', final('ses_1.1.2'))
  await journal.write('turn.closed', { ...turn(1), outcome: 'done' })
  await journal.write('turn.opened', turn(2))
  await journal.write('session.ended', { exit: null, reason: 'exited' })
}

const WRITTEN = [
  'session.ready',
  'turn.opened',
  'message.final',
  'message.final',
  'turn.closed',
  'turn.opened',
  'session.ended',
]

test('messages are written without secrets; a waiting prompt is written unchanged', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`
  const journal = await SessionJournal.open(store, 'ses_1', { redactor: createRedactor({ secretValues: [] }) })
  await journal.write('prompt.held', { session: 'ses_1', prompt: 'prm_1', text: `use ${token}`, meaning: 'text' })
  await journal.write('turn.opened', { ...turn(1), prompt: `use ${token}` })
  const blocks = [{ kind: 'code', lines: [`export TOKEN=${token}`] }]
  await journal.write('message.final', { ...turn(1), message: 'ses_1.1.1', markdown: `It is ${token}.`, blocks })
  const [held, ...said] = await store.readStream(sessionStream('ses_1'))
  expect(held!.data.text).toContain(token)
  expect(JSON.stringify(said)).not.toContain(token)
  expect(said.map(({ type }) => type)).toEqual(['turn.opened', 'message.final'])
  expect(await journal.turnsSince(0)).toEqual([expect.objectContaining({ prompt: journal.asWritten(`use ${token}`) })])
})

describe('a journal', () => {
  test('writes each turn, message and end once when the same bytes are read again', async () => {
    const first = await SessionJournal.open(store, 'ses_1')
    await writeAll(first)
    await writeAll(first)
    expect(await types()).toEqual(WRITTEN)
    await writeAll(await SessionJournal.open(store, 'ses_1'))
    expect(await types()).toEqual(WRITTEN)
  })

  test('continues at the event after the last one of another host', async () => {
    const first = await SessionJournal.open(store, 'ses_1')
    await first.write('session.ready', {})
    await first.write('turn.opened', turn(1))
    await first.write('message.final', final('ses_1.1.1'))
    await writeAll(await SessionJournal.open(store, 'ses_1'))
    expect(await types()).toEqual(WRITTEN)
  })

  test('writes repeatable events each time', async () => {
    const journal = await SessionJournal.open(store, 'ses_1')
    for (let count = 0; count < 2; count++)
      await journal.write('session.phase', { from: 'dormant', to: 'thinking', event: 'thinking' })
    expect(await types()).toEqual(['session.phase', 'session.phase'])
  })

  test('writes an event once if two writes are concurrent', async () => {
    const journal = await SessionJournal.open(store, 'ses_1')
    await Promise.all([journal.write('turn.opened', turn(1)), journal.write('turn.opened', turn(1))])
    expect(await types()).toEqual(['turn.opened'])
  })

  test('writes an event again after a failed write', async () => {
    const journal = await SessionJournal.open(store, 'ses_1')
    await expect(journal.write('turn.opened', { ...turn(1), session: 7 } as never)).rejects.toMatchObject({
      code: 'E_EVENT',
    })
    await journal.write('turn.opened', turn(1))
    expect(await types()).toEqual(['turn.opened'])
  })

  test('keeps sessions separate', async () => {
    await (await SessionJournal.open(store, 'ses_2')).write('session.ready', {})
    await (await SessionJournal.open(store, 'ses_1')).write('session.ready', {})
    expect(await types()).toEqual(['session.ready'])
  })
})
