import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Block, parseMarkdown, renderMarkdown } from '../../screen/index.js'
import { type ReportedText, reconcileReported } from './reported-text.js'

const blocks = (markdown: string, source: Block['source'], fields: Partial<Block> = {}): Block[] =>
  parseMarkdown(markdown).map((content, index) => ({
    id: `${source}.${index}`,
    rows: [index, index],
    provisional: false,
    missing: false,
    source,
    ...content,
    ...(fields as object),
  }))
const shown = (...markdown: string[]) =>
  markdown.flatMap((text, index) => blocks(text, 'screen').map(block => ({ ...block, id: `s${index}` })))
const reported = (...markdown: string[]): ReportedText[] =>
  markdown.map((text, index) => ({ id: `m${index}`, t: index, blocks: blocks(text, 'transcript') }))
const tool = (summary: string): Block => ({
  id: summary,
  rows: [0, 0],
  provisional: false,
  missing: false,
  source: 'screen',
  kind: 'tool_call',
  tool: { name: 'Run', kind: 'shell', summary, command: summary },
})
const final = (screen: Block[], records: ReportedText[]) => reconcileReported(screen, records, { isFinal: true })

describe('text that the transcript reports', () => {
  test('replaces the text of the screen and adds its formatting', () => {
    const result = final(shown('Read the docs first'), reported('Read the **docs** first'))
    expect(renderMarkdown(result.blocks)).toBe('Read the **docs** first')
    expect(result.isConfirmed).toBe(true)
    expect(result.blocks[0]!.id).toBe('s0')
  })

  test('is matched although the screen split it differently', () => {
    const screen = shown('One two three. Four five six.', 'seven eight', 'nine ten')
    const result = final(screen, reported('One two three.\n\nFour five six.\n\n- seven eight\n- nine ten'))
    expect(result.blocks.map(block => block.kind)).toEqual(['prose', 'prose', 'list'])
    expect(result.isConfirmed).toBe(true)
  })

  test('replaces the parts that the screen showed before and after the rows that it skipped', () => {
    const items = Array.from({ length: 40 }, (_, at) => `${at + 1}. Item ${at + 1} of the list`)
    const screen = shown([...items.slice(0, 8), ...items.slice(-8)].join('\n'))
    expect(renderMarkdown(final(screen, reported(items.join('\n'))).blocks)).toBe(items.join('\n'))
  })

  test('replaces a beginning that was read in the middle of a word', () => {
    const result = final(shown('Answer 20 i'), reported('Answer 20 is about something else.'))
    expect(renderMarkdown(result.blocks)).toBe('Answer 20 is about something else.')
    expect(result.isConfirmed).toBe(true)
  })

  test('removes the rest of a prompt that is taller than the screen above it', () => {
    const screen = shown('row 38 row 39 of my prompt', 'The answer has six words here.')
    const records = reported('The answer has six words here.')
    const prompt = 'row 1\nrow 2\n\nrow 38\nrow 39 of my prompt'
    const result = reconcileReported(screen, records, { isFinal: true, prompt })
    expect(renderMarkdown(result.blocks)).toBe('The answer has six words here.')
  })

  test('removes only text that is in the prompt, whose record may be late or missing', () => {
    const records = reported('Then I found the file')
    const read = (screen: readonly Block[]) =>
      renderMarkdown(reconcileReported(screen, records, { isFinal: true, prompt: 'find it' }).blocks)
    for (const above of ['First I look around', 'You asked: find it'])
      expect(read(shown(above, 'Then I found the file'))).toContain(above)
    expect(read([...shown('find it'), tool('ls'), ...shown('Then I found the file')])).toContain('find it')
  })

  test('keeps its position between tools', () => {
    const screen = [...shown('First I look around'), tool('ls'), ...shown('Then I found the file')]
    const result = final(screen, reported('First I `look` around', 'Then I *found* the file'))
    expect(renderMarkdown(result.blocks)).toBe('First I `look` around\n\n**Run** `ls`\n\nThen I *found* the file')
  })

  test('occurs three times if it was reported three times', () => {
    const result = final(shown('ok', 'ok', 'ok'), reported('ok', 'ok', 'ok'))
    expect(renderMarkdown(result.blocks)).toBe('ok\n\nok\n\nok')
    expect(result.found.size).toBe(3)
  })

  test('replaces the part that the screen has', () => {
    const [half] = shown('This is a long answer of which')
    const result = reconcileReported(
      [{ ...half!, provisional: true }],
      reported('This is a long answer of which more comes'),
      {
        isFinal: false,
      },
    )
    expect(renderMarkdown(result.blocks)).toBe('This is a long answer of which more comes')
  })

  test('is inserted at the end of the turn if the screen never showed it', () => {
    const screen = shown('The end of it all')
    const records = reported('The beginning which scrolled away', 'The end of it all')
    expect(reconcileReported(screen, records, { isFinal: false }).blocks).toHaveLength(1)
    expect(renderMarkdown(final(screen, records).blocks)).toBe('The beginning which scrolled away\n\nThe end of it all')
  })

  test('replaces passages of it if the screen skipped the rest', () => {
    const list = (first: number, last: number) =>
      Array.from({ length: last - first + 1 }, (_, at) => `${first + at}. Item ${first + at} of it`).join('\n')
    const screen = [...shown(list(1, 4)), ...shown(list(50, 60)), tool('ls'), ...shown('That was it then')]
    const result = final(screen, reported(list(1, 100), 'That was it then'))
    expect(renderMarkdown(result.blocks)).toBe(`${list(1, 100)}\n\n**Run** \`ls\`\n\nThat was it then`)
    expect(result.isConfirmed).toBe(true)
  })

  test('does not change other text', () => {
    const result = final(shown('A notice of the program itself'), reported('Something else entirely different'))
    expect(result.isConfirmed).toBe(false)
    expect(result.blocks).toHaveLength(2)
  })
})

test('no text is lost or doubled, however the screen splits an answer', () => {
  const word = fc.integer({ min: 0, max: 400 }).map(number => `w${number}`)
  const paragraph = fc.array(word, { minLength: 5, maxLength: 12 }).map(words => words.join(' '))
  fc.assert(
    fc.property(
      fc.array(paragraph, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 6 }),
      (paragraphs, cuts) => {
        const words = paragraphs.join(' ').split(' ')
        const size = Math.ceil(words.length / cuts)
        const screen = shown(
          ...Array.from({ length: cuts }, (_, at) => words.slice(at * size, (at + 1) * size).join(' ')).filter(Boolean),
        )
        const result = final(screen, reported(paragraphs.join('\n\n')))
        expect(renderMarkdown(result.blocks)).toBe(paragraphs.join('\n\n'))
      },
    ),
  )
})
