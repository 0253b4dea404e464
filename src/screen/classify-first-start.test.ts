import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory, recordInput } from './memory.js'
import { parsePack } from './pack/parse-pack.js'

const PACK = parsePack('pack = 1\nagent = "generic"\n', 'generic')

/** Draws rows as a program does that hides the cursor, or leaves it in a field. */
function observe(rows: readonly string[], cursor: { x: number; y: number } | null = null) {
  const { view, awaiting, payload } = read(rows, cursor).observation
  return { view, awaiting, ...(payload as { url?: string; code?: string; method?: string }) }
}

function read(rows: readonly string[], cursor: { x: number; y: number } | null = null, memory = initialMemory()) {
  const emulator = new TerminalEmulator({ cols: 80, rows: 24, scrollback: 0 })
  const end = cursor ? `\u001b[${cursor.y + 1};${cursor.x + 1}H\u001b[?25h` : '\u001b[?25l'
  emulator.feed(Buffer.from(`\u001b[?1049h\u001b[2J\u001b[H${rows.join('\r\n')}${end}`), 0, { live: false })
  const frames = emulator.endFrame(1).flatMap(made => (made.type === 'frame' ? [made.frame] : []))
  return classify(frames.at(-1)!, memory, PACK)
}

describe('the first dialog of a program', () => {
  it('is a sign-in with an address and a code to enter there', () => {
    const rows = [
      '> Finish signing in on another device',
      '',
      '  1. Open this link and sign in',
      '',
      '  https://auth.example.com/device',
      '',
      '  2. Enter this one-time code',
      '',
      '  ABCD-12345',
      '',
      '  Press Esc to cancel',
    ]
    expect(observe(rows)).toMatchObject({
      view: 'auth_required',
      awaiting: 'auth',
      method: 'device',
      url: 'https://auth.example.com/device',
      code: 'ABCD-12345',
    })
  })

  it('is a sign-in whose code is pasted into the terminal', () => {
    const rows = [
      ' Use the url below to sign in:',
      '',
      'https://example.com/oauth?code=true',
      '',
      ' Paste code here > ',
    ]
    expect(observe(rows, { x: 19, y: 4 })).toMatchObject({
      view: 'auth_required',
      method: 'paste',
      url: 'https://example.com/oauth?code=true',
    })
  })

  it('is a sign-in that offers to open its address', () => {
    const rows = [
      '  Sign-in required',
      '',
      '  https://tracker.example/login/device',
      '',
      '  Open this URL in your browser, sign in, then return here.',
      '',
      '  › 1. Open sign-in URL',
      '    2. Back',
      '  Use tab / ↑ ↓ to move, enter to select, esc to close',
    ]
    expect(observe(rows)).toMatchObject({ view: 'auth_required', url: 'https://tracker.example/login/device' })
  })

  it.each([
    [
      'a theme, without a key in sight',
      ['Choose a style for your terminal', '', ' ❯ 1. Dark ✔', '   2. Light', '   3. Dark, high contrast'],
      'question',
    ],
    [
      'trust, with the error of the last choice below the options',
      [
        '  Do you trust the contents of this directory?',
        '',
        '› 1. Yes, continue',
        '  2. No, quit',
        '',
        '  Could not write the trust level: permission denied',
        '',
        '  Press enter to continue',
      ],
      'trust',
    ],
    [
      'a permission, with keys that the person has chosen',
      [
        '  Would you like to run the following command?',
        '',
        '  $ npm install left-pad',
        '',
        '› 1. Yes, proceed (y)',
        '  2. No, and say what to do differently (n)',
        '',
        '  Press ctrl+j to confirm or ctrl+g to cancel',
      ],
      'permission',
    ],
    [
      'what to import, as check boxes under headings',
      [
        '  > Settings of another agent were found',
        '  Home',
        '    [x] Copy home settings',
        '',
        '  Project: /tmp/app',
        '    [x] Copy plugins',
        '        • tools: deploy, format',
        '',
        '  Selected 2 of 2 item(s).',
        '    1. Continue with selected',
        '    2. Skip for now',
        '  Use ↑/↓ to move, space to toggle, 1/2 to choose, a/n for all/none',
      ],
      'question',
    ],
  ] as const)('is read as %s', (_, rows, awaiting) => {
    expect(observe(rows)).toMatchObject({ view: 'tool_menu', awaiting })
  })

  it('may be followed by others after keys were pressed in it', () => {
    const first = ['Choose a style for your terminal', '', ' ❯ 1. Dark ✔', '   2. Light', '   3. Dark, high contrast']
    const second = ['Choose your default model', '', ' Type to search', '', ' ↑/↓ select · enter confirm · esc skip']
    const viewAfter = (memory: ReturnType<typeof initialMemory>) =>
      read(second, null, recordInput(memory, 0.5)).observation.view
    expect(viewAfter(read(first).memory)).toBe('tool_menu')
    // Without a dialog before, the keys may have opened the list.
    expect(viewAfter(read(['Zwarb 1.0']).memory)).not.toBe('tool_menu')
  })

  it('is a key to enter into a field', () => {
    const edge = '─'.repeat(60)
    const rows = [
      '> Use your own API key',
      '',
      `  ╭API key${edge.slice(7)}╮`,
      `  │Paste or type your API key${' '.repeat(34)}│`,
      `  ╰${edge}╯`,
      '  Press Enter to save',
      '  Press Esc to go back',
    ]
    expect(observe(rows, { x: 3, y: 3 })).toMatchObject({ view: 'tool_menu', awaiting: 'api_key' })
  })
})
