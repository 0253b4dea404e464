import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import type { RecordingEvent } from '../../src/terminal/recording/index.js'
import { REPOSITORY } from '../support/compiled.js'
import { CORPUS, describeNeeding } from '../support/requirements.js'
import { castsBelow, PlayedRecording } from './played-recording.js'
import { flickers, impossibleChanges, type ReadView, settledViews } from './view-changes.js'

/*
 * What must hold for any recording of an agent, whatever it shows: impossible changes of view do
 * not happen, a working agent does not flicker, reading does not depend on how the bytes were cut,
 * and an answer in the scrollback survives resizes. Each recording is played once; the tests look
 * at the result. The recordings beside the packs are played, and a sample of the corpus outside
 * the repository. SIGNALBOX_CORPUS_ALL=1 plays all, cut in every way.
 */
const isWhole = Boolean(process.env.SIGNALBOX_CORPUS_ALL)
const every = (stride: number, index: number) => isWhole || index % stride === 0
const BYTE_BY_BYTE_MAX = isWhole ? Number.POSITIVE_INFINITY : 20_000
const RESIZES = 50
/** A shorter answer proves little. */
const FEWEST_WORDS = 5

const packs = join(REPOSITORY, 'packs')
const shipped = readdirSync(packs).flatMap(agent => castsBelow(join(packs, agent, 'fixtures')))
const resized = new Set<string>()

/** Structure alone knows neither the width of a text nor what is left of a box that was cut. */
const isByStructure = (agent: string) =>
  readdirSync(join(packs, agent))
    .filter(name => name.endsWith('.toml'))
    .some(name => readFileSync(join(packs, agent, name), 'utf8').includes('base = "structure"'))

describe('recordings beside the packs', () => {
  test('are at least a hundred', () => expect(shipped.length).toBeGreaterThan(100))
  shipped.forEach((cast, index) => {
    const name = relative(packs, cast)
    const isResized = every(4, index) && !isByStructure(name.split('/')[0]!)
    describeRecording(name, cast, { isCut: every(6, index), isResized })
  })

  test('include resized answers of several agents', () => {
    expect(new Set([...resized].map(name => name.split('/')[0])).size).toBeGreaterThanOrEqual(3)
    expect(resized.size).toBeGreaterThanOrEqual(10)
  })
})

describeNeeding('corpus', 'recordings of the corpus', () => {
  const casts = castsBelow(CORPUS)
  test('are at least a hundred', () => expect(casts.length).toBeGreaterThan(100))
  casts
    .filter((_, index) => every(20, index))
    .forEach((cast, index) => {
      describeRecording(relative(CORPUS, cast), cast, { isCut: every(3, index), isResized: false })
    })
})

function describeRecording(name: string, cast: string, which: { isCut: boolean; isResized: boolean }): void {
  describe(name, () => {
    let played: Promise<PlayedRecording> | null = null
    const play = () => (played ??= PlayedRecording.play(cast))
    afterAll(() => {
      played = null
    })

    test('shows no impossible change of view and does not flicker', async () => {
      const { states, events } = await play()
      const views = settledViews(states)
      const inputs = events.filter(event => event.kind === 'input').map(event => event.t)
      expect(impossibleChanges(views, inputs)).toEqual([])
      expect(flickers(views, inputs).length).toBeLessThanOrEqual(1)
    })

    if (which.isCut) test('is read the same however its bytes are cut', async () => expectSameFromCuts(await play()))
    // Last: it changes the pane. A shell has no answers.
    if (which.isResized && !name.startsWith('shell/'))
      test('keeps an answer in the scrollback over fifty resizes', async () => {
        if (keepsAnswer(await play())) resized.add(name)
      })
  })
}

function expectSameFromCuts(played: PlayedRecording): void {
  const { events } = played
  const bytes = events.reduce((sum, event) => sum + (event.kind === 'output' ? event.bytes.length : 0), 0)
  const asRecorded = settledViews(played.states).map(plain)
  const text = JSON.stringify(asRecorded)
  const expectSame = (cut: Iterable<RecordingEvent>) => {
    const views = settledViews(played.replayed(cut)).map(plain)
    // A comparison piece by piece is slow, and needed only to show a difference.
    if (JSON.stringify(views) !== text) expect(views).toEqual(asRecorded)
  }
  expectSame(recut(events, random => 1 + Math.floor(random() * 200)))
  if (isWhole) expectSame(together(events))
  if (bytes < BYTE_BY_BYTE_MAX) expectSame(recut(events, () => 1))
}

/** False if the recording ends without an answer in the scrollback. */
function keepsAnswer(played: PlayedRecording): boolean {
  const before = played.answerInScrollback()
  if (!before || wordsOf(before).length < FEWEST_WORDS) return false
  for (let seed = 1; seed <= (isWhole ? 3 : 1); seed++) {
    played.shake(RESIZES, randomOf(seed))
    const after = played.answerInScrollback()
    expect(after && outline(after), `seed ${seed}`).toEqual(outline(before))
  }
  return true
}

function plain({ t, view, awaiting, busy, rule, menu }: ReadView): ReadView {
  return { t, view, awaiting, busy, rule, menu }
}

/** The same bytes at the same times, cut elsewhere. */
function* recut(
  events: readonly RecordingEvent[],
  sizeOf: (random: () => number) => number,
): Generator<RecordingEvent> {
  const random = randomOf(42)
  for (const event of events) {
    if (event.kind !== 'output') yield event
    else
      for (let at = 0, size = sizeOf(random); at < event.bytes.length; at += size, size = sizeOf(random))
        yield { ...event, bytes: event.bytes.subarray(at, at + size) }
  }
}

/** All bytes of the same time in pieces of 64 kB, however many writes they were. */
function* together(events: readonly RecordingEvent[]): Generator<RecordingEvent> {
  for (let at = 0; at < events.length; at++) {
    const event = events[at]!
    if (event.kind !== 'output') {
      yield event
      continue
    }
    const pieces = [event.bytes]
    for (let next = events[at + 1]; next?.kind === 'output' && next.t === event.t; next = events[at + 1]) {
      pieces.push(next.bytes)
      at++
    }
    const bytes = Buffer.concat(pieces)
    for (let from = 0; from < bytes.length; from += 65_536)
      yield { ...event, bytes: bytes.subarray(from, from + 65_536) }
  }
}

/**
 * Kinds and words of each block: lost, doubled or joined words show. Thoughts are not part of the
 * answer; where a window cuts them off does not matter.
 */
function outline(blocks: readonly Block[]): string[] {
  return blocks.filter(({ kind }) => kind !== 'thought').map(block => `${block.kind}: ${renderMarkdown([block])}`)
}

function wordsOf(blocks: readonly Block[]): string[] {
  return renderMarkdown(blocks)
    .split(/\s+/u)
    .filter(word => /\p{L}/u.test(word))
}

function randomOf(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
