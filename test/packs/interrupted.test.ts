import { expect, it } from 'vitest'
import { loadPack } from '../../src/agents/packs/index.js'
import { extractBlocks } from '../../src/screen/index.js'
import { frameFromText } from '../../src/terminal/index.js'

async function kindsOf(rows: readonly string[]): Promise<string[]> {
  const pack = await loadPack('claude', null, '2.1.325')
  const frame = frameFromText(rows.join('\n'))
  return extractBlocks(frame.lines, { pack, cols: frame.cols, turn: 't', isOpen: false }).map(({ kind }) => kind)
}

const STOPPED = '  ⎿  Interrupted · What should Claude do instead?'

it('an interrupted answer of Claude is text, and an interrupted tool is a tool call', async () => {
  expect(await kindsOf(['● I begin to write, and then', STOPPED])).toEqual(['prose'])
  expect(await kindsOf(['● Bash(npm test)', STOPPED])).toEqual(['tool_call'])
  expect(await kindsOf(['● Bash(npm test)', '  ⎿  ok'])).toEqual(['tool_call', 'tool_result'])
})
