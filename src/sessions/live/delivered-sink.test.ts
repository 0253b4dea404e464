import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { SignalboxError } from '../../errors/index.js'
import { validateEvent } from '../../events/index.js'
import { type Block, parseMarkdown } from '../../screen/index.js'
import { type EventStore, openStore } from '../../store/index.js'
import { deliveredSink } from './delivered-sink.js'
import { BLOCK_CAPS, type Sink } from './sink.js'

const MESSAGE = { session: 'ses_1', turn: 'ses_1.1', message: 'ses_1.1.1' }
const blocks = (markdown: string): Block[] =>
  parseMarkdown(markdown).map((content, index) => ({
    id: `b${index}`,
    rows: [0, 0],
    provisional: false,
    missing: false,
    source: 'screen',
    ...content,
  }))
const textOf = (given: readonly Block[]) =>
  given.map(block => ('runs' in block ? block.runs[0]?.text : block.kind)).join()

let directory: string
let clock: SimulatedClock
let store: EventStore
let calls: string[]
let failing: Error | null
let detached: string[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-outbox-'))
  clock = new SimulatedClock(1_000_000)
  store = await openStore({ path: join(directory, 's.db'), clock, projections: [], validate: validateEvent })
  calls = []
  failing = null
  detached = []
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

function inner(minEditMs = 0): Sink {
  const call = async (name: string) => {
    if (failing) throw failing
    calls.push(name)
  }
  return {
    kind: 'telegram',
    caps: { ...BLOCK_CAPS, minEditMs },
    open: () => call('open'),
    update: (_, given) => void calls.push(`update ${textOf(given)}`),
    close: (_, given) => call(`close ${textOf(given)}`),
    ask: ({ id }) => call(`ask ${id}`),
    settle: ({ id }) => call(`settle ${id}`),
    notice: (_, { text }) => call(`notice ${text}`),
    typing: (_, isOn) => void calls.push(`typing ${isOn}`),
  }
}

const open = (minEditMs?: number) =>
  deliveredSink(inner(minEditMs), {
    store,
    clock,
    typingRepeatMs: 4_000,
    approval: async () => null,
    onDetached: reason => detached.push(reason),
    onError: () => undefined,
  })

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(Math.min(500, left))
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve))
  }
}

describe('edits', () => {
  test('come no faster than the sink takes them, and the newest wins', async () => {
    const sink = await open(1_100)
    for (const text of ['one', 'one two', 'one two three']) sink.update(MESSAGE, blocks(text))
    expect(calls).toEqual(['update one'])
    await pass(1_000)
    expect(calls).toHaveLength(1)
    await pass(500)
    expect(calls).toEqual(['update one', 'update one two three'])
  })

  test('that change nothing, or show next to nothing, are left out', async () => {
    const sink = await open()
    sink.update(MESSAGE, blocks('ab'))
    sink.update(MESSAGE, blocks('abc'))
    sink.update(MESSAGE, blocks('abc'))
    expect(calls).toEqual(['update abc'])
  })

  test('never come after the end', async () => {
    const sink = await open(1_000)
    sink.update(MESSAGE, blocks('first'))
    sink.update(MESSAGE, blocks('second'))
    await sink.close(MESSAGE, blocks('final'))
    await pass(5_000)
    expect(calls).toEqual(['update first', 'close final'])
  })
})

test('typing is repeated as long as it lasts', async () => {
  const sink = await open()
  sink.typing('ses_1', true)
  await pass(9_000)
  expect(calls).toEqual(['typing true', 'typing true', 'typing true'])
  sink.typing('ses_1', false)
  await pass(9_000)
  expect(calls.at(-1)).toBe('typing false')
  expect(calls).toHaveLength(4)
})

describe('what must arrive', () => {
  test('is tried again, ever more patiently, and arrives once, in its order', async () => {
    const sink = await open()
    failing = new Error('no network')
    await sink.close(MESSAGE, blocks('answer'))
    await sink.notice('ses_1', { kind: 'silence', text: 'quiet' })
    await pass(7_500)
    expect(sink.outbox.waiting[0]?.attempts).toBe(3)
    failing = null
    await pass(10_000)
    expect(calls).toEqual(['close answer', 'notice quiet'])
    await pass(200_000)
    expect(calls).toHaveLength(2)
    expect(sink.outbox.waiting).toEqual([])
  })

  test('survives a restart', async () => {
    const before = await open()
    failing = new Error('no network')
    await before.close(MESSAGE, blocks('answer'))
    before.stop()
    failing = null
    const after = await open()
    await pass(2_000)
    expect(calls).toEqual(['close answer'])
    expect(after.outbox.waiting).toEqual([])
    expect((await open()).outbox.waiting).toEqual([])
  })

  test('is given up after a day, and the log says so', async () => {
    const sink = await open()
    failing = new Error('no network')
    await sink.close(MESSAGE, blocks('answer'))
    clock.advance(60_000)
    await pass(1_000)
    clock.advance(25 * 3_600_000)
    await pass(120_000)
    expect(sink.outbox.waiting).toEqual([])
    const events = await store.readStream('outbox/telegram')
    expect(events.at(-1)).toMatchObject({ type: 'delivery.abandoned', data: { reason: 'no network' } })
  })

  test('a person who is gone gets nothing more, and nobody else notices (R10)', async () => {
    const sink = await open()
    failing = new SignalboxError('E_SINK_GONE', 'the bot was blocked')
    await sink.close(MESSAGE, blocks('answer'))
    failing = null
    await sink.close(MESSAGE, blocks('more'))
    sink.update(MESSAGE, blocks('more'))
    await pass(100_000)
    expect(calls).toEqual([])
    expect(detached).toEqual(['the bot was blocked'])
  })
})
