import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { type Look, PaneScreen } from '../../src/panes/index.js'
import { type Classification, classify, initialMemory, type Pack } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'
import { type Frame, FrameCoalescer, TerminalEmulator } from '../../src/terminal/index.js'
import { readWholeRecording } from '../../src/terminal/recording/index.js'

/*
 * Unchanged rows are the same objects from frame to frame, and results about them are cached with
 * them. The cache must not change the result: a frame of new objects, without cached results, is
 * read the same, however the bytes were cut.
 */
const packs = fileURLToPath(new URL('../../packs', import.meta.url))
const AGENTS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'copilot']

/** A recording of the agent with a menu, if there is one. */
function castOf(agent: string): string {
  const casts = readdirSync(join(packs, agent, 'fixtures')).filter(name => name.endsWith('.cast'))
  const wanted = casts.sort().find(name => /approve|permission|question/.test(name)) ?? casts[0]!
  return join(packs, agent, 'fixtures', wanted)
}

interface Piece {
  t: number
  bytes: Uint8Array
}

async function piecesOf(cast: string, length: number): Promise<{ cols: number; rows: number; pieces: Piece[] }> {
  const { header, events } = await readWholeRecording(cast)
  const pieces: Piece[] = []
  for (const event of events) {
    if (event.kind !== 'output') continue
    for (let at = 0; at < event.bytes.length; at += length)
      pieces.push({ t: event.t, bytes: event.bytes.subarray(at, at + length) })
  }
  return { cols: header.cols, rows: header.rows, pieces }
}

/** The frames to be classified, in order. */
function* framesOf({ cols, rows, pieces }: { cols: number; rows: number; pieces: Piece[] }): Generator<Frame> {
  const emulator = new TerminalEmulator({ cols, rows, scrollback: 500 })
  const coalescer = new FrameCoalescer()
  for (const { t, bytes } of pieces)
    for (const event of emulator.feed(bytes, t, { live: false }))
      if (event.type === 'frame') yield* coalescer.push(event.frame)
}

function told({ observation, memory, layout, atWork }: Classification): string {
  const { blocks, roles, regions, composer, terminator, menu, quoted } = layout
  return JSON.stringify([observation, memory, atWork, blocks, roles, [...regions], composer, terminator, menu, quoted])
}

describe.each(AGENTS)('reading %s from new rows', agent => {
  test('gives the same frames, however their bytes were cut', async () => {
    const pack: Pack = await loadPack(agent, null)
    let [known, fresh] = [initialMemory(), initialMemory()]
    let frames = 0
    for (const frame of framesOf(await piecesOf(castOf(agent), 7))) {
      const remembered = classify(frame, known, pack)
      const anew = classify(structuredClone(frame), fresh, { ...pack })
      expect(told(remembered)).toBe(told(anew))
      known = remembered.memory
      fresh = anew.memory
      frames++
    }
    expect(frames).toBeGreaterThan(20)
  })

  test('gives the same conversation', async () => {
    const pack = await loadPack(agent, null)
    const { cols, rows, pieces } = await piecesOf(castOf(agent), Number.POSITIVE_INFINITY)
    const screen = new PaneScreen(pack, { cols, rows, scrollback: 500 })
    const [remembering, forgetting] = [screen, screen].map(source => new Conversation('s', pack, source))
    let looks = 0
    const read = (conversation: Conversation, look: Look) => {
      conversation.observe(look)
      conversation.beginTurn(look)
      const blocks = conversation.extract(look, { isOpen: true })
      const { shown, ...state } = conversation.state
      // Comparing all rows at every frame takes too long.
      return JSON.stringify([blocks, state, looks % 25 === 0 ? shown : shown?.rows.length])
    }
    for (const { t, bytes } of pieces)
      for (const output of screen.feed(bytes, t, { live: false })) {
        if (output.type !== 'look') continue
        const { look } = output
        expect(read(remembering!, look)).toBe(read(forgetting!, { ...look, frame: structuredClone(look.frame) }))
        looks++
      }
    expect(looks).toBeGreaterThan(20)
  })
})
