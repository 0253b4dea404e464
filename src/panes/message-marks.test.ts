import { expect, test } from 'vitest'
import { parsePack } from '../screen/index.js'
import { Pane } from './pane.js'
import { osc } from './testing/supervision-fixture.js'

const GENERIC = parsePack('pack = 1\nagent = "generic"\n', 'generic')

/** What the marks of a shell say after these outputs, one a second. */
function shellClaims(...outputs: readonly string[]) {
  const pane = new Pane(GENERIC, { cols: 80, rows: 24 })
  outputs.forEach((output, t) => {
    pane.feed(Buffer.from(output), t, { live: false })
    pane.endFrame(t + 0.5)
  })
  return pane.unexpired(outputs.length).flatMap(({ authority, claim }) => (authority === 'shell' ? [claim.is] : []))
}

const MESSAGE_END = osc('133;B') + osc('133;C') + osc('133;D;0')
const message = (text: string) => `${osc('133;A')} ${text}\r\n${MESSAGE_END}\r\n`

test('marks that an agent puts around its messages say nothing about a shell', () => {
  expect(shellClaims(message('What is this?'))).toEqual([])
  expect(shellClaims(message('What is this?'), 'It is a test.\r\n', osc('133;A'))).toEqual([])
})

test('the marks of a command count, also of one without output and after an agent that has marks', () => {
  const typed = `${osc('133;A')}user$ ${osc('133;B')}`
  expect(shellClaims(typed, `npm test\r\n${osc('133;C')}`)).toEqual(['working'])
  expect(shellClaims(typed, `true\r\n${osc('133;C')}${osc('133;D;0')}${typed}`)).toEqual(['idle'])
  expect(shellClaims(message('Hello'), `Bye.\r\n${osc('133;D;0')}${typed}`)).toEqual(['idle'])
  expect(shellClaims(message('Hello'), typed, `npm test\r\n${osc('133;C')}`)).toEqual(['working'])
})
