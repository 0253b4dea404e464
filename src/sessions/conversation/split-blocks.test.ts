import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Block, parseMarkdown, renderMarkdown } from '../../screen/index.js'
import { splitBlocks } from './split-blocks.js'

const blockOf = (content: object, index = 0): Block =>
  ({ id: `b${index}`, rows: [0, 0], provisional: false, missing: false, source: 'screen', ...content }) as Block

const LINES = Array.from({ length: 3_000 }, (_, index) => `${index} the quick signal changes aspect`)

test.each([
  ['code', { kind: 'code', language: '', lines: LINES }],
  ['the result of a tool', { kind: 'tool_result', lines: LINES, ok: true }],
  ['one paragraph', { kind: 'prose', variant: 'paragraph', runs: [{ text: LINES.join('\n') }] }],
  ['a list', { kind: 'list', items: LINES.map(text => ({ depth: 0, number: null, checked: null, runs: [{ text }] })) }],
])('%s of 3000 lines is divided, and no line is lost', (_, content) => {
  const groups = splitBlocks([blockOf(content)], 20_000)
  expect(groups.length).toBeGreaterThan(5)
  for (const group of groups) expect(JSON.stringify([group, renderMarkdown(group)]).length).toBeLessThanOrEqual(22_000)
  const words = JSON.stringify(groups).match(/\d+ the quick/g)
  expect(words).toEqual(LINES.map((_, index) => `${index} the quick`))
})

test('blocks that fit stay as they are, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.lorem({ maxCount: 30 }), { maxLength: 40 }), texts => {
      const blocks = parseMarkdown(texts.join('\n\n')).map(blockOf)
      expect(splitBlocks(blocks, 4_000).flat()).toEqual(blocks)
      expect(splitBlocks(blocks)).toEqual([blocks])
    }),
  )
})
