import { describe, expect, it } from 'vitest'
import { PaneScreen } from '../../panes/index.js'
import { type Pack, parsePack, renderMarkdown } from '../../screen/index.js'
import type { Row } from '../../terminal/index.js'
import { Conversation } from './conversation.js'

const PACK: Pack = parsePack(
  `pack = 1
agent = "test"
terminator = "required"
text = { indent = 2, width = "cols" }
region = [{ name = "composer", kind = "box", top = '^─{5,}$', body = '^▷', bottom = '^─{5,}$' }]
blocks = [
  { kind = "user", first = '^▷ \\S', more = '^  \\S', strip = 2, tight = true },
  { kind = "prose", first = '^◆ ', more = '^  ', strip = 2 },
]
terminators = [{ line = '^◈ Finished', outcome = "done" }]
`,
  'test.toml',
)
const BOX = '──────────\r\n▷ \r\n──────────'
const stepText = (step: number) => `Step ${step} is done and the next one follows.`

/** A turn that prints steps into the scrollback; the input box is redrawn below them. */
class LongTurn {
  readonly screen = new PaneScreen(PACK, { cols: 80, rows: 24 })
  readonly parts: { message: string; markdown: string }[] = []
  readonly conversation: Conversation
  rowsRead = 0
  #t = 0

  constructor() {
    const source = {
      readRows: (first: number, last: number): Row[] => {
        const rows = this.screen.readRows(first, last)
        this.rowsRead += rows.length
        return rows
      },
    }
    this.conversation = new Conversation('s', PACK, source)
    this.#print(`▷ work\r\n\r\n${BOX}`)
    this.conversation.beginTurn(this.screen.last!)
    this.conversation.openMessage()
  }

  step(text: string): void {
    this.#print(`\u001b[2A\r\u001b[J◆ ${text}\r\n\r\n${BOX}`)
  }

  read(isOpen = true): void {
    const look = this.screen.last!
    this.conversation.extract(look, { isOpen, isEnd: !isOpen })
    for (let part = this.conversation.closePart(look); part; part = this.conversation.closePart(look)) {
      this.#add(part)
      this.conversation.extract(look, { isOpen, isEnd: !isOpen })
    }
  }

  end(): void {
    this.read(false)
    this.#add(this.conversation.closeMessage(this.screen.last!)!)
  }

  #add({ message, blocks }: { message: string; blocks: Parameters<typeof renderMarkdown>[0] }): void {
    this.parts.push({ message, markdown: renderMarkdown(blocks) })
  }

  #print(text: string): void {
    this.#t += 1
    const outputs = this.screen.feed(new TextEncoder().encode(text), this.#t, { live: false })
    for (const output of [...outputs, ...this.screen.tick(this.#t + 0.5)])
      if (output.type === 'look') this.conversation.observe(output.look)
  }
}

function play(steps: number, isReadAfter: (step: number) => boolean): LongTurn {
  const turn = new LongTurn()
  for (let step = 1; step <= steps; step++) {
    turn.step(stepText(step))
    if (isReadAfter(step)) turn.read()
  }
  turn.end()
  return turn
}

describe('a long message', () => {
  it('is closed in parts that contain every step once, in order', () => {
    const { parts } = play(130, () => true)
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.map(({ message }) => message)).toEqual(parts.map((_, index) => `s.1.${index + 1}`))
    const all = parts.map(({ markdown }) => markdown.trim()).join('\n\n')
    expect(all).toBe(Array.from({ length: 130 }, (_, index) => stepText(index + 1)).join('\n\n'))
  })

  it('is divided at the same places whenever it is read again', () => {
    const { parts } = play(130, () => true)
    expect(play(130, step => step % 37 === 0).parts).toEqual(parts)
    expect(play(130, () => false).parts).toEqual(parts)
  })

  it('costs the same number of rows at step 300 as at step 100', () => {
    const turn = new LongTurn()
    const costOf = (from: number, to: number): number => {
      const before = turn.rowsRead
      for (let step = from; step <= to; step++) {
        turn.step(stepText(step))
        turn.read()
      }
      return turn.rowsRead - before
    }
    costOf(1, 49)
    const early = costOf(50, 99)
    costOf(100, 249)
    expect(costOf(250, 299)).toBeLessThanOrEqual(early * 1.2)
  })

  it('is not divided inside a text', () => {
    const turn = new LongTurn()
    turn.step(`It begins.\r\n${Array.from({ length: 300 }, (_, index) => `  line ${index}`).join('\r\n')}`)
    turn.step('Another one.')
    turn.end()
    expect(turn.parts.map(({ markdown }) => markdown.includes('line 299'))).toEqual([true])
  })
})
