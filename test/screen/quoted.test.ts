import { describe, expect, test } from 'vitest'
import { loadPack } from '../../src/agents/index.js'
import { classify, initialMemory } from '../../src/screen/index.js'
import { LOOKS, type Place, paintQuoted } from './agent-screens.js'
import { LOOKALIKES, MENUS } from './quoted-menus.js'

const WIDTHS = [40, 60, 80, 120, 200]
const PLACES: Place[] = ['reply', 'tool output', 'draft']

describe.each(Object.keys(LOOKS))('%s: text that looks like its own screens', agent => {
  test.each(PLACES)('a menu in a %s is not a request', async place => {
    const pack = await loadPack(agent, null)
    const wrong: string[] = []
    for (const [name, lines] of Object.entries(MENUS)) {
      for (const cols of WIDTHS) {
        const { observation } = classify(paintQuoted(agent, lines, place, cols), initialMemory(), pack)
        const isQuiet =
          observation.awaiting === null && !['tool_menu', 'auth_required', 'error'].includes(observation.view)
        if (!isQuiet)
          wrong.push(`${name} at ${cols}: ${observation.view} ${observation.awaiting} (${observation.rule})`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each(PLACES)('a spinner, an error, an input box or the end of a turn in a %s is text', async place => {
    const pack = await loadPack(agent, null)
    const wrong: string[] = []
    for (const [name, lines] of Object.entries(LOOKALIKES)) {
      for (const cols of WIDTHS) {
        const { observation } = classify(paintQuoted(agent, lines, place, cols), initialMemory(), pack)
        if (observation.view !== 'idle_prompt')
          wrong.push(`${name} at ${cols}: ${observation.view} (${observation.rule})`)
      }
    }
    expect(wrong).toEqual([])
  })
})
