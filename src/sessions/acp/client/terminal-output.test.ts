import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OUTPUT_MAX, TerminalOutput } from './terminal-output.js'

const bytes = (text: string) => new TextEncoder().encode(text)

function outputOf(text: string, limit?: number, cut = 1): { output: string; truncated: boolean } {
  const output = new TerminalOutput(limit)
  const whole = bytes(text)
  for (let at = 0; at < whole.length; at += cut) output.push(whole.subarray(at, at + cut))
  return output.read()
}

describe('the output of an agent’s terminal', () => {
  test('is complete below its limit, however its bytes arrive', () => {
    for (const cut of [1, 2, 3, 100])
      expect(outputOf('信号 ok 🚦\n', 100, cut)).toEqual({ output: '信号 ok 🚦\n', truncated: false })
  })

  test('keeps the end within the limit and starts with a complete character', () => {
    expect(outputOf('信号信号', 7)).toEqual({ output: '信号', truncated: true })
    expect(outputOf('abc', 0)).toEqual({ output: '', truncated: true })
  })

  test('leaves out a character that is still incomplete', () => {
    const output = new TerminalOutput(undefined)
    output.push(bytes('ok 信').subarray(0, 5))
    expect(output.read()).toEqual({ output: 'ok ', truncated: false })
  })

  test('is truncated if it was read from its middle, and at the maximum without a limit', () => {
    const late = new TerminalOutput(undefined, 10)
    late.push(bytes('信').subarray(1))
    late.push(bytes('end'))
    expect(late.read()).toEqual({ output: 'end', truncated: true })
    const long = outputOf('x'.repeat(OUTPUT_MAX + 5), undefined, 4_096)
    expect(long).toEqual({ output: 'x'.repeat(OUTPUT_MAX), truncated: true })
  })

  test('never exceeds the limit and is always the end of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), fc.integer({ min: 1, max: 9 }), (text, limit, cut) => {
        const { output, truncated } = outputOf(text, limit, cut)
        expect(bytes(output).length).toBeLessThanOrEqual(limit)
        expect(text.endsWith(output)).toBe(true)
        expect(truncated).toBe(bytes(text).length > limit)
      }),
    )
  })
})
