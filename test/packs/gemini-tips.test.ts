import { expect, it } from 'vitest'
import { loadPack } from '../../src/agents/packs/index.js'
import { classify, initialMemory } from '../../src/screen/index.js'
import { TerminalEmulator } from '../../src/terminal/index.js'

it('the tips on the start screen of Gemini CLI are not a menu while there is no input box', async () => {
  const pack = await loadPack('gemini', null, '0.61.0')
  const emulator = new TerminalEmulator({ cols: 100, rows: 32 })
  const tips = [
    'Tips for getting started:',
    '1. Create \u001b[1mGEMINI.md\u001b[0m files to customize your interactions',
    '2. \u001b[38;5;183m/help\u001b[0m for more information',
    '3. Ask coding questions, edit code or run commands',
    '4. Be specific for the best results',
  ]
  emulator.feed(new TextEncoder().encode(`\u001b[8;1H${tips.join('\r\n')}`), 0, { live: false })
  const { observation } = classify(emulator.currentFrame(), initialMemory(), pack)
  expect([observation.view, observation.awaiting]).not.toContain('tool_menu')
  expect(observation.awaiting ?? 'none').toBe('none')
})
