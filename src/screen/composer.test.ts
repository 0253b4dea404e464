import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { countPasteMarks, readComposer } from './composer.js'
import { screenRows } from './screen-row.js'

/** The box of three rows that this text draws; the cursor is where the text leaves it. */
function boxOf(text: string): ReturnType<typeof readComposer> {
  const emulator = new TerminalEmulator({ cols: 40, rows: 3 })
  const edge = '─'.repeat(40)
  emulator.feed(new TextEncoder().encode(`${edge}\r\n\r\n${edge}\u001b[2;1H${text}`), 0, { live: false })
  const [event] = emulator.endFrame(1).filter(found => found.type === 'frame')
  const frame = event!.frame
  return readComposer(
    screenRows(frame, { hasScrollbar: false }),
    { name: 'composer', first: 0, last: 2 },
    { cursor: frame.cursor },
  )
}

describe('a placeholder', () => {
  it('is recognised in any colour if the cursor is before it', () => {
    for (const colour of ['38;2;98;114;164', '38;2;160;160;160', '35', '2'])
      expect(boxOf(`❯ \u001b[${colour}mAsk anything\u001b[m\u001b[2;3H`)).toMatchObject({
        empty: true,
        placeholder: 'Ask anything',
      })
  })

  it('is not confused with typed text in any colour', () => {
    for (const colour of ['38;2;160;160;160', '90', '38;2;98;114;164'])
      expect(boxOf(`❯ \u001b[${colour}mfix the test\u001b[m`)).toMatchObject({ empty: false, draft: 'fix the test' })
  })

  it('may complete the typed text', () => {
    expect(boxOf('❯ /mod\u001b[2mel\u001b[m\u001b[2;7H')).toMatchObject({ draft: '/mod' })
  })

  it('is not assumed for text in the terminal’s own colour, even with the cursor at its start', () => {
    expect(boxOf('❯ fix the test\u001b[2;3H')).toMatchObject({ draft: 'fix the test' })
  })
})

it('a keyboard sign belongs to the draft, other signs are the prompt of the box', () => {
  for (const draft of ['? what is this', '- an item', '+ 1', '~ about']) expect(boxOf(draft)).toMatchObject({ draft })
  for (const sign of ['❯', '›', '▷', '>', '*']) expect(boxOf(`${sign} text`)).toMatchObject({ draft: 'text' })
})

it('pasted text that an agent folds is counted in any wording', () => {
  for (const mark of [
    '[Pasted text #1 +40 lines]',
    '[Pasted ~4 lines]',
    '[Paste #1 - 40 lines]',
    '[line 1 of… Pasted +40 lines]',
    '[paste #1 2471 chars]',
    '[Pasted Content 2471 chars]',
    '[line 1 of a long one… Pasted',
  ])
    expect(countPasteMarks(`see ${mark}`), mark).toBe(1)
  expect(countPasteMarks('paste this [here]')).toBe(0)
})
