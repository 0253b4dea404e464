import { describe, expect, it } from 'vitest'
import { PaneScreen } from '../../panes/index.js'
import { type Block, type Pack, parsePack, renderMarkdown } from '../../screen/index.js'
import { Conversation } from './conversation.js'
import type { ConversationState } from './conversation-state.js'

const SOURCE = `pack = 1
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
`
const PACK: Pack = parsePack(SOURCE, 'test.toml')
/** A prompt may have blank rows. */
const LOOSE: Pack = parsePack(SOURCE.replace(', tight = true', ''), 'test.toml')

const BOX = ['──────────', '▷ ', '──────────']

/** A terminal whose whole frame is redrawn each time, as on the alternate screen. */
class Fixture {
  readonly screen: PaneScreen
  readonly conversation: Conversation
  #t = 0

  constructor({
    cols,
    rows,
    state,
    pack = PACK,
  }: {
    cols: number
    rows: number
    state?: ConversationState
    pack?: Pack
  }) {
    this.screen = new PaneScreen(pack, { cols, rows })
    this.conversation = new Conversation('s', pack, this.screen, state)
  }

  print(text: string): void {
    this.#t += 1
    this.#see(this.screen.feed(new TextEncoder().encode(text), this.#t, { live: false }))
    this.#see(this.screen.tick(this.#t + 0.5))
  }

  /** The last rows of a transcript above the input box. */
  paint(transcript: readonly string[], rows: number): void {
    const shown = [...transcript.slice(-(rows - BOX.length)), ...BOX]
    this.print(`\u001b[?1049h\u001b[H\u001b[2J${shown.join('\r\n')}`)
  }

  resize(cols: number, rows: number): void {
    this.#t += 1
    this.#see(this.screen.resize(cols, rows, this.#t))
  }

  read(options: { isOpen: boolean } = { isOpen: false }): readonly Block[] {
    const look = this.screen.last!
    this.conversation.beginTurn(look)
    return this.conversation.extract(look, options)
  }

  #see(outputs: ReturnType<PaneScreen['feed']>): void {
    for (const output of outputs) if (output.type === 'look') this.conversation.observe(output.look)
  }
}

const markdown = (blocks: readonly Block[]) => renderMarkdown(blocks)
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `  line number ${from + index}`)

describe('a turn on the alternate screen', () => {
  it('keeps rows that scrolled away', () => {
    const fixture = new Fixture({ cols: 80, rows: 10 })
    const transcript = ['▷ tell me', '', '◆ line number 1', ...lines(2, 30), '', '◈ Finished in 2s']
    for (let count = 3; count <= transcript.length; count++) fixture.paint(transcript.slice(0, count), 10)
    expect(markdown(fixture.read())).toBe(
      Array.from({ length: 30 }, (_, index) => `line number ${index + 1}`).join('\n'),
    )
    expect(fixture.read().some(block => block.missing)).toBe(false)
  })

  it('marks a gap when the screen jumped', () => {
    const fixture = new Fixture({ cols: 80, rows: 10 })
    fixture.paint(['▷ tell me', '', '◆ line number 1', ...lines(2, 4)], 10)
    fixture.paint(['▷ tell me', '', '◆ line number 1', ...lines(2, 90), '', '◈ Finished in 2s'], 10)
    expect(fixture.read().some(block => block.missing)).toBe(true)
  })

  it('continues from a snapshot without losing rows', () => {
    const transcript = ['▷ tell me', '', '◆ line number 1', ...lines(2, 30), '', '◈ Finished in 2s']
    const before = new Fixture({ cols: 80, rows: 10 })
    for (let count = 3; count <= 20; count++) before.paint(transcript.slice(0, count), 10)
    before.read({ isOpen: true })
    const after = new Fixture({
      cols: 80,
      rows: 10,
      state: JSON.parse(JSON.stringify(before.conversation.state)) as ConversationState,
    })
    for (let count = 20; count <= transcript.length; count++) after.paint(transcript.slice(0, count), 10)
    expect(markdown(after.read())).toContain('line number 1\nline number 2\n')
  })
})

describe('a message', () => {
  const close = (fixture: Fixture): string => {
    fixture.read()
    fixture.conversation.openMessage()
    return markdown(fixture.conversation.closeMessage()?.blocks ?? [])
  }

  it('is not lost when rows above it fold', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    fixture.paint(['', '▷ go', '', '◇ Think', '  of this', '  and that', '  and more', '', '◆ I run the tests.'], 20)
    expect(close(fixture)).toContain('I run the tests.')
    fixture.paint(['', '▷ go', '', '◇ Thought', '', '◆ I run the tests.', '', '◆ All of them pass.'], 20)
    expect(markdown(fixture.read())).toBe('All of them pass.')
  })

  it('continues with the word at which a request interrupted it', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    fixture.paint(['▷ go', '', '◆ I will switch the greeting t'], 20)
    expect(close(fixture)).toBe('I will switch the greeting t')
    fixture.paint(['▷ go', '', '◆ I will switch the greeting to a template string.'], 20)
    expect(close(fixture)).toBe('to a template string.')
    fixture.paint(['▷ go', '', '◆ I will switch the greeting to a template string.', '', '◆ It is done.'], 20)
    expect(close(fixture)).toBe('It is done.')
  })

  it('is not repeated when the agent continues without a prompt', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    fixture.paint(['▷ go', '', '◆ It runs in the background.'], 20)
    expect(close(fixture)).toBe('It runs in the background.')
    fixture.conversation.closeTurn()
    fixture.paint(['▷ go', '', '◆ It runs in the background.', '', '◆ The build has ended.'], 20)
    expect(markdown(fixture.read())).toBe('The build has ended.')
    expect(fixture.conversation.turn).toBe('s.2')
  })

  it('stays below a prompt that appears after the start of the work', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    fixture.paint(['▷ first', '', '◆ One.'], 20)
    expect(close(fixture)).toBe('One.')
    fixture.conversation.closeTurn()
    fixture.read()
    fixture.paint(['▷ first', '', '◆ One.', '', '▷ second', '', '◆ Two.'], 20)
    expect(markdown(fixture.read())).toBe('Two.')
    expect(fixture.conversation.turn).toBe('s.2')
  })

  it('is read from the rows of the alternate screen after the program has left it', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    fixture.paint(['▷ go', '', '◆ Half of an answer that'], 20)
    fixture.read({ isOpen: true })
    fixture.print('\u001b[?1049lGood-bye.\r\n')
    expect(markdown(fixture.conversation.extract(fixture.screen.last!, { isOpen: false }))).toBe(
      'Half of an answer that',
    )
  })
})

describe('a prompt on the alternate screen', () => {
  it('is one prompt if it contains a blank row, not two', () => {
    const fixture = new Fixture({ cols: 80, rows: 20, pack: LOOSE })
    const { conversation, screen } = fixture
    const rows = ['▷ first', '', '◆ ok', '']
    fixture.paint(rows, 20)
    fixture.read()
    conversation.closeTurn()
    fixture.paint([...rows, '▷ One', ''], 20)
    conversation.beginTurn(screen.last!)
    fixture.paint([...rows, '▷ One', '', '  after a blank row', '', '◆ yes'], 20)
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(markdown(fixture.read())).toBe('yes')
  })
})

describe('a turn in the normal buffer', () => {
  it('starts below its prompt, and a new prompt starts another one', () => {
    const fixture = new Fixture({ cols: 80, rows: 24 })
    fixture.print(`▷ first\r\n\r\n◆ ok\r\n\r\n◈ Finished in 1s\r\n${BOX.join('\r\n')}`)
    expect(markdown(fixture.read())).toBe('ok')
    fixture.print(`\u001b[2A\r\u001b[J▷ second\r\n\r\n◆ ok\r\n\r\n◈ Finished in 1s\r\n${BOX.join('\r\n')}`)
    expect(markdown(fixture.read())).toBe('ok')
    expect(fixture.conversation.turn).toBe('s.2')
  })

  it('stays the same turn when the program clears the screen and prints it again', () => {
    const fixture = new Fixture({ cols: 80, rows: 8 })
    const content = ['▷ only one', '', '◆ line number 1', ...lines(2, 20), '', '◈ Finished in 1s', ...BOX].join('\r\n')
    fixture.print(content)
    const before = markdown(fixture.read())
    fixture.print(`\u001b[H\u001b[2J\u001b[3J${content}`)
    expect(markdown(fixture.read())).toBe(before)
    expect(fixture.conversation.turn).toBe('s.1')
  })

  it('stays the same turn when a menu has pushed its rows up and they are printed again below', () => {
    const fixture = new Fixture({ cols: 80, rows: 12 })
    const said = ['▷ run the tests', '', '◆ I look at the sources.', '', '◆ I run the test suite now.']
    fixture.print(`${said.join('\r\n')}\r\n${BOX.join('\r\n')}`)
    fixture.read()
    fixture.conversation.openMessage()
    expect(markdown(fixture.conversation.closeMessage()!.blocks)).toContain('I run the test suite now.')
    // The upper rows have scrolled out, where no program can change them; the lower ones are
    // overwritten.
    fixture.print(
      `${'\r\n'.repeat(8)}\u001b[H\u001b[J${said.join('\r\n')}\r\n\r\n◆ All of them pass.\r\n${BOX.join('\r\n')}`,
    )
    expect(markdown(fixture.read())).toBe('All of them pass.')
    expect(fixture.conversation.turn).toBe('s.1')
  })

  it('is not repeated when idle output after its end disappears', () => {
    const fixture = new Fixture({ cols: 80, rows: 30 })
    const turn = ['▷ go', '', '◆ It runs in the background.', '', '◈ Finished in 1s']
    fixture.paint(turn, 30)
    fixture.read()
    fixture.conversation.openMessage()
    fixture.conversation.closeMessage()
    fixture.conversation.closeTurn()
    fixture.paint([...turn, '', '◆ Details of the shell', '  Status: running'], 30)
    expect(fixture.conversation.closeIdleOutput(fixture.screen.last!)).not.toBeNull()
    fixture.conversation.closeTurn()
    fixture.paint([...turn, '', '◆ The build has ended.'], 30)
    expect(markdown(fixture.read())).toBe('The build has ended.')
  })

  it('is read once when a resize prints it a second time', () => {
    const fixture = new Fixture({ cols: 80, rows: 30 })
    const content = ['▷ only one', '', '◆ line number 1', ...lines(2, 12), '', '◈ Finished in 1s', ...BOX].join('\r\n')
    fixture.print(content)
    const before = markdown(fixture.read())
    fixture.resize(60, 30)
    fixture.print(`\r\n\r\n${content}`)
    expect(markdown(fixture.read())).toBe(before)
    expect(fixture.conversation.turn).toBe('s.1')
  })
})

describe('a prompt on the normal screen', () => {
  it('is not part of the answer if it was half drawn when it was read', () => {
    const fixture = new Fixture({ cols: 80, rows: 12 })
    fixture.print(['▷ first row', '', ...BOX].join('\r\n'))
    fixture.conversation.beginTurn(fixture.screen.last!)
    fixture.print(
      `\u001b[H\u001b[J${['▷ first row', '  second row', '  third row', '', '◆ the answer', '', ...BOX].join('\r\n')}`,
    )
    expect(markdown(fixture.read())).toBe('the answer')
  })

  it('is not read as a new one while the screen is cleared and printed again', () => {
    const fixture = new Fixture({ cols: 80, rows: 10 })
    const { conversation, screen } = fixture
    const old = ['▷ the first prompt', '', '◆ an old answer', '']
    const answer = (count: number) => ['▷ the second prompt', '', '◆ line number 1', ...lines(2, count), '']
    fixture.print([...old, ...answer(20), ...BOX].join('\r\n'))
    expect(markdown(fixture.read())).toMatch(/^line number 1\n[\s\S]*line number 20$/)
    fixture.print(`\u001b[2J\u001b[3J\u001b[H${old.join('\r\n')}\r\n`)
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(markdown(conversation.extract(screen.last!, { isOpen: true }))).toMatch(
      /^line number 1\n[\s\S]*line number 20$/,
    )
    fixture.print([...answer(25), ...BOX].join('\r\n'))
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(markdown(fixture.read())).toMatch(/^line number 1\n[\s\S]*line number 25$/)
    expect(conversation.turn).toBe('s.1')
  })

  it.each([1, 6])('starts its turn if it is taller than the screen and %d earlier ones are printed again', count => {
    const fixture = new Fixture({ cols: 80, rows: 10 })
    const { conversation, screen } = fixture
    const old = Array.from({ length: count }, (_, at) => [`▷ prompt ${at}`, '', `◆ answer ${at}`, '']).flat()
    fixture.print([...old, ...BOX].join('\r\n'))
    fixture.read()
    conversation.closeTurn()
    // The box with the draft covers the screen: the rows below the last answer are on screen.
    fixture.print(`${'\r\n'.repeat(10)}\u001b[H\u001b[J${BOX.join('\r\n')}`)
    expect(conversation.beginTurn(screen.last!, { isSent: true })).toBe('s.2')
    const prompt = ['▷ row 0', ...Array.from({ length: 12 }, (_, at) => `  row ${at + 1}`)]
    fixture.print(`\u001b[H\u001b[2J\u001b[3J${[...old, ...prompt, '', '◆ the new answer', '', ...BOX].join('\r\n')}`)
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(markdown(conversation.extract(screen.last!, { isOpen: false }))).toBe('the new answer')
    expect(conversation.turn).toBe('s.2')
  })

  it('starts its own turn if it waited in the queue of a command', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    const { conversation, screen } = fixture
    const rows = ['▷ first', '', '◆ ok', '']
    fixture.print([...rows, ...BOX].join('\r\n'))
    fixture.read()
    conversation.closeTurn()
    // The command has no echo.
    expect(conversation.beginTurn(screen.last!, { isSent: true })).toBe('s.2')
    conversation.promptQueued('the next question')
    fixture.print(`\u001b[H\u001b[J${[...rows, '▷ the next question', '', ...BOX].join('\r\n')}`)
    expect(conversation.newEcho(screen.last!)?.text).toBe('▷thenextquestion')
    conversation.closeTurn()
    expect(conversation.beginTurn(screen.last!)).toBe('s.3')
  })

  it('belongs to the turn of the prompt that was sent, also below text that was read before', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    const { conversation, screen } = fixture
    const rows = ['▷ first', '', '◆ ok', '']
    fixture.print([...rows, ...BOX].join('\r\n'))
    fixture.read()
    conversation.closeTurn()
    expect(conversation.beginTurn(screen.last!, { isSent: true })).toBe('s.2')
    conversation.promptSent('One\n\nafter a blank line')
    fixture.print(
      `\u001b[H\u001b[J${[...rows, '◆ late words', '', '▷ One', '  after a blank line', '', ...BOX].join('\r\n')}`,
    )
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(conversation.shownTurn).toBe('s.2')
  })

  it('replaces a row that looked like it while the input box was cleared', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    const { conversation, screen } = fixture
    const rows = ['▷ first', '', '◆ ok', '']
    fixture.print([...rows, ...BOX].join('\r\n'))
    fixture.read()
    conversation.closeTurn()
    conversation.beginTurn(screen.last!, { isSent: true })
    conversation.promptSent('One\n\nafter a blank line')
    fixture.print(`\u001b[H\u001b[J${[...rows, '▷ One', '', ...BOX].join('\r\n')}`)
    fixture.print(
      `\u001b[H\u001b[J${[...rows, '◆ One', '', '▷ One', '  after a blank line', '', '◆ yes', '', ...BOX].join('\r\n')}`,
    )
    expect(conversation.newEcho(screen.last!)).toBeNull()
    expect(markdown(conversation.extract(screen.last!, { isOpen: false }))).toBe('yes')
  })

  it('starts its own turn if it waited in the queue and older prompts were erased', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    const { conversation, screen } = fixture
    fixture.print(['▷ first', '', '◆ ok', '', '▷ second', '', '◆ ok', '', ...BOX].join('\r\n'))
    fixture.read()
    conversation.closeTurn()
    expect(conversation.beginTurn(screen.last!, { isSent: true })).toBe('s.2')
    conversation.promptQueued('the next question')
    fixture.print(`\u001b[H\u001b[J${['▷ the next question', '', '◆ the answer', '', ...BOX].join('\r\n')}`)
    expect(conversation.newEcho(screen.last!)?.text).toBe('▷thenextquestion')
    conversation.closeTurn()
    expect(markdown(fixture.read())).toBe('the answer')
    expect(conversation.turn).toBe('s.3')
  })

  it('is not read as the input box while the screen is cleared and printed again', () => {
    const fixture = new Fixture({ cols: 80, rows: 10 })
    const { conversation, screen } = fixture
    // The prompts of this program are drawn like its input box.
    const old = Array.from({ length: 6 }, (_, at) => [`▷ prompt ${at}`, '', `◆ answer ${at}`, '']).flat()
    const answer = ['▷ the newest', '', '◆ line number 1', ...lines(2, 20), '']
    fixture.print([...old, ...answer, ...BOX].join('\r\n'))
    expect(markdown(fixture.read())).toMatch(/^line number 1\n[\s\S]*line number 20$/)
    fixture.print(`\u001b[2J\u001b[3J\u001b[H${[...old, BOX[0], '▷ prompt 6', BOX[2]].join('\r\n')}`)
    expect(markdown(conversation.extract(screen.last!, { isOpen: true }))).toMatch(/^line number 1\n/)
    fixture.print(`\r\n${[...answer, ...BOX].join('\r\n')}`)
    expect(markdown(fixture.read())).toMatch(/^line number 1\n[\s\S]*line number 20$/)
    expect(conversation.turn).toBe('s.1')
  })

  it('starts the turn of the prompt that was sent, also below a greeting that has grown', () => {
    const fixture = new Fixture({ cols: 80, rows: 20 })
    const { conversation, screen } = fixture
    fixture.print(['Welcome', '', ...BOX].join('\r\n'))
    conversation.markOld(screen.last!)
    expect(conversation.beginTurn(screen.last!, { isSent: true })).toBe('s.1')
    fixture.print(
      `\u001b[H\u001b[J${['Welcome', '', '◆ A new version is out.', '', '▷ hello', '', ...BOX].join('\r\n')}`,
    )
    expect(conversation.beginTurn(screen.last!)).toBeNull()
    expect(conversation.shownTurn).toBe('s.1')
  })
})
