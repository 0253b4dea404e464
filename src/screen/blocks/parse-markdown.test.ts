import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block, BlockContent, InlineRun } from './block.js'
import { parseMarkdown } from './parse-markdown.js'
import { renderMarkdown } from './render-markdown.js'
import { blockPlainText } from './words.js'

const asBlocks = (contents: readonly BlockContent[]): Block[] =>
  contents.map((content, index) => ({
    id: `t.${index}`,
    rows: [0, 0],
    provisional: false,
    missing: false,
    source: 'transcript',
    ...content,
  }))

const runsOf = (markdown: string): InlineRun[] => (parseMarkdown(markdown)[0] as { runs: InlineRun[] }).runs

describe('blocks', () => {
  test('paragraphs, headings, quotes, code, lists and tables are parsed in their order', () => {
    const kinds = parseMarkdown(
      '# Title\n\nFirst\nline.\n\n> said\n> twice\n\n```ts\nconst a = 1\n```\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\nend',
    )
    expect(kinds).toEqual([
      { kind: 'prose', variant: 'heading', runs: [{ text: 'Title' }] },
      { kind: 'prose', variant: 'paragraph', runs: [{ text: 'First line.' }] },
      { kind: 'prose', variant: 'quote', runs: [{ text: 'said\ntwice' }] },
      { kind: 'code', language: 'ts', lines: ['const a = 1'] },
      {
        kind: 'list',
        items: [
          { depth: 0, number: null, checked: null, runs: [{ text: 'one' }] },
          { depth: 0, number: null, checked: null, runs: [{ text: 'two' }] },
        ],
      },
      {
        kind: 'table',
        header: [[{ text: 'a' }], [{ text: 'b' }]],
        body: [[[{ text: '1' }], [{ text: '2' }]]],
        align: ['left', 'right'],
      },
      { kind: 'prose', variant: 'paragraph', runs: [{ text: 'end' }] },
    ])
  })

  test('a list has depths, numbers and check boxes; its items continue over lines', () => {
    const [list] = parseMarkdown('1. first\n   goes on\n   - [x] inner\n     - deep\n2. second\n\n3. third')
    expect(list).toMatchObject({
      kind: 'list',
      items: [
        { depth: 0, number: 1, runs: [{ text: 'first goes on' }] },
        { depth: 1, number: null, checked: true, runs: [{ text: 'inner' }] },
        { depth: 2, number: null, runs: [{ text: 'deep' }] },
        { depth: 0, number: 2, runs: [{ text: 'second' }] },
        { depth: 0, number: 3, runs: [{ text: 'third' }] },
      ],
    })
  })

  test('code inside a list item is placed between the items', () => {
    const blocks = parseMarkdown('- do\n  ```sh\n  npm test\n    deeper\n  ```\n- then')
    expect(blocks.map(block => block.kind)).toEqual(['list', 'code', 'list'])
    expect(blocks[1]).toMatchObject({ language: 'sh', lines: ['npm test', '  deeper'] })
  })

  test('marks inside code are code, and a longer fence may contain a shorter one', () => {
    expect(parseMarkdown('````md\n```js\n# no heading\n```\n````')).toEqual([
      { kind: 'code', language: 'md', lines: ['```js', '# no heading', '```'] },
    ])
  })

  test('unclosed code is code to the end', () => {
    expect(parseMarkdown('```py\nx = 1\n\ny = 2')).toEqual([
      { kind: 'code', language: 'py', lines: ['x = 1', '', 'y = 2'] },
    ])
  })

  test('a fenced diff is a diff', () => {
    expect(parseMarkdown('```diff\n-a\n+b\n c\n```')[0]).toMatchObject({
      kind: 'diff',
      lines: [
        { sign: '-', text: 'a' },
        { sign: '+', text: 'b' },
        { sign: ' ', text: 'c' },
      ],
    })
  })

  test('a row with more cells than the header keeps their text', () => {
    const [block] = parseMarkdown('| a | b |\n|---|---|\n| 1 | 2 | 3 |\n| 4 |')
    expect(blockPlainText(block!)).toMatch(/1\W+2 \| 3\W+4/)
  })

  test('a bar inside code or after a backslash does not separate cells', () => {
    expect(parseMarkdown('| a | b |\n|---|---|\n| `x|y` | p\\|q |')[0]).toMatchObject({
      body: [[[{ text: 'x|y', code: true }], [{ text: 'p|q' }]]],
    })
  })

  test('a year at the start of a line does not start a list', () => {
    expect(parseMarkdown('It was in\n1984. A good year.')).toEqual([
      { kind: 'prose', variant: 'paragraph', runs: [{ text: 'It was in 1984. A good year.' }] },
    ])
  })
})

describe('inline marks', () => {
  test('bold, italic, strikethrough, code and links are recognised', () => {
    expect(runsOf('a **b** *c* ***d*** ~~e~~ `f` [g](https://x.y/(z)) _h_')).toEqual([
      { text: 'a ' },
      { text: 'b', bold: true },
      { text: ' ' },
      { text: 'c', italic: true },
      { text: ' ' },
      { text: 'd', bold: true, italic: true },
      { text: ' ' },
      { text: 'e', strike: true },
      { text: ' ' },
      { text: 'f', code: true },
      { text: ' ' },
      { text: 'g', link: 'https://x.y/(z)' },
      { text: ' ' },
      { text: 'h', italic: true },
    ])
  })

  test('marks can be nested', () => {
    expect(runsOf('**see `a*b` and [x](u)**')).toEqual([
      { text: 'see ', bold: true },
      { text: 'a*b', bold: true, code: true },
      { text: ' and ', bold: true },
      { text: 'x', bold: true, link: 'u' },
    ])
  })

  test.each(['snake_case_name', '2 * 3 * 4', 'a ** b', 'a *', '`', 'x_1 and y_2', '[not a link]', '**open', '~/path'])(
    '%s is text',
    text => {
      expect(runsOf(text)).toEqual([{ text }])
    },
  )

  test('a backslash makes a mark literal', () => {
    expect(runsOf('\\*a\\* \\`b\\` C:\\dir')).toEqual([{ text: '*a* `b` C:\\dir' }])
  })

  test('two blanks or a backslash at the end break the line', () => {
    expect(runsOf('a  \nb\\\nc\nd')).toEqual([{ text: 'a\nb\nc d' }])
  })
})

test('rendering and parsing again gives the same blocks', () => {
  const word = fc.constantFrom('alpha', 'beta_gamma', '2*3', '`x`', '#1', '-', '1.', '|', '>', 'é漢', '\\', '[a]', '~~')
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map(words => `w ${words.join(' ')}`)
  const run = fc.record({ text }).map(({ text }): InlineRun[] => [{ text }])
  const content: fc.Arbitrary<BlockContent> = fc.oneof(
    run.map(runs => ({ kind: 'prose' as const, variant: 'paragraph' as const, runs })),
    run.map(runs => ({ kind: 'prose' as const, variant: 'heading' as const, runs })),
    fc
      .array(fc.stringMatching(/^[ -~]{0,20}$/), { minLength: 1, maxLength: 5 })
      .map(lines => ({ kind: 'code' as const, language: 'ts', lines })),
  )
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 5 }), contents => {
      const again = parseMarkdown(renderMarkdown(asBlocks(contents)))
      expect(again.map(block => [block.kind, blockPlainText(block)])).toEqual(
        contents.map(block => [block.kind, blockPlainText(block)]),
      )
    }),
  )
})

test('no word is lost, whatever is between the words', () => {
  const gap = fc.constantFrom(
    ' ',
    '\n',
    '\n\n',
    '\n- ',
    '\n  1. ',
    ' **',
    '** ',
    '*',
    ' _',
    '\n> ',
    '\n# ',
    ' | ',
    '\n|---|\n',
    '\n    ',
    '`',
    '\t',
    '\\',
  )
  fc.assert(
    fc.property(fc.array(gap, { maxLength: 20 }), gaps => {
      const words = gaps.map((_, index) => `word${index}`)
      const text = gaps.map((gap, index) => `${gap}${words[index]}`).join('')
      const read = parseMarkdown(text).map(blockPlainText).join(' ')
      for (const word of words) expect(read).toMatch(new RegExp(`${word}(?!\\d)`))
    }),
  )
})
