import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Displayed, displayOf, displayText } from './display.js'

const of = (input: unknown, more: Partial<Displayed> = {}) =>
  displayOf({ tool: 'Bash', input, text: null, questions: [], ...more })
const shown = (input: unknown, more: Partial<Displayed> = {}) => displayText(of(input, more))

describe('the display of a request', () => {
  test('keeps labels and the agent’s values separate, the most important fields first', () => {
    expect(of({ description: 'tests', timeout: 5, command: 'npm test' }).blocks).toEqual([
      { kind: 'label', text: 'command' },
      { kind: 'value', text: 'npm test' },
      { kind: 'label', text: 'description' },
      { kind: 'value', text: 'tests' },
      { kind: 'label', text: 'timeout' },
      { kind: 'value', text: '5' },
    ])
  })

  test('makes hidden characters visible and counts them', () => {
    const display = of({ command: 'echo \u202egnp.\u200bexe\u001b[2K\rrm' })
    expect(displayText(display)).toContain('⟦U+202E⟧gnp.⟦U+200B⟧exe␛[2K␍rm')
    expect(display.findings).toEqual([
      { what: 'hidden characters', count: 2 },
      { what: 'control characters', count: 2 },
    ])
  })

  test('contains nothing that could control a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        const text = `${shown({ [name]: value, nested: { [name]: [value] } }, { tool: value })}${of({}, { tool: value }).title}`
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  test('starts with a contradiction, and shows the real path', () => {
    const text = shown(
      { file_path: 'link/x' },
      { mismatch: 'the menu shows rm', targets: [{ path: 'link/x', real: '/etc/x', access: 'write' }] },
    )
    expect(text).toMatch(/^\nreport and screen differ:\nthe menu shows rm/)
    expect(text).toContain('real path:\n/etc/x')
  })

  test('keeps beginning, end, size and hash of a long value', () => {
    const display = of({ content: `${'a line\n'.repeat(20_000)}the end` })
    const text = displayText(display)
    expect(display.isCut).toBe(true)
    expect(text.length).toBeLessThan(10_000)
    expect(text).toMatch(/more lines, 140007 bytes in total, SHA-256 [0-9a-f]{64}/)
    expect(text).toContain('the end')
  })

  test('has another hash if one character is added', () => {
    expect(of({ command: 'npm test' }).hash).toBe(of({ command: 'npm test' }).hash)
    expect(of({ command: 'npm test' }).hash).not.toBe(of({ command: 'npm test ' }).hash)
    expect(of({ command: 'npm test' }).hash).not.toBe(of({ command: 'npm test' }, { tool: 'Shell' }).hash)
  })

  test('has a title of one line', () => {
    expect(of({}, { tool: 'a\nb', title: 'x'.repeat(500) }).title).toMatch(/^a b: x{190,200}…$/)
  })
})
