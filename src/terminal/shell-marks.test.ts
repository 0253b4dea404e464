import { expect, test } from 'vitest'
import { INITIAL_SHELL_STATE, parseShellMark, reduceShellMark, type ShellSignal } from './shell-marks.js'

/** Marks such as `133;C 133;D;0` → signals. */
function signals(marks: string, nonce: string | null = null): ShellSignal[] {
  let state = INITIAL_SHELL_STATE
  return marks.split(' ').flatMap(text => {
    const [protocol, ...payload] = text.split(';')
    const mark = parseShellMark(Number(protocol) as 133 | 633, payload.join(';'))
    if (!mark) return []
    const next = reduceShellMark(state, mark, nonce)
    state = next.state
    return next.signals
  })
}

const prompt = { name: 'prompt' }
const start = (commandLine: string | null = null) => ({ name: 'command-start', commandLine })
const end = (exit: number | null) => ({ name: 'command-end', exit })

test.each([
  ['a whole command', '133;A 133;B 133;C 133;D;3 133;A', [prompt, start(), end(3), prompt]],
  ['C twice: the first counts', '133;C 133;C 133;D;0', [start(), end(0)]],
  ['C without D at the next prompt', '133;C 133;A', [start(), end(null), prompt]],
  ['D without C', '133;A 133;D;130 133;A 133;D', [prompt]],
  ['D with junk', '133;C 133;D;x1', [start(), end(null)]],
  ['D without a number', '133;C 133;D', [start(), end(null)]],
  ['a redrawn prompt', '133;A 133;B 133;A 133;B', [prompt]],
  ['both protocols: only 633', '633;A 133;A 633;C 133;C 133;D;1 633;D;0', [prompt, start(), end(0)]],
  ['marks we do not use', '133;L 133;N 633;F', []],
])('the marks "%s" give the expected signals', (_, marks, expected) => {
  expect(signals(marks)).toEqual(expected)
})

test('a command line is trusted only with our nonce', () => {
  const marks = '633;A 633;E;make\\x3b\\x20a\\\\b;abc 633;C'
  expect(signals(marks, 'abc')).toEqual([prompt, start('make; a\\b')])
  expect(signals(marks, 'other')).toEqual([prompt, start(null)])
  expect(signals(marks, null)).toEqual([prompt, start(null)])
  expect(signals('633;E;ls 633;C', 'abc')).toEqual([start(null)])
})
