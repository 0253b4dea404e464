import { describe, expect, test } from 'vitest'
import { commandLine, terminalProgram } from './terminal-command.js'

describe('the command of an agent’s terminal', () => {
  test('runs in a shell if it is a line without arguments, else directly', () => {
    expect(terminalProgram({ command: 'ls | wc -l', args: [], env: [] }).args.slice(-2)).toEqual(['-c', 'ls | wc -l'])
    expect(terminalProgram({ command: 'ls', args: ['a b'], env: [] }).args.slice(-2)).toEqual(['ls', 'a b'])
    expect(terminalProgram({ command: '/bin/sh', args: [], env: [] }).args.at(-1)).toBe('/bin/sh')
  })

  test('gets the agent’s variables only after the mark of its processes is set', () => {
    const env = [{ name: 'LD_PRELOAD', value: '/tmp/x y.so' }]
    const { file, args } = terminalProgram({ command: 'a=b', args: ['c'], env })
    expect(file).toBe('/usr/bin/env')
    expect(args.slice(0, 2)).toEqual(['LD_PRELOAD=/tmp/x y.so', '/bin/sh'])
    expect(args.slice(-2)).toEqual(['a=b', 'c'])
  })

  test('is shown as a line that a shell would parse in the same way', () => {
    const args = ['a.ts', "it's", 'a b', '$HOME', '']
    expect(commandLine({ command: 'printf', args })).toBe(`printf a.ts 'it'\\''s' 'a b' '$HOME' ''`)
  })
})
