import { expect, test } from 'vitest'
import { byQueueOrder, queuePosition } from './run-order.js'
import type { RunRecord } from './runs-projection.js'

const run = (id: string, createdAt: number, extra: Partial<RunRecord> = {}) =>
  ({ id, createdAt, status: 'queued', labels: {}, cwd: `/w/${id}`, ...extra }) as RunRecord

test('runs are ordered by priority, then by age; an invalid priority counts as 0', () => {
  const runs = [
    run('young', 3),
    run('odd', 2, { labels: { priority: 'soon' } }),
    run('old', 1),
    run('urgent', 9, { labels: { priority: '2' } }),
    run('later', 0, { labels: { priority: '-1' } }),
  ]
  expect([...runs].sort(byQueueOrder).map(({ id }) => id)).toEqual(['urgent', 'old', 'odd', 'young', 'later'])
})

test('a queued run has a position among the runs that wait for the same resource, and names it', () => {
  const daemon = { labels: { host: 'daemon' } }
  const runs = [run('a', 1), run('b', 2), run('c', 3, daemon), run('d', 4, { status: 'running', cwd: '/w/b' })]
  expect(queuePosition(runs[0]!, runs)).toEqual({ position: 1, waitsFor: 'signalbox resume a' })
  expect(queuePosition(runs[1]!, runs)).toEqual({ position: 2, waitsFor: 'run d, which works in the same directory' })
  expect(queuePosition(runs[2]!, runs)).toEqual({ position: 1, waitsFor: 'a free slot in the daemon' })
  expect(queuePosition(runs[3]!, runs)).toBeNull()
})
