import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlockContent } from './block.js'
import { renderMarkdown } from './render-markdown.js'
import { blocks } from './testing/blocks.js'

const paragraph = (text: string): BlockContent => ({ kind: 'prose', variant: 'paragraph', runs: [{ text }] })

describe('rendered Markdown', () => {
  it('escapes a character only where it has an effect', () => {
    const cases: [string, string][] = [
      ['2 * 3 and 4 * 5', '2 * 3 and 4 * 5'],
      ['a *b* c', 'a \\*b\\* c'],
      ['snake_case_name and _this_', 'snake_case_name and \\_this\\_'],
      ['# not a heading', '\\# not a heading'],
      ['issue #3', 'issue #3'],
      ['- not a list', '\\- not a list'],
      ['1. not a list', '1\\. not a list'],
      ['costs 1. 50', 'costs 1. 50'],
      ['> not a quote', '\\> not a quote'],
      ['a > b < c', 'a > b < c'],
      ['<b>tag</b>', '\\<b>tag\\</b>'],
      ['see [x](y)', 'see \\[x](y)'],
      ['an array a[0]', 'an array a[0]'],
      ['a `tick` b', 'a \\`tick\\` b'],
      ['one ` tick', 'one ` tick'],
      ['----', '\\----'],
      ['AT&amp;T & co', 'AT\\&amp;T & co'],
      ['~~a~~ and ~ b', '\\~~a~~ and ~ b'],
      ['C:\\temp\\*.log', 'C:\\temp\\\\*.log'],
      ['**two** words*', '\\*\\*two\\*\\* words\\*'],
      ['[[a](b)', '\\[\\[a](b)'],
    ]
    for (const [text, expected] of cases) expect(renderMarkdown(blocks(paragraph(text)))).toBe(expected)
  })

  it('indents nested items below the text of their item, numbered or not', () => {
    const item = (depth: number, number: number | null, text: string) => ({
      depth,
      number,
      checked: null,
      runs: [{ text }],
    })
    const items = [item(0, 9, 'nine'), item(1, null, 'a'), item(2, null, 'b'), item(0, 10, 'ten'), item(1, null, 'c')]
    expect(renderMarkdown(blocks({ kind: 'list', items }))).toBe('9. nine\n   - a\n     - b\n10. ten\n    - c')
    expect(renderMarkdown(blocks({ kind: 'list', items: [item(1, null, 'torn'), item(1, null, 'off')] }))).toBe(
      '  - torn\n  - off',
    )
  })

  it('keeps every word of any text', () => {
    const words = (text: string) =>
      text
        .replace(/[\\`*_~|#>[\]<&]/gu, '')
        .split(/\s+/u)
        .filter(Boolean)
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~]{1,80}$/), text => {
        expect(words(renderMarkdown(blocks(paragraph(text))))).toEqual(words(text))
      }),
      { numRuns: 300, seed: 1 },
    )
  })

  // `npm run bench:text` measures that the time grows linearly with the length.
  it('renders long texts that consist of marks', () => {
    for (const mark of ['`', '*', '_', '*a ', '_a_ ', '~~a', '[', '<', '&a', '\\\\', '| ', ' ', '#']) {
      const text = `x${mark.repeat(200_000 / mark.length)}x`
      expect(renderMarkdown(blocks(paragraph(text))), mark).toMatch(/^x.*x$/su)
    }
  })

  it('uses a fence longer than any fence inside, and shortens long output', () => {
    expect(renderMarkdown(blocks({ kind: 'code', language: 'md', lines: ['```js', 'x', '```'] }))).toBe(
      '````md\n```js\nx\n```\n````',
    )
    const lines = Array.from({ length: 15 }, (_, index) => `line ${index}`)
    expect(renderMarkdown(blocks({ kind: 'tool_result', lines, ok: null }))).toMatch(/line 11\n… \+3 lines\n```$/u)
  })

  it('shows control and bidi characters visibly', () => {
    expect(renderMarkdown(blocks(paragraph('a\u202eb\u001b[31mc')))).toBe('a⟦U+202E⟧b␛[31mc')
  })

  it('shows a tool with its input', () => {
    expect(
      renderMarkdown(
        blocks({
          kind: 'tool_call',
          tool: { name: 'Bash', kind: 'shell', summary: 'Bash(npm test)', command: 'npm test' },
        }),
      ),
    ).toBe('**Bash** `npm test`')
  })
})
