import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadPack } from '../agents/index.js'
import { type Look, PaneScreen } from '../panes/index.js'
import { type Block, type Pack, renderMarkdown } from '../screen/index.js'
import { Conversation } from './conversation.js'

const BOX = ['────────────────', '▷ ', '────────────────']
const WORKING = '◜ Thinking… 3s · 120 tokens'
const MENU = ['━'.repeat(60), '  Run a command', '  $ npm test', '  May I run this?', ' ❯ 1. Yes', '   2. No']

let pack: Pack
let screen: PaneScreen
let t: number

beforeAll(async () => {
  pack = await loadPack('demo', null)
})

beforeEach(() => {
  screen = new PaneScreen(pack, { cols: 60, rows: 24 })
  t = 0
})

/** Draws rows from the top of the screen and looks at it. */
function look(...rows: string[]): Look {
  t += 1
  screen.feed(Buffer.from(`\u001b[H\u001b[J${rows.join('\r\n')}`), t, { live: false })
  screen.tick(t + 0.5)
  return screen.last!
}

/** Lets rows scroll by as the agent goes on below them. */
function print(...rows: string[]): Look {
  t += 1
  screen.feed(Buffer.from(`\r\n${rows.join('\r\n')}`), t, { live: false })
  screen.tick(t + 0.5)
  return screen.last!
}

const conversation = (state?: Conversation['state']) => new Conversation('ses_1', pack, screen, state)
const textOf = (blocks: readonly Block[]) => renderMarkdown(blocks).trim()

describe('a turn', () => {
  test('begins below the newest echo, once for each echo, under a name that counts', () => {
    const talk = conversation()
    expect(talk.turn).toBeNull()
    const first = look('▷ fix it', '', WORKING, ...BOX)
    expect(talk.markTurn(first)).toBe('ses_1.1')
    expect(talk.markTurn(first)).toBeNull()
    talk.closeTurn()
    expect(talk.turn).toBeNull()
    expect(talk.markTurn(first)).toBeNull()
    const second = look('▷ fix it', '', '◆ Done.', '◈ Finished in 3s', '', '▷ and now?', '', WORKING, ...BOX)
    expect(talk.markTurn(second)).toBe('ses_1.2')
  })

  test('whose echo has scrolled out of sight is still that turn', () => {
    const talk = conversation()
    talk.markTurn(look('▷ count', '', WORKING, ...BOX))
    const later = print(...Array.from({ length: 40 }, (_, n) => `◆ line ${n}`), '', WORKING, ...BOX)
    expect(later.layout.blocks.some(block => block.kind === 'user')).toBe(false)
    expect(talk.markTurn(later)).toBeNull()
    expect(talk.turn).toBe('ses_1.1')
  })

  test('that the agent begins by itself has no echo, and begins behind what was said before', () => {
    const talk = conversation()
    const before = look('▷ fix it', '', '◆ Done.', '◈ Finished in 3s', ...BOX)
    talk.markTurn(before)
    talk.openMessage()
    talk.extract(before, { isOpen: false })
    talk.closeMessage()
    talk.closeTurn()
    const alone = conversation({ ...talk.state, echoId: 99_999 })
    const own = look('', '', '', '', '◆ I woke up.', '', WORKING, ...BOX)
    expect(alone.markTurn(own)).toBe('ses_1.2')
  })
})

describe('a message', () => {
  test('covers what was said since the turn began, without echo, working row and box', () => {
    const talk = conversation()
    const now = look('▷ fix it', '', '◆ First answer.', '', '◆ Second answer.', '', WORKING, ...BOX)
    talk.markTurn(now)
    expect(talk.message).toBeNull()
    talk.openMessage()
    talk.openMessage()
    expect(talk.message).toBe('ses_1.1.1')
    const blocks = talk.extract(now, { isOpen: false })
    expect(textOf(blocks)).toBe('First answer.\n\nSecond answer.')
    expect(talk.blocks).toEqual(blocks)
    expect(blocks.map(block => block.id)).toEqual([...new Set(blocks.map(block => block.id))])
  })

  test('that is closed keeps its rows: the next one begins behind them', () => {
    const talk = conversation()
    const first = look('▷ fix it', '', '◆ First answer.', '', WORKING, ...BOX)
    talk.markTurn(first)
    talk.openMessage()
    talk.extract(first, { isOpen: false })
    const closed = talk.closeMessage()
    expect(closed).toMatchObject({ message: 'ses_1.1.1' })
    expect(textOf(closed!.blocks)).toBe('First answer.')
    expect(talk.blocks).toEqual([])
    const second = look('▷ fix it', '', '◆ First answer.', '', '◆ Second answer.', '', WORKING, ...BOX)
    talk.openMessage()
    expect(talk.message).toBe('ses_1.1.2')
    expect(textOf(talk.extract(second, { isOpen: false }))).toBe('Second answer.')
  })

  test('with the same words as one before is not swallowed: "ok" three times is three times ok', () => {
    const talk = conversation()
    const now = look('▷ fix it', '', '◆ ok', '', '◆ ok', '', '◆ ok', '', WORKING, ...BOX)
    talk.markTurn(now)
    talk.openMessage()
    expect(textOf(talk.extract(now, { isOpen: false }))).toBe('ok\n\nok\n\nok')
  })

  test('without content is none', () => {
    const talk = conversation()
    const now = look('▷ fix it', '', WORKING, ...BOX)
    talk.markTurn(now)
    talk.openMessage()
    talk.extract(now, { isOpen: false })
    expect(talk.closeMessage()).toBeNull()
  })

  test('that ends in a question leaves the call it asks about to the message after the answer', () => {
    const talk = conversation()
    const asking = look('▷ fix it', '', '◆ I will run the tests.', '', '◇ Bash(npm test)', '', ...MENU)
    talk.markTurn(asking)
    talk.openMessage()
    const before = talk.extract(asking, { isOpen: false, isAsking: true })
    expect(before.map(block => block.kind)).toEqual(['prose'])
    talk.closeMessage()
    const after = look(
      '▷ fix it',
      '',
      '◆ I will run the tests.',
      '',
      '◇ Bash(npm test)',
      '  ┆ 12 passed',
      '',
      '◆ All pass.',
      '◈ Finished in 9s',
      ...BOX,
    )
    talk.openMessage()
    expect(talk.extract(after, { isOpen: false }).map(block => block.kind)).toEqual([
      'tool_call',
      'tool_result',
      'prose',
    ])
  })
})

test('whoever goes on from the state gives the same names to the same things', () => {
  const talk = conversation()
  const first = look('▷ fix it', '', '◆ First answer.', '', WORKING, ...BOX)
  talk.markTurn(first)
  talk.openMessage()
  talk.extract(first, { isOpen: false })
  talk.closeMessage()
  const again = conversation(JSON.parse(JSON.stringify(talk.state)))
  const second = look('▷ fix it', '', '◆ First answer.', '', '◆ Second answer.', '', WORKING, ...BOX)
  for (const each of [talk, again]) {
    expect(each.markTurn(second)).toBeNull()
    each.openMessage()
    each.extract(second, { isOpen: false })
  }
  expect(again.message).toBe('ses_1.1.2')
  expect(again.message).toBe(talk.message)
  expect(again.blocks).toEqual(talk.blocks)
  expect(again.state).toEqual(talk.state)
})
