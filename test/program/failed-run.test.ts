import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../e2e/harness.js'

/** Reports a run with one test in this state, in a process that a library ends with code 0. */
function exitCodeAfter(state: 'passed' | 'failed'): number | null {
  const script = `
    import TestReport from ${JSON.stringify(join(ROOT, 'scripts', 'report-tests.mjs'))}
    const test = { result: () => ({ state: '${state}' }), diagnostic: () => null, fullName: 'one' }
    const module = { children: { allTests: () => [test] }, errors: () => [] }
    process.once('beforeExit', () => process.exit(0))
    new TestReport().onTestRunEnd([module])
  `
  return spawnSync(process.execPath, ['--input-type=module', '-e', script]).status
}

describe('npm test', () => {
  it.each([
    ['passed', 0],
    ['failed', 1],
  ] as const)('exits for a %s test with %i, although a library ends the process with 0', (state, code) => {
    expect(exitCodeAfter(state)).toBe(code)
  })
})
