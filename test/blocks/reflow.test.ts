import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { type Look, Replay } from '../../src/panes/index.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import { Conversation } from '../../src/sessions/index.js'
import { readWholeRecording } from '../../src/terminal/recording/index.js'

/*
 * Agents that write into the normal buffer leave their text to the terminal, which breaks it anew at every resize. Real recordings are read
 * to their end, then the window is resized fifty times by lot and put back: the newest answer must read as if nothing had happened. The live
 * part, which agents draw themselves after a resize, is taken away before and drawn again afterwards. (Agents that draw more than that again
 * are shown by recordings with resizes and by the demo agent: a recording's bytes cannot react.)
 */
const PACKS = fileURLToPath(new URL('../../packs', import.meta.url))
const RESIZES = 50
/** How often each recording is shaken, every time another way. */
const SHAKES = process.env.SIGNALBOX_CORPUS_ALL ? 3 : 1
const STEP_S = 0.7
/** An answer of fewer words proves little. */
const FEWEST_WORDS = 5

const recordings = readdirSync(PACKS)
  .flatMap(agent => casts(agent).map(name => ({ agent, name })))
  .filter(({ agent }) => agent !== 'shell')

describe('an answer in the scrollback after fifty resizes', () => {
  const read = new Set<string>()

  it.each(recordings)('is the same: $agent/$name', async ({ agent, name }) => {
    const stage = await play(agent, name)
    const before = stage.read()
    if (!before || wordsOf(before).length < FEWEST_WORDS) return
    read.add(`${agent}/${name}`)
    for (let shake = 0; shake < SHAKES; shake++) {
      const seed = 1 + shake
      stage.shake(seed)
      const after = stage.read()
      expect(after && outline(after), `seed ${seed}`).toEqual(outline(before))
    }
  })

  it('was looked at in several agents: nothing is proven by recordings that were passed over', () => {
    expect(new Set([...read].map(name => name.split('/')[0])).size).toBeGreaterThanOrEqual(3)
    expect(read.size).toBeGreaterThanOrEqual(10)
  })
})

/** A recording up to the last picture that shows the newest answer. */
async function play(agent: string, name: string) {
  const pack = await loadPack(agent, null)
  const { header, events } = await readWholeRecording(join(PACKS, agent, 'fixtures', name))
  const { cols, rows } = lastSize(header, events)
  const replay = new Replay({ pack, cols: header.cols, rows: header.rows })
  const conversation = new Conversation('s', pack, replay.pane.screen)
  const see = (steps: ReturnType<Replay['apply']>) => {
    for (const step of steps) if (step.type === 'look') conversation.observe(step.look)
  }
  for (const event of events) see(replay.apply(event))
  see(replay.finish())
  let { t } = replay
  const print = (text: string) => {
    see(replay.pane.feed(new TextEncoder().encode(text), (t += STEP_S), { live: false }))
    see(replay.pane.force((t += STEP_S)))
  }
  const look = (): Look | null => replay.pane.screen.last
  return {
    read(): readonly Block[] | null {
      const last = look()
      if (last?.frame.buffer !== 'normal' || !last.layout.composer) return null
      conversation.markTurn(last)
      return conversation.extract(last, { isOpen: false })
    },
    shake(seed: number): void {
      const random = randomOf(seed)
      const { frame, layout } = look()!
      const first = (layout.regions.get('status') ?? layout.regions.get('live'))!.first
      const live = frame.lines.slice(first).map(row => row.text)
      while (live.at(-1) === '') live.pop()
      print(`\u001b[${first + 1};1H\u001b[J`)
      for (let count = 0; count < RESIZES; count++) {
        t += STEP_S
        see(replay.pane.resize(20 + Math.floor(random() * 180), 8 + Math.floor(random() * 60), t))
        see(replay.pane.tick(t + STEP_S / 2))
      }
      t += STEP_S
      see(replay.pane.resize(cols, rows, t))
      see(replay.pane.force((t += STEP_S)))
      const up = first + live.length - 1 - frame.cursor.y
      print(`${live.join('\r\n')}${up > 0 ? `\u001b[${up}A` : ''}\u001b[${frame.cursor.x + 1}G`)
    },
  }
}

function lastSize(
  header: { cols: number; rows: number },
  events: readonly { kind: string }[],
): { cols: number; rows: number } {
  const resize = events.findLast(event => event.kind === 'resize')
  return (resize as { kind: string; cols: number; rows: number } | undefined) ?? header
}

function casts(agent: string): string[] {
  try {
    return readdirSync(join(PACKS, agent, 'fixtures')).filter(name => name.endsWith('.cast'))
  } catch {
    return []
  }
}

/** Kinds and words of each block: what is lost, doubled or glued shows. Thoughts say nothing in an answer; where a window cuts them off is of no concern. */
function outline(blocks: readonly Block[]): string[] {
  return blocks.filter(({ kind }) => kind !== 'thought').map(block => `${block.kind}: ${renderMarkdown([block])}`)
}

function wordsOf(blocks: readonly Block[]): string[] {
  return renderMarkdown(blocks)
    .split(/\s+/u)
    .filter(word => /\p{L}/u.test(word))
}

function randomOf(seed: number): () => number {
  let state = seed * 2654435761
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
