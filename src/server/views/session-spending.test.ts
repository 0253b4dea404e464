import { expect, test } from 'vitest'
import type { SessionRecord } from '../../sessions/index.js'
import { sessionDays } from './session-spending.js'

const spent = (costUsd: number) => ({ input: 100, output: 10, costUsd })
const record = (id: string, more: object = {}) =>
  ({ id, agent: 'claude', project: '/p', startedAt: 0, ...more }) as unknown as SessionRecord
const at = (day: string) => Date.parse(`${day}T12:00:00Z`)

test('the spending of sessions counts per day and live; sessions of runs count with their run', () => {
  const host = {
    agentStats: (id: string) => (id === 'live' ? { model: 'm', days: { '2026-03-02': spent(2) } } : null) as never,
  }
  const stats = { model: 'n', days: { '2026-03-01': spent(1), '2026-03-02': spent(4), '2026-03-05': spent(8) } }
  const records = [
    record('live', { stats }),
    record('ended', { stats }),
    record('of-run', { label: 'run_abc/build@1#1', stats }),
    record('silent'),
  ]
  const found = sessionDays(host, records, { from: at('2026-03-01'), to: at('2026-03-03') })
  expect(found.map(({ session, model, day, costUsd }) => [session, model, day, costUsd])).toEqual([
    ['live', 'm', '2026-03-02', 2],
    ['ended', 'n', '2026-03-01', 1],
    ['ended', 'n', '2026-03-02', 4],
  ])
})
