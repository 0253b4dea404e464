import { expect, it } from 'vitest'
import { parsePack } from '../../screen/index.js'
import { SessionReplay } from './session-replay.js'

const PACK = parsePack(
  `pack = 1
agent = "test"
terminator = "required"
text = { indent = 2, width = "cols" }
region = [{ name = "composer", kind = "box", top = '^─{5,}$', body = '^▷', bottom = '^─{5,}$' }]
blocks = [
  { kind = "user", first = '^▷ \\S', more = '^  \\S', strip = 2, tight = true },
  { kind = "notice", first = '^! ', more = '^  ', strip = 2 },
  { kind = "prose", first = '^◆ ', more = '^  ', strip = 2 },
]
terminators = [{ line = '^◈ Finished', outcome = "done" }]
chrome = [{ line = '^▐' }]

[[rule]]
id = "working"
view = "thinking"
region = "status"
line = '^◜ '
busy = true

[[rule]]
id = "ready"
view = "idle_prompt"
region = "footer"
line = '^ready'
busy = false
`,
  'test.toml',
)
const BOX = ['──────────', '▷ ', '──────────']

/** The messages of a recording of these frames, two seconds apart. */
function messagesOf(...contents: readonly (readonly string[])[]): string[] {
  const replay = new SessionReplay({ pack: PACK, cols: 60, rows: 16, hasBlocks: true })
  const lines = contents.flatMap((content, index) =>
    replay.apply({
      t: 1 + 2 * index,
      kind: 'output',
      bytes: new TextEncoder().encode(`\u001b[H\u001b[2J${[...content, '', ...BOX].join('\r\n')}`),
    }),
  )
  return [...lines, ...replay.finish()].flatMap(line => (line.type === 'message' ? [line.markdown] : []))
}

it('a replay reads the answer to a prompt once', () => {
  expect(
    messagesOf(
      ['Welcome'],
      ['Welcome', '', '▷ tell me', '', '◜ working'],
      ['Welcome', '', '▷ tell me', '', '◆ It is done.', '', '◈ Finished in 2s'],
    ),
  ).toEqual(['It is done.'])
})

it('a replay reads no message from a notice alone', () => {
  expect(
    messagesOf(
      ['Welcome'],
      ['Welcome', '', '▷ tell me', '', '◜ working'],
      ['Welcome', '', '▷ tell me', '', '! the limit is near', '', '◈ Finished in 2s'],
    ),
  ).toEqual([])
})

it('a replay reads no message from a greeting that grows before the first prompt', () => {
  expect(
    messagesOf(
      ['Welcome'],
      ['Welcome', '', '◆ A tip for you'],
      ['Welcome', '', '◆ A tip for you', '', '◆ Servers: 2 connected'],
      ['Welcome', '', '◆ A tip for you', '', '◆ Servers: 2 connected', ''],
    ),
  ).toEqual([])
})

it('a replay reads no message from a logo that moves before the first prompt', () => {
  const replay = new SessionReplay({ pack: PACK, cols: 60, rows: 16, hasBlocks: true })
  const frame = (logo: string, ...rows: string[]) =>
    `\u001b[H\u001b[2J${[`${logo}  Welcome`, '', ...rows, '', ...BOX, 'ready'].join('\r\n')}`
  const outputs: [number, string][] = [
    [1, frame('▐▛███▜▌')],
    // The pack knows the logo of the idle screen, not while it jumps.
    ...['▐▟███▟▌', '▐█▟██▟▌', '▐▟█▟██▌', '▗▟█████▙▖'].map((logo, index): [number, string] => [
      2 + index / 5,
      frame(logo),
    ]),
    [4, frame('▐▛███▜▌')],
    [5, frame('▐▛███▜▌', '▷ tell me', '', '◜ working')],
    [6, frame('▐▛███▜▌', '▷ tell me', '', '◆ It is done.', '', '◈ Finished in 1s')],
  ]
  const lines = outputs.flatMap(([t, text]) =>
    replay.apply({ t, kind: 'output', bytes: new TextEncoder().encode(text) }),
  )
  lines.push(...replay.finish())
  expect(lines.flatMap(line => (line.type === 'message' ? [line.markdown] : []))).toEqual(['It is done.'])
})

it('a replay reads the whole answer although the program reports its end before drawing it', () => {
  const replay = new SessionReplay({ pack: PACK, cols: 60, rows: 16, hasBlocks: true })
  const prompt = ['Welcome', '', '▷ tell me', '']
  const status = (state: string) => `\u001b]7501;state=${state}:app=test\u001b\\`
  const frame = (...rows: string[]) => `\u001b[H\u001b[2J${[...rows, '', ...BOX].join('\r\n')}`
  const outputs: [number, string][] = [
    [1, frame('Welcome')],
    [3, frame(...prompt, '◜ working') + status('working')],
    [4, status('blocked') + frame(...prompt, '◜ working')],
    [5, frame(...prompt, '◆ It is', '', '◜ working')],
    [5.01, status('done')],
    [5.2, frame(...prompt, '◆ It is done.', '', '◈ Finished in 2s')],
    [5.5, '\u001b[H\u001b[2JGoodbye'],
  ]
  const lines = outputs.flatMap(([t, text]) =>
    replay.apply({ t, kind: 'output', bytes: new TextEncoder().encode(text) }),
  )
  lines.push(...replay.apply({ t: 5.6, kind: 'exit', exit: { code: 0, signal: null } }), ...replay.finish())
  expect(lines.flatMap(line => (line.type === 'message' ? [line.markdown] : []))).toEqual(['It is done.'])
})
