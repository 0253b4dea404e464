import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentStatement, type AgentTranscript, loadAgent } from '../agents/index.js'
import { type Clock, SimulatedClock, systemClock } from '../clock/index.js'
import { TranscriptTail } from './transcript-tail.js'

let directory: string
let file: string
let transcript: AgentTranscript
let tails: TranscriptTail[]

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-tail-'))
  file = join(directory, 'conversation.jsonl')
  transcript = (await loadAgent('demo')).transcript!
  tails = []
})
afterEach(async () => {
  await Promise.all(tails.map(tail => tail.stop()))
  rmSync(directory, { recursive: true, force: true })
})

const line = (type: string, fields: object = {}) =>
  `${JSON.stringify({ type, at: '2026-01-01T00:00:00.000Z', ...fields })}\n`

function tail(locate: () => string[] = () => [file], clock: Clock = systemClock) {
  const delivered: { statement: AgentStatement; index: number }[] = []
  const errors: unknown[] = []
  const made = new TranscriptTail({
    transcript: { ...transcript, locate: async () => locate() },
    lookup: () => ({ env: {}, cwd: directory, agentSessionId: null, startedAt: 0 }),
    clock,
    onStatement: (statement, { index }) => delivered.push({ statement, index }),
    onError: error => errors.push(error),
  })
  tails.push(made)
  return {
    tail: made,
    delivered,
    errors,
    said: () => delivered.map(({ statement }) => ('markdown' in statement ? statement.markdown : statement.kind)),
  }
}

describe('a transcript', () => {
  it('is read from its beginning as it grows, each record once, incomplete lines when complete', async () => {
    writeFileSync(file, line('user', { text: 'hi' }))
    const { tail: follower, said, delivered } = tail()
    follower.start()
    await expect.poll(said).toEqual(['prompt'])
    const half = line('assistant', { text: 'Hello.' })
    appendFileSync(file, half.slice(0, 20))
    appendFileSync(file, half.slice(20) + line('turn_end', { outcome: 'done', text: '' }))
    await expect.poll(said).toEqual(['prompt', 'Hello.', 'turn-ended'])
    expect(delivered.map(({ index }) => index)).toEqual([0, 1, 2])
  })

  it('gets the same report ids from a later host', async () => {
    writeFileSync(file, line('user', { text: 'hi' }) + line('assistant', { text: 'Hello.' }))
    const [first, second] = [tail(), tail()]
    first.tail.start()
    await expect.poll(() => first.delivered).toHaveLength(2)
    second.tail.start()
    await expect.poll(() => second.delivered).toEqual(first.delivered)
  })

  it('is found when it appears if it does not exist yet', async () => {
    let exists = false
    const { tail: follower, said } = tail(() => (exists ? [file] : []))
    follower.start()
    writeFileSync(file, line('user', { text: 'hi' }))
    exists = true
    await expect.poll(said).toEqual(['prompt'])
  })

  it('is searched once a minute while its session is idle, and at once when the session draws', async () => {
    const clock = new SimulatedClock()
    let searches = 0
    const { tail: follower } = tail(() => {
      searches++
      return []
    }, clock)
    const searchesIn = async (seconds: number) => {
      const before = searches
      for (let n = 0; n < seconds; n++) {
        clock.advance(1_000)
        await new Promise(setImmediate)
      }
      return searches - before
    }
    follower.start()
    follower.sessionChanged()
    expect(await searchesIn(10)).toBe(10)
    await searchesIn(60)
    expect(await searchesIn(600)).toBe(10)
    follower.sessionChanged()
    expect(await searchesIn(2)).toBe(2)
  })

  it('is the file that the agent names, if that is a file', async () => {
    const other = join(directory, 'other.jsonl')
    writeFileSync(other, line('assistant', { text: 'new' }))
    const { tail: follower, said } = tail(() => [])
    follower.use(directory)
    follower.use('relative.jsonl')
    follower.use(other)
    await expect.poll(said).toEqual(['new'])
    expect(follower.path).toBe(other)
  })

  it('is read to its current end when it is stopped', async () => {
    writeFileSync(file, line('user', { text: 'hi' }))
    const { tail: follower, said } = tail()
    follower.start()
    await expect.poll(said).toHaveLength(1)
    appendFileSync(file, line('assistant', { text: 'last words' }))
    await follower.stop()
    expect(said()).toEqual(['prompt', 'last words'])
    const other = tail()
    other.tail.start()
    await expect.poll(other.said).toHaveLength(2)
    appendFileSync(file, line('assistant', { text: 'too late' }))
    await expect.poll(other.said).toHaveLength(3)
    expect(said()).toHaveLength(2)
  })
})
