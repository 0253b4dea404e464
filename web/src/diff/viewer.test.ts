import { describe, expect, it } from 'vitest'
import { findingsOf, promptOf } from './comment-texts'
import { inTreeOrder, treeLines } from './file-tree'
import { RowPositions } from './row-positions'
import { parseUnified } from './unified-diff'
import { rowFrom, viewRows } from './view-rows'

const DIFF = [
  'diff --git a/src/a.ts b/src/a.ts',
  '--- a/src/a.ts',
  '+++ b/src/a.ts',
  '@@ -1,3 +1,4 @@ head',
  ' same',
  '-old one',
  '-old two',
  '+new one',
  '+new two',
  '+new three',
  '@@ -20 +21 @@',
  '-x',
  '+y',
  '\\ No newline at end of file',
  'diff --git a/logo.png b/logo.png',
  'new file mode 100644',
  'Binary files /dev/null and b/logo.png differ',
  '',
].join('\n')
const OPTIONS = { layout: 'unified', folded: new Set<string>(), comments: [], editing: null } as const
const kinds = (rows: ReturnType<typeof viewRows>) => rows.map(({ kind }) => kind).join(' ')

describe('the viewer of changes', () => {
  it('has a row for each file, part and line, and one for an image', () => {
    const rows = viewRows(parseUnified(DIFF), OPTIONS)
    expect(kinds(rows)).toBe('file hunk line line line line line line hunk line line file image')
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
  })

  it('shows removed lines beside the added ones', () => {
    const rows = viewRows(parseUnified(DIFF), { ...OPTIONS, layout: 'split' })
    const pairs = rows.flatMap(row => (row.kind === 'pair' ? [[row.left?.text ?? null, row.right?.text ?? null]] : []))
    expect(pairs).toEqual([
      ['same', 'same'],
      ['old one', 'new one'],
      ['old two', 'new two'],
      [null, 'new three'],
      ['x', 'y'],
    ])
  })

  it('keeps the lines of a part as git printed them, so that it can be discarded', () => {
    const [file, image] = parseUnified(DIFF)
    expect(file!.hunks[1]).toMatchObject({ header: '@@ -20 +21 @@', raw: ['-x', '+y', '\\ No newline at end of file'] })
    expect(image).toMatchObject({ kind: 'added', isBinary: true, hunks: [] })
  })

  it('marks a line and the line that replaces it as twins, but not a line that is only added', () => {
    const { lines } = parseUnified(DIFF)[0]!
    expect(lines.filter(({ twin }) => twin).map(({ text }) => text)).toEqual([
      'old one',
      'old two',
      'new one',
      'new two',
      'x',
      'y',
    ])
  })

  it('shows a comment below its line, and no lines of a folded file', () => {
    const comment = { id: '1', file: 'src/a.ts', side: 'after', line: 2, code: 'new one', text: 'why?' } as const
    const rows = viewRows(parseUnified(DIFF), { ...OPTIONS, comments: [comment] })
    const at = rows.findIndex(({ kind }) => kind === 'comment')
    expect(rows[at - 1]).toMatchObject({ line: { text: 'new one' } })
    const folded = viewRows(parseUnified(DIFF), { ...OPTIONS, comments: [comment], folded: new Set(['src/a.ts']) })
    expect(kinds(folded)).toBe('file file image')
  })

  it('finds the next part, and stays at the last one', () => {
    const rows = viewRows(parseUnified(DIFF), OPTIONS)
    const next = (from: number) => rowFrom(rows, from, 1, ({ kind }) => kind === 'hunk')
    expect([next(-1), next(1), next(8)]).toEqual([1, 8, 8])
  })

  it('sends all comments as one prompt, in the order of files and lines', () => {
    const at = (file: string, line: number | null, text: string, side: 'before' | 'after' = 'after') => ({
      id: text,
      file,
      line,
      side,
      code: line === null ? '' : `code ${line}`,
      text,
    })
    const comments = [at('b.ts', 9, 'late'), at('a.ts', 3, 'gone', 'before'), at('a.ts', null, 'whole')]
    expect(promptOf(comments)).toBe(
      'Comments on your changes:\n\na.ts\nwhole\n\na.ts:3 (removed line)\n> code 3\ngone\n\nb.ts:9\n> code 9\nlate',
    )
    expect(promptOf(comments.slice(0, 1))).toBe('About b.ts:9\n> code 9\nlate')
    expect(findingsOf(comments)[1]).toEqual({ file: 'a.ts', line: null, text: 'gone\n\nRemoved line: code 3' })
  })

  it('lists files as a tree, directories first and numbers in their order', () => {
    const file = (name: string) => ({ ...parseUnified(DIFF)[0]!, name })
    const files = ['z.ts', 'a/b/c10.ts', 'a/b/c9.ts', 'a.ts'].map(file)
    expect(treeLines(files).map(({ label, depth }) => `${'.'.repeat(depth)}${label}`)).toEqual([
      'a/b',
      '.c9.ts',
      '.c10.ts',
      'a.ts',
      'z.ts',
    ])
    expect(inTreeOrder(files).map(({ name }) => name)).toEqual(['a/b/c9.ts', 'a/b/c10.ts', 'a.ts', 'z.ts'])
  })
})

describe('positions of rows', () => {
  it('follow measured heights', () => {
    const rows = new RowPositions([10, 10, 10, 10])
    expect([rows.total, rows.indexAt(-5), rows.indexAt(0), rows.indexAt(19), rows.indexAt(99)]).toEqual([
      40, 0, 0, 1, 3,
    ])
    expect([rows.setHeight(1, 50), rows.setHeight(1, 50.2)]).toEqual([true, false])
    expect([rows.topOf(2), rows.total, rows.indexAt(59), rows.indexAt(60)]).toEqual([60, 80, 1, 2])
  })

  it('are empty without rows', () => {
    const none = new RowPositions([])
    expect([none.total, none.indexAt(10)]).toEqual([0, 0])
  })
})
