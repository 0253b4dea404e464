import { expect, test } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { isAlive } from '../../process/index.js'
import { createRedactor } from '../../text/index.js'
import { type RunStepOptions, runStep } from './run-step.js'

/** An agent that prints nothing and never ends by itself. */
const SLEEPER = {
  name: 'sleeper',
  location: { found: true, file: '/bin/sleep', prefix: ['600'] },
  headless: {
    command: () => ({ args: [], env: {}, stdin: 'none', agentSessionId: null }),
    parser: () => ({ push: () => [], end: () => [] }),
  },
} as unknown as RunStepOptions['agent']

test('a step that is stopped while its program starts leaves no process', async () => {
  const stop = new AbortController()
  let pid = 0
  const end = await runStep({
    agent: SLEEPER,
    step: { name: 'run_1/a@1#1', cwd: '/', env: {}, promptFile: '/dev/null' } as RunStepOptions['step'],
    clock: systemClock,
    redactor: createRedactor(),
    thresholds: { inactivityMs: 0, toolInactivityMs: 0, exitGraceMs: 100, killGraceMs: 1_000, timeoutMs: 0 },
    signal: stop.signal,
    onSpawned: process => {
      pid = process.pid
      stop.abort()
    },
    log: () => undefined,
    onActivity: () => undefined,
  })
  expect(end.status).toBe('failed')
  expect([pid > 0, isAlive(pid)]).toEqual([true, false])
})
