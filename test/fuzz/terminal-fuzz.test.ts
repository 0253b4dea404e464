import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadPack, packAgents } from '../../src/agents/packs/index.js'
import { Pane, type PaneStep } from '../../src/panes/index.js'
import { type Pack, renderAnsi, renderMarkdown, renderTelegram } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'
import { readWholeRecording } from '../../src/terminal/recording/index.js'
import { type HostileStep, hostileStep, type Random, randomSize } from './hostile-input.js'

/*
 * Bytes → emulator → frames → classifier → blocks → Markdown, terminal and Telegram under hostile
 * input, one pack after the other. A case is its number: the same number gives the same bytes. `npm
 * test` runs a fixed number of cases; `npm run fuzz -- --seconds 600 --from 1000` runs as many as
 * fit into a time, and `npm run fuzz -- --case 17` runs the one that a failure named.
 */

const SECONDS = Number(process.env.SIGNALBOX_FUZZ_SECONDS ?? 0)
const ONE_CASE = process.env.SIGNALBOX_FUZZ_CASE
const FIRST_CASE = Number(ONE_CASE ?? process.env.SIGNALBOX_FUZZ_FROM ?? 0)
const CASES = ONE_CASE === undefined ? 40 : 1
const STEPS = 16
/**
 * Bytes of one line or payload. Every fourth case has lines of megabytes; the others make many more
 * steps in the same time.
 */
const longest = (number: number) => (number % 4 === 3 ? 2e6 : 4000)
const PACKS = fileURLToPath(new URL('../../packs', import.meta.url))
/** `npm run fuzz` refuses a case that takes this long; ordinary ones take tenths of a second. */
const CASE_MS = 20_000

interface Subject {
  agent: string
  pack: Pack
  slices: Uint8Array[]
}

test(
  'no output of a program crashes the reader between bytes and blocks',
  async () => {
    const subjects = await loadSubjects()
    const until = performance.now() + SECONDS * 1000
    let bytes = 0
    let slowest = { ms: 0, number: 0 }
    let number = FIRST_CASE
    while (number < FIRST_CASE + CASES || performance.now() < until) {
      const start = performance.now()
      bytes += runCase(number, subjects)
      const ms = performance.now() - start
      if (ms > slowest.ms) slowest = { ms, number }
      if (SECONDS > 0) expect(ms, `case ${number} is slow`).toBeLessThan(CASE_MS)
      number++
      if (ONE_CASE !== undefined) break
    }
    console.log(
      `fuzz: ${number - FIRST_CASE} cases from number ${FIRST_CASE}, ${(bytes / 1e6).toFixed(1)} MB, slowest: case ${slowest.number} with ${slowest.ms.toFixed(0)} ms`,
    )
  },
  (SECONDS + 600) * 1000,
)

/** Returns the number of bytes it fed. */
function runCase(number: number, subjects: readonly Subject[]): number {
  const random = randomOf(number)
  const subject = subjects[number % subjects.length]!
  const steps = Array.from({ length: STEPS }, () => hostileStep(random, subject.slices, longest(number)))
  const start = number % 2 === 0 ? { cols: 80, rows: 24 } : randomSize(random)
  try {
    drive(subject, start, steps, random)
  } catch (cause) {
    throw new Error(`case ${number} (${subject.agent}): npm run fuzz -- --case ${number}`, {
      cause,
    })
  }
  return steps.reduce((sum, step) => sum + (step.is === 'bytes' ? step.bytes.length : 0), 0)
}

function drive(
  { pack }: Subject,
  size: { cols: number; rows: number },
  steps: readonly HostileStep[],
  random: Random,
): void {
  const pane = new Pane(pack, size)
  const conversation = new Conversation('fuzz', pack, pane.screen)
  let t = 0
  const take = (made: readonly PaneStep[]) => {
    for (const step of made) if (step.type === 'look') conversation.observe(step.look)
  }
  for (const step of steps) {
    t += random() * 0.2
    if (step.is === 'resize') take(pane.resize(step.cols, step.rows, t))
    else if (step.is === 'wait') {
      t += step.seconds
      take(pane.tick(t))
    } else
      for (const piece of cut(step.bytes, random))
        take(pane.feed(piece, (t += random() * 0.05), { live: random() < 0.5 }))
    readBlocks(pane, conversation, random)
    pane.state(t)
  }
  take(pane.endFrame(t + 1))
  readBlocks(pane, conversation, random)
  expect(pane.ownScreen.faults, 'screens on which the classifier threw').toBe(0)
  expect(pane.ownScreen.emulator.counters).toMatchObject({ hookFaults: 0, parserFaults: 0 })
  expectAlive(pane, t + 10)
}

function readBlocks(pane: Pane, conversation: Conversation, random: Random): void {
  const look = pane.screen.last
  if (!look || random() < 0.5) return
  if (random() < 0.3) conversation.beginTurn(look)
  conversation.openMessage()
  const blocks = conversation.extract(look, { isOpen: random() < 0.7 })
  const outputs = [
    renderMarkdown(blocks),
    renderAnsi(blocks, { isColour: false, width: 1 + Math.floor(random() * 200) }).join('\n'),
    ...renderTelegram(blocks),
  ]
  for (const text of outputs) expect(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u.exec(text)).toBe(null)
  if (random() < 0.2) conversation.closeMessage()
}

/**
 * After any input the terminal draws again: it gets the end of an open sequence, a reset and a
 * word.
 */
function expectAlive(pane: Pane, t: number): void {
  pane.resize(80, 24, t)
  pane.feed(new TextEncoder().encode('\x18\x1b\\\x1bc\x1b]2;\x07alive'), t + 5, { live: true })
  pane.tick(t + 10)
  expect(pane.screen.last?.frame.lines[0]?.text).toBe('alive')
  expect(pane.state(t + 10).awaiting).toBe(null)
}

function* cut(bytes: Uint8Array, random: Random): Generator<Uint8Array> {
  const size = random() < 0.3 ? bytes.length : Math.max(1 + Math.floor(random() * 5000), Math.ceil(bytes.length / 40))
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function loadSubjects(): Promise<Subject[]> {
  const agents = await packAgents({ user: null })
  const subjects: Subject[] = []
  for (const agent of agents) subjects.push({ agent, pack: await loadPack(agent, null), slices: await slicesOf(agent) })
  const all = subjects.flatMap(subject => subject.slices)
  subjects.push({ agent: 'generic', pack: await loadPack(null, null), slices: all })
  return subjects.map(subject => (subject.slices.length > 0 ? subject : { ...subject, slices: all }))
}

async function slicesOf(agent: string): Promise<Uint8Array[]> {
  const directory = join(PACKS, agent, 'fixtures')
  const names = await readdir(directory).catch(() => [])
  const casts = names.filter(name => name.endsWith('.cast')).sort()
  const recordings = await Promise.all(casts.map(name => readWholeRecording(join(directory, name))))
  return recordings
    .map(({ events }) => Buffer.concat(events.flatMap(event => (event.kind === 'output' ? [event.bytes] : []))))
    .filter(bytes => bytes.length > 0)
}

/** mulberry32: adjacent seeds give unrelated numbers. */
function randomOf(seed: number): Random {
  let state = (seed * 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
