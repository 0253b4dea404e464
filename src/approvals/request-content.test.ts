import { describe, expect, it } from 'vitest'
import { decisionWords } from './decision-words.js'
import { displayOf } from './display.js'
import { contentText, requestContent } from './request-content.js'
import { recordOf } from './testing/fixtures.js'

const shown = (tool: string, input: unknown) => {
  const record = recordOf({})
  const display = displayOf({ tool, input, text: null, questions: [] })
  return contentText(requestContent({ ...record, request: { ...record.request, tool, input }, display }))
}

describe('the content of a request', () => {
  it('is a diff for an edit, whatever the agent names the two texts', () => {
    expect(shown('Edit', { path: 'src/cart.js', find: 'a\nold', replace: 'a\nnew' })).toBe('  a\n- old\n+ new')
    expect(shown('Edit', { file_path: 'x.ts', old_string: 'a', new_string: '', replace_all: true })).toBe(
      '- a\nreplace_all: true',
    )
    expect(shown('Write', { file_path: 'x.ts', content: 'a\nb' })).toBe('+ a\n+ b')
    const edits = [{ old_string: 'a', new_string: 'b' }]
    expect(shown('MultiEdit', { file_path: 'x.ts', edits })).toBe('- a\n+ b')
  })

  it('is hunks with the unchanged lines around them for a long edit', () => {
    const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`)
    const after = text.map((line, index) => (index === 4 || index === 30 ? `${line}!` : line))
    const lines = shown('Edit', { path: 'a.ts', find: text.join('\n'), replace: after.join('\n') }).split('\n')
    expect(lines.filter(line => !line.startsWith('  '))).toEqual([
      '⋮ 1 unchanged line',
      '- line 5',
      '+ line 5!',
      '⋮ 19 unchanged lines',
      '- line 31',
      '+ line 31!',
      '⋮ 6 unchanged lines',
    ])
  })

  it('numbers the lines of an edit whose place in the file is known, and no others', () => {
    const numbered = (tool: string, input: unknown, file: string | null) => {
      const display = displayOf({ tool, input, text: null, questions: [] })
      const record = recordOf({})
      const lines = requestContent({ ...record, request: { ...record.request, tool, input }, display }, file)
      return lines.map(({ kind, number, text }) => [kind, number, text])
    }
    const input = { path: 'cart.js', find: 'two\nthree', replace: 'two\n2b\nTHREE' }
    expect(numbered('Edit', input, 'one\ntwo\nthree\nfour')).toEqual([
      ['same', 2, 'two'],
      ['removed', 3, 'three'],
      ['added', 3, '2b'],
      ['added', 4, 'THREE'],
    ])
    for (const unknown of [null, 'two\nthree\ntwo\nthree', 'nothing of it'])
      expect(numbered('Edit', input, unknown).map(([, number]) => number)).toEqual(Array(4).fill(undefined))
    // The second edit finds what the first one has left.
    const edits = [
      { old_string: 'one', new_string: 'zero\none' },
      { old_string: 'four', new_string: 'FOUR' },
    ]
    expect(numbered('MultiEdit', { file_path: 'x', edits }, 'one\ntwo\nthree\nfour').slice(-2)).toEqual([
      ['removed', 5, 'four'],
      ['added', 5, 'FOUR'],
    ])
    const patch = '--- a/x\n+++ b/x\n@@ -10,2 +12,2 @@\n same\n-old\n+new'
    expect(numbered('apply_patch', { patch }, null).slice(-3)).toEqual([
      ['same', 12, 'same'],
      ['removed', 11, 'old'],
      ['added', 13, 'new'],
    ])
  })

  it('keeps the signs of a patch and its file names', () => {
    const patch = '*** Begin Patch\n*** Update File: a.js\n-old\n+new\n*** End Patch'
    expect(shown('apply_patch', { patch })).toBe('*** Begin Patch\n*** Update File: a.js\n- old\n+ new\n*** End Patch')
  })

  it('shows a command after $, and every other field with its name', () => {
    expect(shown('Bash', { command: 'npm test\nls', description: 'Runs the tests' })).toBe(
      '$ npm test\nls\ndescription: Runs the tests',
    )
    expect(shown('Other', { notes: 'a\nb' })).toBe('notes:\na\nb')
  })

  it('leaves out only a path with which the title ends', () => {
    expect(shown('Edit', { path: '/elsewhere/cart.js', find: 'a', replace: 'b' })).toBe('- a\n+ b')
    expect(shown('Other', { path: '/elsewhere/cart.js' })).toBe('path: /elsewhere/cart.js')
  })
})

describe('the sentence for a decision', () => {
  it('names the meaning of a permission, and the answer to a question', () => {
    const record = recordOf({})
    const [allow] = record.request.options
    expect(decisionWords(record, { option: allow!.key })).toBe('Allowed once')
    const gate = {
      kind: 'gate' as const,
      request: {
        ...record.request,
        options: [{ ...allow!, key: 'A', label: '[A] Approve', meaning: 'choice' as const }],
      },
    }
    expect(decisionWords(gate, { option: 'A' })).toBe('Answered: Approve')
    expect(decisionWords(gate, { text: 'blue' })).toBe('Answered in your own words')
  })
})
