import { expect, it } from 'vitest'
import { type Look, PaneScreen } from '../../panes/index.js'
import { parsePack } from '../../screen/index.js'
import { Conversation } from './conversation.js'
import { IdleOutput } from './turn-actions.js'

const PACK = parsePack(
  `pack = 1
agent = "test"
terminator = "none"
text = { indent = 2, width = "cols" }
region = [{ name = "composer", kind = "box", top = '^─{5,}$', body = '^▷', bottom = '^─{5,}$' }]
blocks = [
  { kind = "user", first = '^▷ \\S', more = '^  \\S', strip = 2, tight = true },
  { kind = "prose", first = '^◆ ', more = '^  ', strip = 2 },
]
`,
  'test.toml',
)
const BOX = ['──────────', '▷ ', '──────────']
const ASKED = ['▷ tell me', '', '◆ It is done.']

/** An idle session: its first turn is closed. Rows that are painted later are idle output. */
function rest() {
  const screen = new PaneScreen(PACK, { cols: 60, rows: 14 })
  const conversation = new Conversation('s', PACK, screen)
  const output = new IdleOutput(conversation)
  const turns: (string | null)[] = []
  let t = 0
  const paint = (transcript: readonly string[], at: number): Look => {
    t = at
    const content = `\u001b[H\u001b[2J${[...transcript, '', ...BOX].join('\r\n')}`
    const outputs = [...screen.feed(new TextEncoder().encode(content), t, { live: false }), ...screen.tick(t + 0.1)]
    for (const output of outputs) if (output.type === 'look') conversation.observe(output.look)
    return screen.last!
  }
  const look = (at: number) =>
    output.check({ ...screen.last!, t: at }, seen => turns.push(conversation.beginTurn(seen)))
  const first = paint(ASKED, 1)
  conversation.beginTurn(first)
  conversation.openMessage()
  conversation.extract(first, { isOpen: false })
  conversation.closeMessage(first)
  conversation.closeTurn()
  return { paint, look, output, conversation, turns }
}

it('idle output is not reported without new rows', () => {
  const { look, output } = rest()
  expect(look(2)).toBeNull()
  expect(output.dueAt).toBeNull()
})

it('idle output is reported after it has stayed for a second', () => {
  const { paint, look, output } = rest()
  paint([...ASKED, '', '◆ The build in the background has ended.'], 3)
  expect(look(3)).toBe('pending')
  expect(output.dueAt).toBe(4)
  expect(look(3.9)).toBe('pending')
  expect(look(4)).toBe('due')
})

it('idle output is reported at its due time, whatever the rounding of the sum', () => {
  // 15.084337 + 1 - 15.084337 is less than 1 in floating point: without tolerance it is never due.
  const { paint, look, output } = rest()
  paint([...ASKED, '', '◆ The build in the background has ended.'], 15.084337)
  expect(look(15.084337)).toBe('pending')
  expect(look(output.dueAt!)).toBe('due')
})

it('a hint that another hint replaces is not reported', () => {
  const { paint, look } = rest()
  paint([...ASKED, '', '◆ A tip for you.'], 3)
  expect(look(3)).toBe('pending')
  paint([...ASKED, '', '◆ Another tip.'], 3.8)
  expect(look(3.8)).toBe('pending')
  expect(look(4.5)).toBe('pending')
  expect(look(4.8)).toBe('due')
})

it('the answer to a prompt without a turn is reported at once and opens its turn', () => {
  const { paint, look, turns } = rest()
  paint([...ASKED, '', '▷ and now?', '', '◆ Nothing more.'], 3)
  expect(look(3)).toBe('due')
  expect(turns).toEqual(['s.2'])
})

it('idle output of fewer than three characters is not reported', () => {
  const { paint, look } = rest()
  paint([...ASKED, '', '◆ ·'], 3)
  expect(look(3)).toBeNull()
  expect(look(9)).toBeNull()
})

it('rows above a completion list or a question are not read as idle output', () => {
  const { paint, look, output } = rest()
  const seen = paint([...ASKED, '', '◆ Something came.'], 3)
  const asking: Look = { ...seen, observation: { ...seen.observation, awaiting: 'exit_confirm' } }
  expect(output.check(asking, () => undefined)).toBeNull()
  expect(look(3)).toBe('pending')
})
