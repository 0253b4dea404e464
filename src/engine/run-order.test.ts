import { expect, test } from 'vitest'
import { byTurn, queuePlace } from './run-order.js'
import type { RunRecord } from './runs-projection.js'

const run = (id: string, createdAt: number, extra: Partial<RunRecord> = {}) =>
  ({ id, createdAt, status: 'queued', labels: {}, cwd: `/w/${id}`, ...extra }) as RunRecord

test('a higher priority first, then the older; a priority that is no number counts as none', () => {
  const runs = [
    run('young', 3),
    run('odd', 2, { labels: { priority: 'soon' } }),
    run('old', 1),
    run('urgent', 9, { labels: { priority: '2' } }),
    run('later', 0, { labels: { priority: '-1' } }),
  ]
  expect([...runs].sort(byTurn).map(({ id }) => id)).toEqual(['urgent', 'old', 'odd', 'young', 'later'])
})

test('a queued run has a place among those that wait for the same, and says for what', () => {
  const daemon = { labels: { host: 'daemon' } }
  const runs = [run('a', 1), run('b', 2), run('c', 3, daemon), run('d', 4, { status: 'running', cwd: '/w/b' })]
  expect(queuePlace(runs[0]!, runs)).toEqual({ place: 1, waitsFor: 'signalbox resume a' })
  expect(queuePlace(runs[1]!, runs)).toEqual({ place: 2, waitsFor: 'run d, which works in the same directory' })
  expect(queuePlace(runs[2]!, runs)).toEqual({ place: 1, waitsFor: 'a free place at the daemon' })
  expect(queuePlace(runs[3]!, runs)).toBeNull()
})
