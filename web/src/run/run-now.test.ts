import { describe, expect, it } from 'vitest'
import type { Run, RunNode, Timeline } from '../api/types'
import { runNow } from './run-now'

const AT = '2026-03-01T10:00:00.000Z'
const run = (more: Partial<Run>) =>
  ({ status: 'running', isUndriven: false, why: null, createdAt: AT, updatedAt: AT, ...more }) as Run
const nodes = [
  { node: 'soak', label: 'Soak test' },
  { node: 'lint', label: 'Lint' },
] as RunNode[]
const timeline = (...open: string[]) =>
  ({
    visits: [
      { node: 'plan', visit: 1, startedAt: AT, endedAt: AT, status: 'success' },
      ...open.map(node => ({ node, visit: 1, startedAt: AT, endedAt: null, status: 'running' })),
    ],
  }) as unknown as Timeline

describe('what a run does now', () => {
  it('names the steps that run, by their labels', () => {
    expect(runNow(run({}), nodes, timeline('soak'))).toEqual({ title: '“Soak test” is running', text: '', since: AT })
    expect(runNow(run({}), nodes, timeline('soak', 'lint', 'a', 'b'))?.title).toBe(
      '“Soak test”, “Lint”, “a” and 1 more are running',
    )
  })

  it('says why it does nothing', () => {
    expect(runNow(run({ status: 'paused', why: 'the budget is used up' }), nodes, null)).toMatchObject({
      title: 'Paused',
      text: 'The budget is used up',
    })
    const undriven = run({ isUndriven: true, why: 'the process that ran it has ended' })
    expect(runNow(undriven, nodes, timeline('soak'))).toMatchObject({
      title: 'Interrupted',
      text: 'The process that ran it has ended',
    })
  })

  it('is nothing for a run that has ended or waits for an answer', () => {
    expect(runNow(run({ status: 'waiting' }), nodes, null)).toBeNull()
    expect(runNow(run({ status: 'completed' }), nodes, null)).toBeNull()
  })
})
