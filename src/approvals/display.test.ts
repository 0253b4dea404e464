import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Displayed, displayOf, displayText } from './display.js'

const of = (input: unknown, more: Partial<Displayed> = {}) =>
  displayOf({ tool: 'Bash', input, text: null, questions: [], ...more })
const shown = (input: unknown, more: Partial<Displayed> = {}) => displayText(of(input, more))

describe('what people see of a request', () => {
  test('labels are ours, values the agent’s, what matters most comes first', () => {
    expect(of({ description: 'tests', timeout: 5, command: 'npm test' }).blocks).toEqual([
      { kind: 'label', text: 'command' },
      { kind: 'value', text: 'npm test' },
      { kind: 'label', text: 'description' },
      { kind: 'value', text: 'tests' },
      { kind: 'label', text: 'timeout' },
      { kind: 'value', text: '5' },
    ])
  })

  test('what is hidden is shown, and counted', () => {
    const display = of({ command: 'echo \u202egnp.\u200bexe\u001b[2K\rrm' })
    expect(displayText(display)).toContain('⟦U+202E⟧gnp.⟦U+200B⟧exe␛[2K␍rm')
    expect(display.visible).toEqual([
      { what: 'hidden characters', count: 2 },
      { what: 'control characters', count: 2 },
    ])
  })

  test('no text of an agent leaves anything that could control a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        const text = `${shown({ [name]: value, nested: { [name]: [value] } }, { tool: value })}${of({}, { tool: value }).title}`
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      }),
    )
  })

  test('a contradiction stands first, and a path that lies elsewhere is named', () => {
    const text = shown(
      { file_path: 'link/x' },
      { mismatch: 'the menu shows rm', targets: [{ path: 'link/x', real: '/etc/x', access: 'write' }] },
    )
    expect(text).toMatch(/^\nstructure and screen differ:\nthe menu shows rm/)
    expect(text).toContain('really lies at:\n/etc/x')
  })

  test('a long value keeps its beginning, its end, its size and its hash', () => {
    const display = of({ content: `${'a line\n'.repeat(20_000)}the end` })
    const text = displayText(display)
    expect(display.isCut).toBe(true)
    expect(text.length).toBeLessThan(10_000)
    expect(text).toMatch(/lines more, 140007 bytes in all, SHA-256 [0-9a-f]{64}/)
    expect(text).toContain('the end')
  })

  test('its hash is that of what is shown: one character more is another', () => {
    expect(of({ command: 'npm test' }).hash).toBe(of({ command: 'npm test' }).hash)
    expect(of({ command: 'npm test' }).hash).not.toBe(of({ command: 'npm test ' }).hash)
    expect(of({ command: 'npm test' }).hash).not.toBe(of({ command: 'npm test' }, { tool: 'Shell' }).hash)
  })

  test('a title is one line', () => {
    expect(of({}, { tool: 'a\nb', title: 'x'.repeat(500) }).title).toMatch(/^a b: x{190,200}…$/)
  })
})
