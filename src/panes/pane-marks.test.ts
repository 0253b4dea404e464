import { describe, expect, it } from 'vitest'
import { createRedactor } from '../text/index.js'
import { FlickerDetector } from './flicker.js'
import { isPlainShell, jobName, shownCommand } from './job.js'
import { ProgressTracker } from './progress.js'

describe('flicker', () => {
  it('is more changes than allowed within the window, and lasts for five minutes', () => {
    const flicker = new FlickerDetector({ max: 3, windowS: 60 })
    flicker.see(false, 0)
    const found = [1, 2, 3, 4].map((t, index) => flicker.see(index % 2 === 0, t))
    expect(found).toEqual([false, false, false, true])
    expect([flicker.isHeld(303.9), flicker.isHeld(304), flicker.count]).toEqual([true, false, 1])
  })

  it('is not the same number of changes over a longer time', () => {
    const flicker = new FlickerDetector({ max: 3, windowS: 60 })
    flicker.see(false, 0)
    expect([0, 25, 50, 75, 100].map((t, index) => flicker.see(index % 2 === 0, t)).some(Boolean)).toBe(false)
  })
})

describe('progress', () => {
  const at = (t: number, more = {}) => ({
    t,
    isActive: true,
    hasWorkingRow: false,
    isToolRunning: false,
    isExcused: false,
    ...more,
  })
  const watch = () => new ProgressTracker({ afterS: 300, toolS: 900, frozenS: 30 })

  it('is missing after `stuck_after_s`, not before, and returns with any news', () => {
    const progress = watch()
    progress.progressed(10)
    expect([progress.judge(at(309.9)), progress.judge(at(310))]).toEqual([null, 'no-progress'])
    progress.progressed(311)
    expect(progress.judge(at(312))).toBeNull()
  })

  it('may be missing for `stuck_tool_s` while a tool runs', () => {
    const progress = watch()
    expect([
      progress.judge(at(899, { isToolRunning: true })),
      progress.judge(at(900, { isToolRunning: true })),
    ]).toEqual([null, 'no-progress'])
  })

  it('is frozen if a row claims work and nothing moves for `stuck_frozen_s`; a spinner is motion, not progress', () => {
    const progress = watch()
    progress.moved(10)
    expect([
      progress.judge(at(39.9, { hasWorkingRow: true })),
      progress.judge(at(40, { hasWorkingRow: true })),
    ]).toEqual([null, 'frozen'])
    for (let t = 10; t <= 310; t += 1) progress.moved(t)
    expect(progress.judge(at(310, { hasWorkingRow: true }))).toBe('no-progress')
  })

  it('is not expected while idle, nor while a retry counts down', () => {
    const progress = watch()
    expect([progress.judge(at(1e6, { isActive: false })), progress.judge(at(1e6, { isExcused: true }))]).toEqual([
      null,
      null,
    ])
  })
})

describe('a job', () => {
  it.each([
    [['/usr/bin/node', '/opt/codex/bin/codex.js', '--x'], 'codex'],
    [['python3', '-m', 'http.server', '8000'], 'http.server'],
    [['python3', '-c', 'print(1)'], 'python3'],
    [['npx', '-y', 'gemini'], 'gemini'],
    [['env', 'A=1', 'claude'], 'claude'],
    [['sudo', '-E', 'vim', 'x'], 'vim'],
    [['sh', '-c', 'make test'], 'make'],
    [['-bash'], 'bash'],
    [['node'], 'node'],
    [[], null],
  ])('%j is %s', (words, name) => expect(jobName(words)).toBe(name))

  it('that is a plain shell is recognised', () => {
    expect([
      isPlainShell(['-bash']),
      isPlainShell(['bash', '-l']),
      isPlainShell(['bash', 'x.sh']),
      isPlainShell(['sh', '-c', 'x']),
    ]).toEqual([true, true, false, false])
  })

  it('is shown without control characters and secrets, and shortened', () => {
    const redactor = createRedactor()
    const shown = shownCommand(['curl', '--token', 'abcdefgh12345678', 'a\u001b[31mb\n'], redactor, 80)
    expect(shown).not.toContain('abcdefgh12345678')
    expect(shown).not.toMatch(/\p{Cc}/u)
    expect(shownCommand(['x'.repeat(100)], redactor, 50)).toHaveLength(50)
  })
})
