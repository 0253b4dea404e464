import { describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { PaneScreen } from '../../panes/index.js'
import { type Pack, parsePack } from '../../screen/index.js'
import { knownTurns } from '../conversation/read-conversation.js'
import { JoinedConversation } from './joined-conversation.js'

const PACK: Pack = parsePack(
  `pack = 1
agent = "test"
terminator = "required"
text = { indent = 2, width = "cols" }
region = [{ name = "composer", kind = "box", top = '^─{5,}$', body = '^▷', bottom = '^─{5,}$' }]
blocks = [
  { kind = "user", first = '^▷ \\S', more = '^  \\S', strip = 2, tight = true },
  { kind = "tool_call", first = '^◇ ', strip = 2 },
  { kind = "prose", first = '^◆ ', more = '^  ', strip = 2 },
]
terminators = [{ line = '^◈ Finished', outcome = "done" }]

[[rule]]
id = "working"
view = "thinking"
priority = 600
region = "status"
line = '^✳ (?<label>.+?)…'
busy = true
confidence = 0.95
`,
  'test.toml',
)

const BOX = ['', '──────────', '▷ ', '──────────']
const BUSY = ['', '✳ Working…', ...BOX]
const GREETING = ['Test agent 1.0', '']
const turn = (prompt: string, ...answer: string[]) => [`▷ ${prompt}`, '', ...answer.map(line => `◆ ${line}`), '']
const DONE = '◈ Finished in 2s'

/** A pane as tmux reports it: first its whole content, then what is printed. */
class Fixture {
  readonly talk: JoinedConversation
  readonly errors: unknown[] = []
  #screen: PaneScreen | null = null
  #t = 0

  constructor() {
    this.talk = new JoinedConversation({
      id: 'pan_x',
      clock: new SimulatedClock(),
      onError: error => this.errors.push(error),
    })
  }

  /** The whole content is captured: rows get new ids. `seconds`: until more is printed. */
  content(lines: readonly string[], { cols = 60, seconds = 5 } = {}): void {
    if (!this.#screen) {
      this.#screen = new PaneScreen(PACK, { cols, rows: 12, scrollback: 500 })
      this.talk.begin(PACK, this.#screen)
    } else {
      this.#screen.reset({ cols, rows: 12, scrollback: 500 })
      this.talk.resync()
    }
    this.print(lines.join('\r\n'), seconds)
  }

  /** Removes the live part and prints more above it. */
  more(before: readonly string[], lines: readonly string[]): void {
    this.print(`\u001b[${before.length - 1}A\r\u001b[J${lines.join('\r\n')}`)
  }

  print(text: string, seconds = 5): void {
    this.#see(this.#screen!.feed(new TextEncoder().encode(text), this.#t, { live: false }))
    for (const after of [0.1, 0.7, 1, 2, 4].filter(after => after < seconds)) {
      this.#see(this.#screen!.tick(this.#t + after))
      this.talk.tick(this.#t + after)
    }
    this.#t += seconds
  }

  async messages() {
    await this.talk.untilRead(0)
    expect(this.errors).toEqual([])
    return this.talk.messages.map(({ turn: name, markdown, blocks, provisional, joinedLate }) => ({
      turn: name,
      text:
        markdown ?? blocks.map(block => ('runs' in block ? block.runs.map(run => run.text).join('') : '')).join('\n'),
      ...(provisional && { provisional }),
      ...(joinedLate && { joinedLate }),
    }))
  }

  get asked() {
    return this.talk.prompts.map(({ turn: name, text }) => [name, text])
  }

  #see(outputs: ReturnType<PaneScreen['feed']>): void {
    for (const output of outputs) if (output.type === 'look') this.talk.observe(output.look)
  }
}

describe('a joined conversation', () => {
  it('reads closed turns from the screen and the scrollback', async () => {
    const fixture = new Fixture()
    const long = Array.from({ length: 20 }, (_, index) => `point ${index + 1}`)
    fixture.content([...GREETING, ...turn('first', ...long), DONE, '', ...turn('second', 'Two.'), DONE, ...BOX])
    const messages = await fixture.messages()
    expect(messages.map(message => message.turn)).toEqual(['pan_x.1', 'pan_x.2'])
    expect(messages[0]!.text.split(/\s*\n\s*/)).toEqual(long)
    expect(messages[1]).toEqual({ turn: 'pan_x.2', text: 'Two.' })
    expect(fixture.asked).toEqual([
      ['pan_x.1', 'first'],
      ['pan_x.2', 'second'],
    ])
  })

  it('does not read a greeting as an answer', async () => {
    const fixture = new Fixture()
    fixture.content([...GREETING, 'Type to begin.', ...BOX])
    expect(await fixture.messages()).toEqual([])
    fixture.more(BOX, [...turn('hello', 'Hi.'), ...BUSY])
    expect(fixture.asked).toEqual([['pan_x.1', 'hello']])
    fixture.more(BUSY, [DONE, ...BOX])
    expect(await fixture.messages()).toEqual([{ turn: 'pan_x.1', text: 'Hi.' }])
  })

  it('marks the turn that was in progress and follows it to its end', async () => {
    const fixture = new Fixture()
    fixture.content([...GREETING, ...turn('old', 'Done long ago.'), DONE, '', ...turn('new', 'So far.', 'A'), ...BUSY])
    const late = { turn: 'pan_x.2', joinedLate: true }
    // The last row is held back while it may grow.
    expect((await fixture.messages()).at(-1)).toEqual({ ...late, text: 'So far.', provisional: true })
    fixture.more(BUSY, ['◆ And the rest.', '', DONE, ...BOX])
    expect(await fixture.messages()).toEqual([
      { turn: 'pan_x.1', text: 'Done long ago.' },
      { ...late, text: 'So far.\n\nA\n\nAnd the rest.' },
    ])
    fixture.more(BOX, ['', ...turn('third', 'Three.'), DONE, ...BOX])
    expect((await fixture.messages()).at(-1)).toEqual({ turn: 'pan_x.3', text: 'Three.' })
  })

  it('continues after a resync without repeating a message', async () => {
    const fixture = new Fixture()
    const first = [...GREETING, ...turn('one', 'One.'), DONE, '']
    fixture.content([...first, ...turn('two', 'Two, begun.'), ...BUSY])
    fixture.content(
      [...first, ...turn('two', 'Two, begun.', 'Two, ended.'), DONE, '', ...turn('three', 'Three.'), DONE, ...BOX],
      {
        cols: 50,
      },
    )
    expect((await fixture.messages()).map(({ turn: name, text }) => [name, text])).toEqual([
      ['pan_x.1', 'One.'],
      ['pan_x.2', 'Two, begun.\n\nTwo, ended.'],
      ['pan_x.3', 'Three.'],
    ])
    fixture.content([...turn('three', 'Three.'), DONE, ...BOX], { cols: 55 })
    expect(await fixture.messages()).toHaveLength(3)
  })

  it.each([0.2, 0.8, 1.2, 5])('is read from the rows that a program draws %f s after a resize', async seconds => {
    const fixture = new Fixture()
    const rows = [...GREETING, ...turn('one', 'One.'), DONE, '', '▷ two', '', '◆ • one', '  • two', '']
    fixture.content([...rows, ...BUSY])
    // The rows that the resize broke: what was the input box covers a part of the answer.
    const broken = ['▷ one', '', '', '◆ One.', '', DONE, '', '▷ two', '', '', '◆ • one', '──────────', '────']
    fixture.content([...broken, '▷ ', '──────────', '────'], { cols: 40, seconds })
    fixture.print(`\u001b[H\u001b[2J\u001b[3J${[...rows, DONE, ...BOX].join('\r\n')}`)
    expect((await fixture.messages()).map(({ turn: name, text }) => [name, text])).toEqual([
      ['pan_x.1', 'One.'],
      ['pan_x.2', '- one\n- two'],
    ])
    fixture.more(BOX, ['', ...turn('three', 'Three.'), DONE, ...BOX])
    expect((await fixture.messages()).map(message => message.turn)).toEqual(['pan_x.1', 'pan_x.2', 'pan_x.3'])
  })

  it('keeps the open message when the agent exits', async () => {
    const fixture = new Fixture()
    fixture.content([...GREETING, ...turn('one', 'Half of it'), ...BUSY])
    fixture.talk.agentLeft()
    const [message] = await fixture.messages()
    expect(message).toMatchObject({ turn: 'pan_x.1', text: expect.stringContaining('Half of it') })
    expect(message!.provisional).toBeUndefined()
  })
})

describe('knownTurns', () => {
  it('finds the newest known prompt with as many predecessors as possible', () => {
    expect(knownTurns([], ['a', 'b'])).toBe(0)
    expect(knownTurns(['a', 'b'], ['a', 'b', 'c'])).toBe(2)
    expect(knownTurns(['a', 'b'], ['b', 'c'])).toBe(1)
    expect(knownTurns(['a', 'go', 'go'], ['a', 'go', 'go', 'x', 'go'])).toBe(3)
    expect(knownTurns(['a', 'b'], ['x', 'y'])).toBe(0)
  })
})
