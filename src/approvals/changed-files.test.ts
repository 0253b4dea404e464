import { expect, test } from 'vitest'
import { changedFiles } from './changed-files.js'
import { recordOf, reportedOf } from './testing/fixtures.js'

const edit = (path: string) =>
  reportedOf({ tool: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' } })
const before = recordOf({ ...edit('/p/a.ts'), state: 'applied', outcome: { at: 1_000_000 } })
const writtenAt = (times: Record<string, number>) => (path: string) => times[path] ?? null

test('a file that was written after its last request was closed counts as changed', () => {
  expect(changedFiles(edit('/p/a.ts'), [before], writtenAt({ '/p/a.ts': 1_060_000 }))).toEqual(['/p/a.ts'])
})

test('the write of the request itself, a missing file and a file without a request do not count', () => {
  expect(changedFiles(edit('/p/a.ts'), [before], writtenAt({ '/p/a.ts': 1_002_000 }))).toEqual([])
  expect(changedFiles(edit('/p/a.ts'), [before], writtenAt({}))).toEqual([])
  expect(changedFiles(edit('/p/b.ts'), [before], writtenAt({ '/p/b.ts': 1_060_000 }))).toEqual([])
})

test('the newest request of a file counts, and an open one uses the present file', () => {
  const open = recordOf({ ...edit('/p/a.ts') })
  expect(changedFiles(edit('/p/a.ts'), [before, open], writtenAt({ '/p/a.ts': 1_060_000 }))).toEqual([])
})
