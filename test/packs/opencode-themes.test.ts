import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadPack } from '../../src/agents/packs/index.js'
import { type Classification, classify, initialMemory } from '../../src/screen/index.js'
import { TerminalEmulator } from '../../src/terminal/index.js'

const pack = await loadPack('opencode', null)

interface Theme {
  name: string
  text: string
  muted: string
  page: string
  panel: string
  element: string
}

const THEMES = readFileSync(new URL('opencode-themes.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter(row => row !== '' && !row.startsWith('# '))
  .map((row): Theme => {
    const [element, panel, page, muted, text, ...name] = row.split(' ').reverse() as string[] as [
      string,
      string,
      string,
      string,
      string,
      ...string[],
    ]
    return { name: name.reverse().join(' '), text, muted, page, panel, element }
  })

const sgr = (code: 38 | 48, colour: string) =>
  colour === 'none'
    ? `\u001b[${code + 1}m`
    : `\u001b[${code};2;${[1, 3, 5].map(at => Number.parseInt(colour.slice(at, at + 2), 16)).join(';')}m`

const COLS = 80
/** A row of runs of text, each with its colours, up to the right edge. */
const row = (ground: string, ...runs: readonly [text: string, fg: string, bg: string][]) =>
  `${runs.map(([text, fg, bg]) => sgr(38, fg) + sgr(48, bg) + text).join('')}${sgr(48, ground)}${' '.repeat(COLS - 4 - runs.reduce((sum, [text]) => sum + text.length, 0))}\u001b[m`

interface Drawn {
  /** The text in the input box, or null for its placeholder. */
  draft: readonly string[] | null
  isCursorHidden?: boolean
}

/** A turn that has ended, and the input box. */
function read(theme: Theme, { draft, isCursorHidden }: Drawn): Classification {
  const { text, muted, page, panel, element } = theme
  const behind = (words: string, fg: string, ground: string) =>
    row(ground, ['  ', text, page], ['┃', '#5c9cf5', page], [`  ${words}`, fg, ground])
  const said = (words: string, fg = text) => row(page, [`     ${words}`, fg, page])
  const above = [
    behind('', text, panel),
    behind('What is this?', text, panel),
    behind('', text, panel),
    said(''),
    said('It is the first of two paragraphs.'),
    said(''),
    said('It is the last one.'),
    said(''),
    said('▣  Build · Test Model · 2.0s', muted),
    said(''),
    behind('', text, element),
  ]
  const box = draft
    ? draft.map(line => behind(line, text, element))
    : [behind('Ask anything… "Fix a TODO"', muted, element)]
  const below = [
    behind('', text, element),
    behind('Build · Test Model Fake', muted, element),
    row(page, ['  ╹', '#5c9cf5', page], ['▀'.repeat(COLS - 8), element, page]),
    row(page, ['   tab agents  ctrl+p commands', muted, page]),
  ]
  const line = above.length + (draft?.length ?? 1)
  const column = 6 + (draft?.at(-1)?.length ?? 0)
  const emulator = new TerminalEmulator({ cols: COLS, rows: 24 })
  const cursor = isCursorHidden ? '\u001b[?25l' : `\u001b[${line};${column}H`
  const bytes = `\u001b[?1049h${[...above, ...box, ...below].join('\r\n')}${cursor}`
  emulator.feed(new TextEncoder().encode(bytes), 30, { live: false })
  return classify({ ...emulator.currentFrame(), t: 30 }, initialMemory(), pack)
}

it('has the colours of every theme', () => {
  expect(THEMES.length).toBeGreaterThan(60)
  for (const { text, element } of THEMES) expect([text, element].join()).toMatch(/^#[0-9a-f]{6},(?:#[0-9a-f]{6}|none)$/)
})

it.each(THEMES)('a draft of several rows is read in the theme $name of OpenCode', theme => {
  const draft = ['What is T0Q?', 'Say it in', 'three parts.']
  expect(read(theme, { draft }).observation.composer).toMatchObject({ empty: false, draft: draft.join('\n') })
  // Without a cursor only the text's own colour shows that it is no placeholder.
  expect(read(theme, { draft, isCursorHidden: true }).observation.composer).toMatchObject({ draft: draft.join('\n') })
})

it.each(THEMES)('a placeholder is not a draft in the theme $name of OpenCode', theme => {
  const placeholder = 'Ask anything… "Fix a TODO"'
  expect(read(theme, { draft: null }).observation.composer).toMatchObject({ empty: true, placeholder })
})

it.each(THEMES)('prompts and answers are told apart in the theme $name of OpenCode', theme => {
  const { layout, observation } = read(theme, { draft: null })
  expect(layout.blocks.map(({ kind }) => kind)).toEqual(['user', 'prose', 'prose'])
  expect(observation).toMatchObject({ view: 'idle_prompt', user: 'What is this?' })
})
