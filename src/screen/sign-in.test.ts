import { describe, expect, it } from 'vitest'
import { TerminalEmulator } from '../terminal/index.js'
import { classify } from './classify.js'
import { initialMemory } from './memory.js'
import { parsePack } from './pack/index.js'

const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic')

function observe(lines: readonly string[], cols = 60) {
  const emulator = new TerminalEmulator({ cols, rows: lines.length + 2 })
  emulator.feed(new TextEncoder().encode(`\u001b[?25l${lines.join('\r\n')}`), 0, { live: false })
  const [event] = emulator.endFrame(1).filter(found => found.type === 'frame')
  return classify(event!.frame, initialMemory(), GENERIC).observation
}

describe('a sign-in without a menu', () => {
  it('needs a person, and has the address and the code', () => {
    expect(
      observe([
        'Sign in to continue',
        '',
        'Open https://example.invalid/device',
        'and enter the code ABCD-1234',
        '',
        '⠋ Waiting',
      ]),
    ).toMatchObject({
      view: 'auth_required',
      awaiting: 'auth',
      payload: { method: 'device', url: 'https://example.invalid/device', code: 'ABCD-1234' },
    })
  })

  it('joins an address that is longer than a row', () => {
    const url = `https://example.invalid/oauth?state=${'x'.repeat(70)}`
    const rows = ['Log in with your browser:', '', url.slice(0, 60), url.slice(60)]
    expect(observe(rows)).toMatchObject({ view: 'auth_required', payload: { url } })
  })

  it('waits for the browser', () => {
    expect(observe(['→ Login to continue', '', '  Press return to open your browser'])).toMatchObject({
      view: 'auth_required',
      awaiting: 'auth',
    })
  })

  it('is not read from an address that a program prints', () => {
    expect(observe(['Server listens on http://localhost:3000', 'Ready']).awaiting).toBeNull()
  })
})
