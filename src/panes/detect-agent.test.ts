import { expect, it } from 'vitest'
import { detectByCommand, detectByScreen } from './detect-agent.js'

const DETECTIONS = [
  { agent: 'a', argv0: ['a', 'agent-a'], banner: /Agent A v(?<version>[\d.]+)/u, title: /^A /u },
  { agent: 'b', argv0: ['b'], banner: /Agent B/u, title: /^. /u },
]
const output = (t: number, text: string) => ({ kind: 'output' as const, t, bytes: new TextEncoder().encode(text) })
const size = { cols: 40, rows: 5 }

it.each([
  ['a --help', 'a'],
  ['/usr/local/bin/agent-a', 'a'],
  ['node /opt/x/b.js --port=3', 'b'],
  ['FOO=1 npx b', 'b'],
  ['bash -c a', null],
  ['', null],
])('the command line %j belongs to %s', (command, agent) => {
  expect(detectByCommand(command, DETECTIONS)?.agent ?? null).toBe(agent)
})

it('detectAgent finds a banner that is drawn word by word, with its version', () => {
  const found = detectByScreen([output(1, '\u001b[2;3HAgent\u001b[2;9HA\u001b[2;11Hv2.1.3')], size, DETECTIONS)
  expect(found).toEqual({ agent: 'a', version: '2.1.3', by: 'banner' })
})

it('detectAgent falls back to a title that only one agent uses', () => {
  expect(detectByScreen([output(1, '\u001b]0;B topic\u0007')], size, DETECTIONS)).toEqual({
    agent: 'b',
    version: null,
    by: 'title',
  })
  expect(detectByScreen([output(1, '\u001b]0;A topic\u0007')], size, DETECTIONS)).toBeNull()
})

it('detectAgent ignores output that arrives after the first minute', () => {
  expect(detectByScreen([output(1, '$ '), output(90, 'Agent B')], size, DETECTIONS)).toBeNull()
})
