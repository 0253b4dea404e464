import { describe, expect, test } from 'vitest'
import { meaningOf } from './menu.js'
import { readHead } from './menu-head.js'
import { toMenuRow } from './menu-rows.js'

const headOf = (lines: readonly string[]) => {
  const rows = lines.map((text, index) =>
    toMenuRow({
      index,
      id: index,
      text,
      indent: text.search(/\S/u),
      wrapped: false,
      width: text.length,
      spans: [],
      isDrawn: false,
      isBand: false,
      page: null,
      contrast: 0,
    }),
  )
  return readHead(rows, rows.length - 1, () => 0)
}
const RULE = '─'.repeat(60)

describe('the text above the options', () => {
  test.each([
    ['⋮ 23 more rows'],
    ['… +12 lines'],
    ['... first 51 lines hidden (Ctrl+O to show) ...'],
    ['... 4 hidden (Ctrl+O) ...'],
    ['… 40 more lines'],
    ['[… 68 lines] ^a view all'],
    ['(press Ctrl+O to expand MCP tool details)'],
  ])('is cut by "%s"', row => {
    expect(headOf([RULE, ' Run a command', `   ${row}`, ' May I?', ' 1. Yes']).isCut).toBe(true)
  })

  test('is not cut by a count or an ellipsis inside its words', () => {
    const words = [RULE, ' Run a command', '   $ wc -l; echo 3 lines…', ' May I?', ' 1. Yes']
    expect(headOf(words)).toMatchObject({ isCut: false, reachesTop: false })
  })

  test('is cut by an ellipsis at the edge of its box, and not by an earlier one', () => {
    const boxed = (line: string) => headOf([`╭${RULE}╮`, `│ ${line.padEnd(58)} │`, '│ May I?', '│ 1. Yes'])
    expect(boxed(`release {"environment":"production","${'x'.repeat(20)}…`).isCut).toBe(true)
    expect(boxed('echo 3 lines…').isCut).toBe(false)
  })

  test('is cut by a rule inside the command', () => {
    expect(headOf([RULE, ' Run', '   cat <<EOF', `   ${RULE}`, '   EOF', ' May I?', ' 1. Yes']).isCut).toBe(true)
  })

  test('reaches the top of the screen if it has no upper edge', () => {
    expect(headOf(['   echo 58', '   echo 59', ' May I?', ' 1. Yes']).reachesTop).toBe(true)
  })
})

test.each([
  'Yes, and do not ask again for ls',
  'Yes, and don’t ask again for: ls',
  'Yes, always',
  'Allow without asking',
])('"%s" does not mean allow-once, whatever the pack says', label => {
  const spec = { meaning: [{ label: /^(Yes|Allow)/, meaning: 'allow-once', danger: false }] } as never
  expect(meaningOf(label, spec)).toMatchObject({ meaning: expect.not.stringMatching('allow-once'), danger: true })
  expect(meaningOf(label, null)).toMatchObject({ meaning: 'allow-always' })
})
