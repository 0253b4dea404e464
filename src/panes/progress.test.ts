import { describe, expect, it } from 'vitest'
import { ProgressTracker } from './progress.js'

describe('the progress of a pane', () => {
  const at = (t: number, more = {}) => ({
    t,
    isActive: true,
    hasWorkingRow: false,
    isToolRunning: false,
    isExcused: false,
    ...more,
  })
  const watch = () => new ProgressTracker({ afterS: 300, toolS: 900, frozenS: 30 })

  it('is missing after `stuck_after_s` and not earlier, and returns with any news', () => {
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

  it('is frozen if a row claims work without motion for `stuck_frozen_s`; a spinner is motion', () => {
    const progress = watch()
    progress.moved(10)
    expect([
      progress.judge(at(39.9, { hasWorkingRow: true })),
      progress.judge(at(40, { hasWorkingRow: true })),
    ]).toEqual([null, 'frozen'])
    for (let t = 10; t <= 310; t += 1) progress.moved(t)
    expect(progress.judge(at(310, { hasWorkingRow: true }))).toBe('no-progress')
  })

  it('is not expected of an idle pane or during the countdown of a retry', () => {
    const progress = watch()
    expect([progress.judge(at(1e6, { isActive: false })), progress.judge(at(1e6, { isExcused: true }))]).toEqual([
      null,
      null,
    ])
  })
})
