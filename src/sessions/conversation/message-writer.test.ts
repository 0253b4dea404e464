import { beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { type Block, parseMarkdown } from '../../screen/index.js'
import { Effects, Waiters } from '../effects.js'
import { MessageWriter, type SessionUpdate } from './message-writer.js'
import type { ClosedMessage } from './reported-text.js'

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

let clock: SimulatedClock
let updates: SessionUpdate[]
let isCatchingUp: boolean
let writer: MessageWriter
let effects: Effects
let write: () => Promise<unknown>

beforeEach(() => {
  write = async () => undefined
  effects = new Effects(
    () => undefined,
    () => undefined,
  )
  clock = new SimulatedClock(1_000_000)
  updates = []
  isCatchingUp = false
  writer = new MessageWriter({
    session: 'ses_1',
    clock,
    effects,
    waiters: new Waiters(clock),
    emit: update => void updates.push(update),
    typingRepeatMs: 4_000,
    transcriptWaitMs: 1_000,
    isCatchingUp: () => isCatchingUp,
    isExited: () => false,
    write: () => write(),
  })
})

describe('an open message', () => {
  test('is not sent before it has three visible characters', () => {
    writer.update(MESSAGE, blocks('ab'))
    writer.update(MESSAGE, blocks('a b'))
    expect(updates).toEqual([])
    const shown = blocks('abc')
    writer.update(MESSAGE, shown)
    expect(updates).toEqual([{ type: 'message.update', ...MESSAGE, blocks: shown }])
  })

  test('is sent once for the same list of blocks', () => {
    const shown = blocks('The same answer.')
    writer.update(MESSAGE, shown)
    writer.update(MESSAGE, shown)
    expect(updates).toHaveLength(1)
    writer.update(MESSAGE, [...shown, ...blocks('More of it.')])
    expect(updates).toHaveLength(2)
  })

  test('is not sent while the session reads old bytes', () => {
    isCatchingUp = true
    writer.update(MESSAGE, blocks('An old answer.'))
    expect(updates).toEqual([])
  })
})

describe('the typing indicator', () => {
  const typing = () => updates.map(update => (update.type === 'typing' ? update.on : update.type))
  const pass = (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) clock.advance(500)
  }

  test('is repeated until the agent stops thinking', () => {
    writer.typing(true)
    pass(9_000)
    expect(typing()).toEqual([true, true, true])
    writer.typing(false)
    pass(9_000)
    expect(typing()).toEqual([true, true, true, false])
  })

  test('is not repeated after the host has left the session', () => {
    writer.typing(true)
    writer.stop()
    expect(clock.pending).toBe(0)
  })

  test('is not sent if it started in old bytes, and its end stops the repetition', () => {
    writer.typing(true)
    isCatchingUp = true
    writer.typing(true)
    writer.typing(false)
    expect(typing()).toEqual([true])
    expect(clock.pending).toBe(0)
  })
})

describe('a closed message', () => {
  const untilPending = async () => {
    while (clock.pending === 0) await Promise.resolve()
  }
  const closed: ClosedMessage = {
    ...MESSAGE,
    screenBlocks: [],
    blocks: blocks('Done.'),
    reported: [],
    continues: false,
    prompt: null,
    isConfirmed: true,
    openedT: 0,
    closedT: 1,
  }

  test('does not wait for the record of its turn after the next turn has started', async () => {
    const unconfirmed = { ...closed, isConfirmed: false }
    writer.patch({ ...closed, message: 'ses_1.0.1' })
    writer.turnBegun('ses_1.1')
    writer.close(unconfirmed, { ending: null, waits: true })
    await untilPending()
    clock.advance(1_000)
    await untilPending()
    expect(writer.isClosing).toBe(true)
    writer.turnBegun('ses_1.2')
    await effects.done()
    expect(writer.isClosing).toBe(false)
  })

  test.each([true, false])('keeps the session busy until it is in the log (success: %s)', async isWritten => {
    let finish: () => void = () => undefined
    const started = new Promise<void>(resolve => {
      write = () =>
        new Promise((done, fail) => {
          finish = isWritten ? () => done(null) : () => fail(new Error('disk full'))
          resolve()
        })
    })
    writer.close(closed, { ending: null, waits: false })
    await started
    expect(writer.isClosing).toBe(true)
    finish()
    await effects.done()
    expect(writer.isClosing).toBe(false)
  })
})
