import { expect, it } from 'vitest'
import { loadPack } from '../../src/agents/packs/index.js'
import { classify, initialMemory } from '../../src/screen/index.js'
import { frameFromText } from '../../src/terminal/index.js'

/** Kind, first and last row of every block above the input box, on a screen without colours. */
async function blocksOf(agent: string, rows: readonly string[]): Promise<string[]> {
  const { layout } = classify(frameFromText(rows.join('\n')), initialMemory(), await loadPack(agent, null))
  return layout.blocks.map(({ kind, first, last }) => `${kind} ${first}-${last}`)
}

const RULE = '─'.repeat(80)

it('prompts that wait in the queue of Pi are not a part of its answer', async () => {
  const box = ['', RULE, '', RULE, '~/app (main)']
  const waiting = [' Steering: use tabs please', ' ↳ Alt+Up to edit all queued messages']
  expect(await blocksOf('pi', [' This is the answer.', '', ...waiting, ...box])).toEqual(['prose 0-0'])
  const said = [' Steering: turn the wheel.', ' Then brake.']
  expect(await blocksOf('pi', [' This is the answer.', '', ...said, ...box])).toEqual(['prose 0-3'])
})

it('a spinner with a key hint in an answer of OpenCode is not a tool', async () => {
  const box = ['', '  ┃', '  ┃', '  ┃  Build · Test Model', `  ╹${'▀'.repeat(70)}`, '   tab agents  ctrl+p commands']
  const rows = (text: string) => ['     It prints lines such as', '', `     ⠋ ${text}`, ...box]
  expect(await blocksOf('opencode', rows('Thinking... (esc to cancel, 3s)'))).toEqual(['prose 0-0', 'prose 2-2'])
  expect(await blocksOf('opencode', rows('Writing command...'))).toEqual(['prose 0-0', 'tool_call 2-2'])
})
