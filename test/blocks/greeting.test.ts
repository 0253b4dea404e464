import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { SessionReplay } from '../../src/sessions/replay/index.js'
import { readWholeRecording } from '../../src/terminal/recording/index.js'

/*
 * What an agent shows before the first prompt is its greeting: blinking logos, tips, loading
 * messages, warnings about settings. None of it is a message. Copilot draws its input box while it
 * is still loading, and its greeting grows for seconds.
 */
const FIXTURES = join(import.meta.dirname, '../../packs/copilot/fixtures')
const ENTER = 0x0d

describe.each(readdirSync(FIXTURES).filter(name => name.endsWith('.cast')))('copilot %s', name => {
  test('has no message before the first prompt', async () => {
    const { header, events } = await readWholeRecording(join(FIXTURES, name))
    const pack = await loadPack('copilot', null)
    const replay = new SessionReplay({ pack, cols: header.cols, rows: header.rows, hasBlocks: true })
    const sentAt =
      events.find(event => event.kind === 'input' && event.bytes.includes(ENTER))?.t ?? Number.POSITIVE_INFINITY
    const lines = []
    for (const event of events) {
      if (event.t > sentAt) break
      lines.push(...replay.apply(event))
    }
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(line => line.type === 'message' || line.type === 'block')).toEqual([])
  })
})
