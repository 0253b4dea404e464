import { describe, expect, it } from 'vitest'
import { fateOf, type WorktreeFacts } from './worktree-fate-table.js'

const KEEP_MS = 1_000
/** A worktree of a run that completed, with work that is nowhere else, used a moment ago. */
const facts = (more: Partial<WorktreeFacts> = {}): WorktreeFacts => ({
  runStatus: 'completed',
  isThere: true,
  dirty: 0,
  ahead: 2,
  isMerged: false,
  idleMs: 0,
  ...more,
})
const fate = (more: Partial<WorktreeFacts>) => fateOf(facts(more), KEEP_MS)

describe('the fate of a worktree', () => {
  it('is "kept" while its commits are nowhere else and it was used recently', () => {
    expect(fate({})).toBe('kept')
    expect(fate({ runStatus: 'cancelled' })).toBe('kept')
    expect(fate({ runStatus: null })).toBe('kept')
    expect(fate({ idleMs: KEEP_MS - 1 })).toBe('kept')
  })

  it.each(['queued', 'running', 'waiting', 'paused', 'failed'] as const)(
    'is "busy" while its run is %s, whatever else is true',
    runStatus => {
      expect(fate({ runStatus, dirty: 1, isMerged: true, ahead: 0, idleMs: 9 * KEEP_MS })).toBe('busy')
    },
  )

  it('is "gone" if its directory is missing, also while its run can continue', () => {
    expect(fate({ isThere: false })).toBe('gone')
    expect(fate({ isThere: false, runStatus: 'running' })).toBe('gone')
  })

  it('is "dirty" if files are not committed, also if it is merged or forgotten', () => {
    expect(fate({ dirty: 1 })).toBe('dirty')
    expect(fate({ dirty: 1, isMerged: true, idleMs: 9 * KEEP_MS })).toBe('dirty')
  })

  it('is "needless" if its commits are merged, or if it has none', () => {
    expect(fate({ isMerged: true })).toBe('needless')
    expect(fate({ ahead: 0 })).toBe('needless')
  })

  it('is "forgotten" if it was not used for the time in the profiles', () => {
    expect(fate({ idleMs: KEEP_MS })).toBe('forgotten')
  })
})
