import { expect, test } from 'vitest'
import { DEFAULT_STYLE, type Span } from '../../terminal/index.js'
import { inlineRuns } from './inline.js'

const BLUE: Span['fg'] = '#79b8ff'
const BODY = { fg: null, bg: null, code: BLUE }
const URL = 'https://example.invalid/docs'

/** Adjacent spans in these styles. */
function spans(...parts: (Partial<Span> & { text: string })[]): Span[] {
  let x = 0
  return parts.map(part => {
    const span = {
      x,
      width: part.text.length,
      ...DEFAULT_STYLE,
      ...part,
    }
    x += span.width
    return span
  })
}

const LINKED = [{ text: 'See the ' }, { text: 'docs', link: URL }, { text: ' for more.' }]

test('words and an address in the colour of code are a link', () => {
  const [words, address] = [
    { text: 'docs (', fg: BLUE },
    { text: `${URL})`, fg: BLUE },
  ]
  expect(inlineRuns(spans({ text: 'See the ' }, words, address, { text: ' for more.' }), BODY)).toEqual(LINKED)
})

test('an address that is itself a link belongs to the underlined words before it', () => {
  const style = { fg: BLUE, underline: true }
  const parts = [
    { text: 'docs', ...style },
    { text: ' ' },
    { text: '(', ...style },
    { text: URL, ...style, link: URL },
    { text: ')', ...style },
  ]
  expect(inlineRuns(spans({ text: 'See the ' }, ...parts, { text: ' for more.' }), BODY)).toEqual(LINKED)
})

test('code before a remark in brackets stays code', () => {
  const parts = [{ text: 'run', fg: BLUE }, { text: ' (twice)' }]
  expect(inlineRuns(spans(...parts), BODY)).toEqual([{ text: 'run', code: true }, { text: ' (twice)' }])
})
