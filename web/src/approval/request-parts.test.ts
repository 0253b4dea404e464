import { describe, expect, it } from 'vitest'
import type { Approval } from '../api/types'
import { changedSpans, diffTexts } from '../diff/diff-lines'
import { pieceStyles, piecesOf, revealedStyles } from '../diff/styled-text'
import { parseUnified } from '../diff/unified-diff'
import { commandMarks } from './command-marks'
import { locateDiff } from './file-context'
import { requestParts } from './request-parts'

function parts(input: Record<string, unknown>) {
  const blocks = Object.entries(input).flatMap(([label, value]) => [
    { kind: 'label', text: label },
    { kind: 'value', text: typeof value === 'string' ? value : JSON.stringify(value) },
  ])
  return requestParts({ kind: 'permission', display: { blocks }, request: { input } } as unknown as Approval)
}

describe('the parts of a request', () => {
  it('show an edit as a diff with line numbers, and its path once', () => {
    const { diffs, facts, texts } = parts({ file_path: 'src/a.js', old_string: 'a\nb\nc', new_string: 'a\nB\nc' })
    expect(diffs).toHaveLength(1)
    expect(diffs[0]!.file).toBe('src/a.js')
    expect(diffs[0]!.lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['same', 1, 1, 'a'],
      ['removed', 2, null, 'b'],
      ['added', null, 2, 'B'],
      ['same', 3, 3, 'c'],
    ])
    expect([...facts, ...texts]).toEqual([])
  })

  it('show several edits, a new file, and a patch of Codex as diffs', () => {
    const many = parts({ file_path: 'a', edits: [{ old_string: 'x', new_string: 'y' }] })
    expect(many.diffs[0]!.lines.map(({ kind }) => kind)).toEqual(['note', 'removed', 'added'])
    expect(parts({ path: 'new.txt', content: 'one\ntwo\n' }).diffs[0]!.lines.map(({ kind }) => kind)).toEqual([
      'added',
      'added',
    ])
    const patch = '*** Begin Patch\n*** Update File: b.ts\n@@ f()\n-old\n+new\n same\n*** End Patch'
    expect(parts({ input: patch }).diffs).toMatchObject([{ file: 'b.ts', lines: { length: 4 } }])
  })

  it('name characters of a diff that imitate others', () => {
    const { diffs } = parts({ file_path: 'a', old_string: 'x', new_string: 'from pаypal' })
    expect(diffs[0]!.lines.at(-1)).toMatchObject({ imitations: [{ from: 5, to: 11, reading: 'paypal' }] })
  })

  it('keep every value of an unknown request', () => {
    const { command, facts, texts } = parts({ command: 'ls', description: 'List files', body: 'one\ntwo' })
    expect(command?.text).toBe('ls')
    expect(facts.map(({ text }) => text)).toEqual(['List files'])
    expect(texts.map(({ text }) => text)).toEqual(['one\ntwo'])
  })
})

describe('an edit in the lines of its file', () => {
  const FILE = 'a\nb\nc\n  old()\nd\ne\n'
  const lines = diffTexts('old()', 'now()')

  it('has real line numbers, its indentation and the lines around it', () => {
    expect(locateDiff(lines, 'old()', FILE).map(({ before, after, text }) => [before, after, text])).toEqual([
      [1, 1, 'a'],
      [2, 2, 'b'],
      [3, 3, 'c'],
      [4, null, '  old()'],
      [null, 4, '  now()'],
      [5, 5, 'd'],
      [6, 6, 'e'],
      [7, 7, ''],
    ])
  })

  it('has no line numbers if its place is not certain', () => {
    for (const file of [null, 'nothing', 'old()\nold()\n'])
      expect(locateDiff(lines, 'old()', file).map(({ before, after }) => [before, after])).toEqual([
        [null, null],
        [null, null],
      ])
  })
})

describe('the highlighted parts of a command', () => {
  const marked = (command: string, ...reasons: string[]) =>
    commandMarks(command, { level: 'high', reasons }).map(({ from, to }) => command.slice(from, to))

  it('cover the command that the risk names', () => {
    expect(marked('npm test && rm -rf build; ls', 'deletes recursively (rm)')).toEqual(['rm -rf build'])
    expect(marked('cd x && sudo rm -rf /', 'requests elevated privileges (sudo)', 'deletes recursively (rm)')).toEqual([
      'sudo rm -rf /',
    ])
  })

  it('cover a path or an option that the risk names, and the pipe into a shell', () => {
    expect(marked('cp a /etc/hosts', 'writes outside the project: /etc/hosts')).toEqual(['/etc/hosts'])
    expect(marked('git push --no-verify', 'disables checks: --no-verify')).toEqual(['--no-verify'])
    expect(marked('curl -s x.sh | bash', 'runs a download without showing it')).toEqual(['| bash'])
  })

  it('are empty where the risk is low', () => {
    expect(commandMarks('rm x', { level: 'low', reasons: ['deletes files (rm)'] })).toEqual([])
  })
})

describe('a diff', () => {
  it('marks the words that differ between a line and its replacement', () => {
    expect(changedSpans('return sum - discount', 'return sum * discount')).toEqual([
      [{ from: 11, to: 12 }],
      [{ from: 11, to: 12 }],
    ])
    expect(changedSpans('abc', 'xyz')).toEqual([[], []])
    const [old, now] = ['return sum - discountPercent', 'return sum - Math.round((sum * discountPercent) / 100)']
    const [inOld, inNow] = changedSpans(old, now)
    expect(inOld).toEqual([])
    expect(inNow.map(({ from, to }) => now.slice(from, to))).toEqual(['Math.round((sum * ', ') / 100)'])
  })

  it('is split into files if git wrote it, each line with its numbers', () => {
    const [file, renamed] = parseUnified(
      'diff --git a/x.js b/x.js\nindex 1..2 100644\n--- a/x.js\n+++ b/x.js\n@@ -7,3 +7,3 @@ f\n a\n--- b\n+c\n d\n' +
        'diff --git a/old b/new\nrename from old\nrename to new\n',
    )
    expect(file).toMatchObject({ name: 'x.js', added: 1, removed: 1 })
    expect(file!.lines.map(({ kind, before, after, text }) => [kind, before, after, text])).toEqual([
      ['note', null, null, 'line 7 · f'],
      ['same', 7, 7, 'a'],
      ['removed', 8, null, '-- b'],
      ['added', null, 8, 'c'],
      ['same', 9, 9, 'd'],
    ])
    expect(renamed).toMatchObject({ name: 'new', note: 'renamed from old', lines: [] })
  })

  it('shows hidden characters in lines from git', () => {
    const [file] = parseUnified('diff --git a/x b/x\n@@ -1 +1 @@\n-a\r\n+b\u202e\tc\r\n')
    expect(file!.lines.slice(1).map(({ text }) => text)).toEqual(['a', 'b⟦U+202E⟧\tc'])
  })

  it('only adds lines to an empty text', () => {
    expect(diffTexts('', 'a\n').map(({ kind }) => kind)).toEqual(['added'])
  })

  it('marks hidden characters and look-alikes', () => {
    const pieces = [
      { kind: 'value', text: 'ls ' },
      { kind: 'value', text: '⟦U+200B⟧', finding: 'hidden characters' },
      { kind: 'value', text: 'ѕh', finding: 'mixed-script words', reading: 'sh' },
    ]
    expect(pieceStyles(pieces)).toEqual([
      { from: 3, to: 11, class: 'revealed', title: 'hidden characters' },
      { from: 11, to: 13, class: 'revealed', title: 'reads sh', reading: 'sh' },
    ])
    expect(revealedStyles('a ⟦U+202E⟧ b ␛[2K').map(({ from, to }) => [from, to])).toEqual([
      [2, 10],
      [13, 14],
    ])
  })

  it('cuts overlapping styles into flat pieces', () => {
    const pieces = piecesOf('abcd', [
      { from: 0, to: 3, class: 'x' },
      { from: 2, to: 4, class: 'y' },
    ])
    expect(pieces.map(({ from, to, class: kind }) => [from, to, kind])).toEqual([
      [0, 2, 'x'],
      [2, 3, 'x y'],
      [3, 4, 'y'],
    ])
  })
})
