import { describe, expect, test } from 'vitest'
import { buildPack } from '../agents/packs/index.js'
import type { RecordingEvent } from '../terminal/recording/index.js'
import { createRedactor } from '../text/index.js'
import { proposePack } from './cross-check.js'
import { type LearnedEntry, readLearnedEntries } from './entries.js'
import { fixtureFiles } from './fixtures.js'
import { judge } from './judge.js'
import { learnPack } from './learn-pack.js'
import { packText } from './pack-text.js'
import type { TaughtMoment, TaughtRecording } from './recordings.js'

const EDGE = '─'.repeat(40)
const BOX = [`╭${EDGE}╮`, `│ > ${' '.repeat(37)}│`, `╰${EDGE}╯`]

/** An agent that marks its tools with `¤` while they run and `◊` when they are over. */
function recording(name: string, tool: string): TaughtRecording {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const draw = (t: number, rows: readonly string[]): RecordingEvent => ({
    kind: 'output',
    t,
    bytes: bytes(`\u001b[H\u001b[2J${[...rows, '', ...BOX].join('\r\n')}\u001b[${rows.length + 3};5H`),
  })
  const events: RecordingEvent[] = [
    { kind: 'output', t: 0, bytes: bytes('\u001b[?1049h') },
    draw(0.1, ['Zwarb 1.0']),
    draw(1, ['> tell me', '', `⠋ Busy (1s · esc to stop)`]),
  ]
  for (let second = 2; second < 5; second++)
    events.push(draw(second, ['> tell me', '', `¤ ${tool}`, '', `⠙ Busy (${second}s · esc to stop)`]))
  for (let second = 5; second < 8; second++)
    events.push(draw(second, ['> tell me', '', `◊ ${tool}`, '', `⠹ Busy (${second}s · esc to stop)`]))
  const moment = (
    t: number,
    ...views: TaughtMoment['views'] extends ReadonlySet<infer V> ? V[] : never
  ): TaughtMoment => ({
    t,
    views: new Set(views),
    needsYou: false,
    from: 'label',
  })
  return {
    name,
    file: name,
    cols: 60,
    rows: 12,
    events,
    moments: [moment(0.9, 'idle_prompt', 'startup'), moment(4.5, 'tool_running'), moment(7.5, 'tool_result')],
  }
}

const text = (entries: readonly LearnedEntry[]) =>
  packText({ agent: 'zwarb', isAlone: true, about: 'in a test' }, entries)
const build = (entries: readonly LearnedEntry[]) => buildPack([], [{ file: 'zwarb.toml', text: text(entries) }], null)
const options = { build, keepsFixtures: async () => true }

describe('learning a pack', () => {
  test('finds the marks of tools, and reads another recording correctly', async () => {
    const learned = await learnPack(
      [recording('a.cast', 'count the files'), recording('b.cast', 'draw a map')],
      options,
    )
    expect(learned.before.right).toBeLessThan(learned.before.all)
    expect(learned.after).toEqual({ right: 6, all: 6 })
    expect(learned.entries.map(entry => entry.list === 'blocks' && [entry.kind, entry.first])).toContainEqual([
      'tool_call',
      '^¤ +\\S',
    ])
    const other = judge(recording('c.cast', 'weigh the ship'), build(learned.entries))
    expect(other.moments.map(({ isRight }) => isRight)).toEqual([true, true, true])
    expect(readLearnedEntries(text(learned.entries))).toEqual(learned.entries)
  })

  test('refuses an entry that breaks an earlier fixture', async () => {
    const refusing = { build, keepsFixtures: async () => false }
    expect((await learnPack([recording('a.cast', 'x y'), recording('b.cast', 'z')], refusing)).entries).toEqual([])
  })

  test('keeps the recordings that prove it, without secrets', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const learned = await learnPack([recording('a.cast', `send ${secret}`), recording('b.cast', 'z')], options)
    const files = fixtureFiles(learned, createRedactor())
    expect(files.map(({ name }) => name)).toEqual(['learned-a.cast', 'learned-b.cast', 'fixtures.toml'])
    expect(files.map(file => file.text).join('\n')).not.toContain(secret)
    expect(files.at(-1)!.text).toContain('expect = { view = "tool_running" }')
  })
})

describe('the evaluation of a learned pack on other recordings', () => {
  const recordings = ['count the files', 'draw a map', 'read the mail'].map((tool, at) => recording(`${at}.cast`, tool))

  test('compares it with no pack', async () => {
    expect((await proposePack(recordings.slice(1), options)).unseen).toBeNull()
    const { unseen, isWorse } = await proposePack(recordings, options)
    expect(unseen!.all).toBe(9)
    expect(unseen!.learned).toBeGreaterThan(unseen!.without)
    expect(isWorse).toBe(false)
  })

  test('refuses it if a mark has another meaning in some of them', async () => {
    const [first, second, third] = recordings as [TaughtRecording, TaughtRecording, TaughtRecording]
    const [fresh, called, done] = third.moments as [TaughtMoment, TaughtMoment, TaughtMoment]
    const said: TaughtMoment = { ...called, views: new Set(['response_content']) }
    const moments = [fresh, ...[2.2, 2.7, 3.2, 3.7, 4.2, 4.5].map(t => ({ ...said, t })), done]
    const { entries, unseen, isWorse } = await proposePack([first, second, { ...third, moments }], options)
    expect(entries).not.toEqual([])
    expect(unseen!.learned).toBeLessThan(unseen!.without)
    expect(isWorse).toBe(true)
  })
})
