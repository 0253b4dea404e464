import { expect, it } from 'vitest'
import { newEvent } from '../events/index.js'
import type { NewEvent, StoredEvent } from '../store/index.js'
import { TurnSummaries } from './turn-summaries.js'

const session = 'ses_a'
const opened = (turn: string, prompt?: string) => newEvent('turn.opened', { session, turn, ...(prompt && { prompt }) })
const said = (turn: string, n: number, kind: 'prose' | 'tool_call' = 'prose') =>
  newEvent('message.final', {
    session,
    turn,
    message: `${turn}.${n}`,
    markdown: 'text',
    blocks: [{ id: `b${n}`, kind, ...(kind === 'prose' ? PROSE : TOOL) }],
  } as never)
const PROSE = { variant: 'paragraph', runs: [{ text: 'text' }] }
const TOOL = { tool: { name: 'Shell', kind: 'shell', summary: 'true' } }

/** A stream that counts the events that are read from it. */
function countingStream() {
  const events: StoredEvent[] = []
  const stream = {
    read: 0,
    add: (...added: readonly NewEvent[]) => {
      for (const event of added) {
        const version = events.length + 1
        events.push({ ...event, at: version, stream: `session/${session}`, version, position: version } as StoredEvent)
      }
    },
    readStream: async (_: string, { fromVersion = 1 } = {}) => {
      const found = events.slice(fromVersion - 1)
      stream.read += found.length
      return found
    },
  }
  return stream
}

it('a message late in a turn causes as many reads as an early one', async () => {
  const stream = countingStream()
  const turns = new TurnSummaries(stream)
  stream.add(opened('t1', 'go'))
  const costs: number[] = []
  for (let n = 1; n <= 3_000; n++) {
    stream.add(said('t1', n))
    const before = stream.read
    expect(await turns.turn(session, 't1')).toMatchObject({ openedAt: 1, prompt: 'go', hasMessage: true })
    costs.push(stream.read - before)
  }
  expect(costs[2_999]).toBe(costs[49])
  expect(stream.read).toBe(3_001)
})

it('a turn has its first prompt, and whether one of its messages used a tool', async () => {
  const stream = countingStream()
  const turns = new TurnSummaries(stream)
  stream.add(opened('t1', '/context'), said('t1', 1), opened('t2'))
  expect(await turns.lastPrompt(session)).toBe('/context')
  expect(await turns.turn(session, 't2')).toEqual({
    turn: 't2',
    openedAt: 3,
    prompt: null,
    hasMessage: false,
    hasToolCall: false,
  })
  stream.add(
    newEvent('turn.prompted', { session, turn: 't2', prompt: 'fix it' }),
    newEvent('turn.prompted', { session, turn: 't2', prompt: 'later' }),
    said('t2', 1, 'tool_call'),
    said('t2', 2),
  )
  expect(await turns.turn(session, 't2')).toMatchObject({ prompt: 'fix it', hasMessage: true, hasToolCall: true })
  expect(await turns.lastPrompt(session)).toBe('fix it')
  expect(await turns.turn(session, 't1')).toMatchObject({ prompt: '/context', hasToolCall: false })
})
