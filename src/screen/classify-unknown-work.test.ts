import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory, type ScreenMemory } from './memory.js'
import type { Observation } from './observation.js'
import { parsePack } from './pack/parse-pack.js'

/* How agents that no pack describes show that they work, and that they are done. */
const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic.toml')
const COLS = 80
const TURNING = '⠋⠙⠹⠸⠼⠴⠦⠧'
const FRAME_S = 0.25
const dim = (text: string) => `\u001b[2m${text}\u001b[22m`

interface Sign {
  above?: string
  glyph?: string
  footer?: string
}

/** A program with an input box, seen from its start. */
class Program {
  readonly #emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
  #memory: ScreenMemory = initialMemory()
  #t = 1

  draw(
    said: readonly string[],
    input: string,
    { above, glyph = '>', footer = ' model-1  /app' }: Sign = {},
  ): Observation {
    const box = [`╭${'─'.repeat(78)}╮`, `│ ${glyph} ${input.padEnd(75)}│`, `╰${'─'.repeat(78)}╯`]
    const rows = [...said, '', ...(above === undefined ? [] : [above, '']), ...box, footer]
    this.#emulator.feed(new TextEncoder().encode(`\u001b[?25l\u001b[2J\u001b[H${rows.join('\r\n')}`), this.#t, {
      live: false,
    })
    const { observation, memory } = classify({ ...this.#emulator.currentFrame(), t: this.#t }, this.#memory, GENERIC)
    this.#memory = memory
    this.#t += FRAME_S
    return observation
  }
}

const ASKED = ['Zwarb 2', '', '> fix the tests']
const ANSWERED = [...ASKED, '', '• The tests are fixed.']

/** The last frame of three seconds with this sign, after a prompt. */
function atWork(signAt: (frame: number) => Sign) {
  const program = new Program()
  program.draw(['Zwarb 2'], '')
  program.draw(['Zwarb 2'], 'fix the tests')
  let last: Observation | null = null
  for (let frame = 0; frame < 12; frame++) last = program.draw(ASKED, '', signAt(frame))
  return { program, working: last! }
}

describe('an agent works while', () => {
  it.each<[string, (frame: number) => Sign]>([
    ['dots come and go behind a word', frame => ({ above: `Thinking${'.'.repeat(frame % 4)}` })],
    ['a mark turns behind a word', frame => ({ above: `Working ${TURNING[frame % 8]}` })],
    [
      'a mark turns at the right of the footer',
      frame => ({ footer: ` model-1${' '.repeat(50)}${TURNING[frame % 8]} busy` }),
    ],
    ['marks without words move', frame => ({ above: `  ${['●○○', '○●○', '○○●'][frame % 3]}` })],
    ['a bar moves', frame => ({ above: `  ${'░'.repeat(frame % 5)}█${'░'.repeat(4 - (frame % 5))} Working` })],
    ['the key that stops it is above the box', () => ({ above: dim('  esc to stop') })],
  ])('%s', (_, signAt) => {
    const { program, working } = atWork(signAt)
    expect(working).toMatchObject({ busy: true })
    let rested = working
    for (let frame = 0; frame < 16; frame++) rested = program.draw(ANSWERED, '')
    expect(rested).toMatchObject({ view: 'idle_prompt', busy: false })
  })

  it('its key is drawn without a gap to the next one', () => {
    const { working } = atWork(() => ({ footer: '  ⬝⬝⬝⬝  esc again to interruptctrl+p commands' }))
    expect(working).toMatchObject({ busy: true })
  })

  it('another glyph is in its input box, and only then', () => {
    const { program, working } = atWork(() => ({ glyph: '•' }))
    expect(working).toMatchObject({ busy: true })
    expect(program.draw(ANSWERED, '')).toMatchObject({ view: 'idle_prompt', busy: false })
  })
})

describe('an agent that thinks', () => {
  it('has not answered yet while only a quiet remark is below the prompt', () => {
    const program = new Program()
    program.draw(['Zwarb 2'], '')
    program.draw(['Zwarb 2'], 'fix the tests')
    let last: Observation | null = null
    for (let frame = 0; frame < 12; frame++)
      last = program.draw([...ASKED, '', dim(' Started thread 4711')], '', {
        above: `${TURNING[frame % 8]} Working (${frame}s)`,
      })
    expect(last).toMatchObject({ view: 'thinking', busy: true })
  })

  it('has not answered yet while a hint is between the sign of work and the box', () => {
    const { working } = atWork(frame => ({
      above: `${TURNING[frame % 8]} Reading the map… ${frame}.0s${' '.repeat(30)}${frame}.1s ↓1.2k\r\n\r\n${dim('  Try /compact')}`,
    }))
    expect(working).toMatchObject({ view: 'thinking', busy: true })
  })

  it('may think behind a gutter', () => {
    const thought = ['  ┃  ◆ Thinking…', '  ┃', '  ┃  First the tests.']
    const program = new Program()
    program.draw(['Zwarb 2'], '')
    program.draw(['Zwarb 2'], 'fix the tests')
    let last: Observation | null = null
    for (let frame = 0; frame < 12; frame++)
      last = program.draw([...ASKED, '', ...thought], '', { above: `${TURNING[frame % 8]} Working (${frame}s)` })
    expect(last).toMatchObject({ view: 'thinking', busy: true })
  })
})

describe('a tool of an unknown agent', () => {
  it.each([
    ['what it does, in a quiet style', dim('  ◆ Run the tests')],
    ['its verb, bold, and its subject', '  ◆ \u001b[1mEdit\u001b[22m sum.js'],
    [
      'a frame with its command below its output',
      ['╭──────────╮', '│ step 1   │', '├──────────┤', '│ $ node x │', '╰──────────╯'],
    ],
  ])('may be %s', (_, tool) => {
    const program = new Program()
    program.draw(['Zwarb 2'], '')
    program.draw(['Zwarb 2'], 'fix the tests')
    let last: Observation | null = null
    for (let frame = 0; frame < 12; frame++)
      last = program.draw([...ASKED, '', '• I run them.', '', ...[tool].flat()], '', {
        footer: ` ${TURNING[frame % 8]} busy`,
      })
    expect(last).toMatchObject({ view: 'tool_running', busy: true })
  })
})

describe('a program whose name is its prompt', () => {
  const GREETING = ['Welcome to Zwarb', 'Type /help for help, /exit to leave', '']

  function lines(memory: ScreenMemory, rows: readonly string[], cursor: [number, number], t: number) {
    const emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
    emulator.feed(new TextEncoder().encode(`${rows.join('\r\n')}\u001b[${cursor[0]};${cursor[1]}H`), t, { live: false })
    return classify({ ...emulator.currentFrame(), t }, memory, GENERIC)
  }

  it('is idle at it, has a draft behind it, and works once that was sent', () => {
    const fresh = lines(initialMemory(), [...GREETING, 'zwarb> '], [4, 8], 1)
    expect(fresh.observation).toMatchObject({ view: 'idle_prompt', awaiting: null, busy: false })
    const typed = lines(fresh.memory, [...GREETING, 'zwarb> fix the tests'], [4, 21], 2)
    expect(typed.observation.composer).toMatchObject({ draft: 'fix the tests' })
    const sent = lines(typed.memory, [...GREETING, 'zwarb> fix the tests', ''], [5, 1], 3)
    expect(sent.observation).toMatchObject({ view: 'user_message', composer: null })
    const done = lines(sent.memory, [...GREETING, 'zwarb> fix the tests', 'They are fixed.', 'zwarb> '], [6, 8], 4)
    expect(done.observation).toMatchObject({ view: 'idle_prompt', awaiting: null, busy: false })
  })

  it('may also be a shell of a database, which waits for input', () => {
    const { observation } = lines(initialMemory(), ['SQLite version 3', 'sqlite> '], [2, 9], 1)
    expect(observation).toMatchObject({ view: 'idle_prompt', awaiting: 'input' })
  })
})
