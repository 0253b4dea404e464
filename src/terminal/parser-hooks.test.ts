import { expect, test } from 'vitest'
import { PAYLOAD_MAX, ParserHooks } from './parser-hooks.js'
import { bytes } from './testing/drive.js'
import { coreOf, openTerminal } from './xterm-core.js'

function setup() {
  const terminal = openTerminal({ cols: 40, rows: 3, scrollback: 0 })
  const core = coreOf(terminal)
  const write = (text: string) => core._inputHandler.parse(bytes(text))
  return {
    hooks: new ParserHooks(terminal),
    write,
    row: () => core.buffers.active.lines.get(0)!.translateToString(true),
  }
}

test('a hook that throws is counted, and the terminal continues', () => {
  const { hooks, write, row } = setup()
  const fail = () => {
    throw new Error('hook')
  }
  hooks.csi({ final: 'm' }, fail)
  hooks.osc(9, fail)
  hooks.dcs({ intermediates: '+', final: 'q' }, fail)
  hooks.esc({ final: '7' }, fail)
  hooks.bell(fail)
  write('a\x1b[1mb\x1b]9;x\x07c\x1bP+q\x1b\\d\x1b7e\x07f')
  expect(row()).toBe('abcdef')
  expect(hooks.faults).toBe(5)
})

test('a payload over the limit does not reach its hook', () => {
  const { hooks, write, row } = setup()
  const seen: number[] = []
  hooks.osc(9, payload => {
    seen.push(payload.length)
    return true
  })
  write(`\x1b]9;${'x'.repeat(PAYLOAD_MAX)}\x07\x1b]9;${'x'.repeat(PAYLOAD_MAX + 1)}\x07ok`)
  expect(seen).toEqual([PAYLOAD_MAX])
  expect(hooks.oversized).toBe(1)
  expect(row()).toBe('ok')
})
