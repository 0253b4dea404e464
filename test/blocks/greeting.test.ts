import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { SessionReplay } from '../../src/sessions/replay/index.js'
import { readWholeRecording } from '../../src/terminal/recording/index.js'

/*
 * What an agent shows before anybody asked for anything is its greeting: logos that blink, tips, what it loads, warnings about settings.
 * None of it is a message. Copilot draws its input box while it still loads and its greeting grows for seconds.
 */
const FIXTURES = join(import.meta.dirname, '../../packs/copilot/fixtures')
const ENTER = 0x0d

describe.each(readdirSync(FIXTURES).filter(name => name.endsWith('.cast')))('copilot %s', name => {
  test('says nothing before the first prompt is sent', async () => {
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
