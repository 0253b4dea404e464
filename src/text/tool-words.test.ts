import { expect, test } from 'vitest'
import { toolLine } from './tool-words.js'

test('a tool call is shown by the command, file or pattern of its input, not as JSON', () => {
  expect(toolLine('Edit', { path: 'DEMO.md', append: '- Goal\n' })).toBe('Edit DEMO.md')
  expect(toolLine('Bash', { command: 'npm test', description: 'Run the tests' })).toBe('Bash npm test')
  expect(toolLine('shell', { command: ['bash', '-lc', 'npm test'] })).toBe('shell npm test')
  expect(toolLine('Grep', { pattern: 'needle', output_mode: 'files' })).toBe('Grep needle')
})

test('a script of several lines is shown by its first line', () => {
  expect(toolLine('Bash', { command: 'cat <<EOF\nhi\nEOF' })).toBe('Bash cat <<EOF …')
})

test('the input of an unknown tool is shown by its short values with their names', () => {
  expect(toolLine('Rate', { stars: 5, of: { deep: true }, note: 'x'.repeat(80) })).toBe(
    `Rate stars: 5, note: ${'x'.repeat(60)}…`,
  )
  expect(toolLine('Done', {})).toBe('Done')
  expect(toolLine('Done', null)).toBe('Done')
})
