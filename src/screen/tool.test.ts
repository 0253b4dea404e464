import { expect, test } from 'vitest'
import { toolOf } from './tool.js'

test.each([
  ['Bash(npm test)', { name: 'Bash', kind: 'shell', command: 'npm test' }],
  ['Bash (npm test)', { name: 'Bash', kind: 'shell', command: 'npm test' }],
  ['✓  Shell node slow.js      3s │', { name: 'Shell', kind: 'shell', command: 'node slow.js' }],
  ['$ node slow.js', { name: 'shell', kind: 'shell', command: 'node slow.js' }],
  ['Ran node slow.js', { name: 'Ran', kind: 'shell', command: 'node slow.js' }],
  ['Edited greet.js (+1 -1)', { name: 'Edited', kind: 'edit', path: 'greet.js' }],
  ['← Edit greet.js', { name: 'Edit', kind: 'edit', path: 'greet.js' }],
  ['Edit  greet.js → Accepted (+1, -1)', { name: 'Edit', kind: 'edit', path: 'greet.js' }],
  ['Fetch(https://example.com/a)', { name: 'Fetch', kind: 'fetch', url: 'https://example.com/a' }],
  ['Update(src/my file.ts)', { name: 'Update', kind: 'edit', path: 'src/my file.ts' }],
])('the tool call "%s" is parsed into name, kind and argument', (text, tool) => {
  expect(toolOf(text)).toMatchObject(tool)
})

test('a file count ("3 files") is not parsed as a path', () => {
  expect(toolOf('Reading 3 files… (ctrl+o to expand)')).toEqual({
    name: 'Reading',
    kind: 'read',
    summary: 'Reading 3 files…',
  })
})
