import { describe, expect, test } from 'vitest'
import type { EventType } from '../events/index.js'
import { isEnded } from './run-status-table.js'
import { dueAt, type RunRecord, runsProjection } from './runs-projection.js'
import { NO_USAGE } from './usage.js'

/** The record of a run after these events, one millisecond after the other. */
function recordOf(...events: [EventType, object][]): RunRecord {
  let at = 100
  let record: RunRecord | null = null
  const created: [EventType, object] = [
    'run.created',
    { kind: 'graph', title: 't', project: '/p', cwd: '/p/c', person: 'ann', input: {} },
  ]
  for (const [type, data] of [created, ...events]) {
    // The store hands a projection only the types that it names.
    if (!(runsProjection.types as readonly string[]).includes(type)) throw new Error(`${type} is not projected`)
    record = runsProjection.evolve(record, { type, data, at, stream: 'run/run_1' } as never) as RunRecord
    at += 1
  }
  return record!
}
const started: [EventType, object] = ['run.started', { host: 'h', epoch: 1 }]

describe('the record of a run', () => {
  test('begins queued, with what it was created with', () => {
    expect(recordOf()).toMatchObject({
      id: 'run_1',
      kind: 'graph',
      cwd: '/p/c',
      person: 'ann',
      labels: {},
      status: 'queued',
      createdAt: 100,
      startedAt: null,
      usage: NO_USAGE,
      parent: null,
      epoch: 0,
      isArchived: false,
    })
    expect(runsProjection.key({ stream: 'run/run_1' } as never)).toBe('run_1')
    expect(runsProjection.evolve(null, { type: 'run.started', data: {}, at: 1, stream: 'run/x' } as never)).toBeNull()
  })

  test('keeps what it was created with', () => {
    const about = {
      labels: { team: 'a' },
      startAt: 900,
      from: { run: 'run_0', as: 'restart' },
    }
    const data = { kind: 'graph', title: 't', project: '/p', cwd: '/p', person: 'ann', input: {}, ...about }
    const event = {
      type: 'run.created',
      data: { ...data, parent: { run: 'run_9', child: 'm@1#1' } },
      at: 1,
      stream: 'run/run_1',
    }
    expect(runsProjection.evolve(null, event as never)).toMatchObject({ ...about, parent: 'run_9' })
  })

  test('knows its first start, and the worker that has it', () => {
    const record = recordOf(
      started,
      ['run.paused', { reason: 'by ann' }],
      ['run.resumed', {}],
      ['run.placed', { worker: 'w1', name: 'big', epoch: 2 }],
    )
    expect(record).toMatchObject({ status: 'running', startedAt: 101, updatedAt: 104, reason: null })
    expect(record).toMatchObject({ worker: 'w1', workerName: 'big', epoch: 2 })
    expect(recordOf(started, ['run.paused', { reason: 'by ann' }])).toMatchObject({
      status: 'paused',
      reason: 'by ann',
    })
  })

  test('a run that waits says for what, and when to look again', () => {
    const waiting = recordOf(started, ['run.waiting', { reason: 'a timer', wakeAt: 500 }])
    expect(waiting).toMatchObject({ status: 'waiting', text: 'a timer', wakeAt: 500 })
    expect(recordOf(started, ['run.waiting', {}])).toMatchObject({ text: null, wakeAt: null })
    const continued = recordOf(started, ['run.waiting', { reason: 'a timer', wakeAt: 500 }], started)
    expect(continued).toMatchObject({ status: 'running', text: null, wakeAt: null })
  })

  test.each([
    ['run.completed', 'completed'],
    ['run.failed', 'failed'],
    ['run.rejected', 'rejected'],
    ['run.cancelled', 'cancelled'],
  ] as const)('%s is its end, once, and closes its gates', (type, status) => {
    const gate: [EventType, object] = ['gate.opened', { gate: 'g@1#1', approval: 'apr_1' }]
    const ended = recordOf(started, gate, [type, { reason: 'why', text: 'in words' }])
    expect(ended).toMatchObject({ status, reason: 'why', text: 'in words', endedAt: 103, gates: {} })
    const twice = recordOf(started, [type, { reason: 'why', text: '' }], [type, { reason: 'again', text: 'late' }])
    expect(twice).toMatchObject({ reason: 'why', text: null, endedAt: 102 })
  })

  test('a run that failed and is resumed has no end', () => {
    const record = recordOf(started, ['run.failed', { reason: 'why', text: 'x' }], ['run.resumed', {}])
    expect(record).toMatchObject({ status: 'running', endedAt: null, reason: null, text: null })
  })

  test('counts its steps and what they used', () => {
    const usage = { input: 10, output: 5, costUsd: 1 }
    const record = recordOf(
      started,
      ['step.started', { step: 'a@1#1' }],
      ['step.ended', { step: 'a@1#1', usage }],
      ['step.started', { step: 'b@1#1' }],
      ['step.recovered', { step: 'b@1#1', usage }],
      ['step.ended', { step: 'b@1#2' }],
    )
    expect(record).toMatchObject({ steps: 2, step: 'b@1#1', usage: { input: 20, output: 10, costUsd: 2 } })
  })

  test.each(['gate.answered', 'gate.expired', 'gate.refused'] as const)('%s closes that gate only', type => {
    const opened = (gate: string): [EventType, object] => ['gate.opened', { gate, approval: `apr_${gate}` }]
    expect(recordOf(started, opened('g'), opened('h'), [type, { gate: 'g' }]).gates).toEqual({ h: 'apr_h' })
  })

  test('keeps labels that another server adds, and that it was archived', () => {
    const record = recordOf(['run.taken-over', { labels: { server: 'b' } }], ['run.archived', {}])
    expect(record).toMatchObject({ labels: { server: 'b' }, isArchived: true })
  })
})

test('a run is due when it is queued, running, or waits until then', () => {
  expect(dueAt(recordOf())).toBe(0)
  expect(dueAt({ ...recordOf(), startAt: 900 })).toBe(900)
  expect(dueAt(recordOf(started))).toBe(0)
  expect(dueAt(recordOf(started, ['run.waiting', { wakeAt: 500 }]))).toBe(500)
  expect(dueAt(recordOf(started, ['run.waiting', {}]))).toBeNull()
  expect(dueAt(recordOf(started, ['run.paused', { reason: 'x' }]))).toBeNull()
  expect(dueAt(recordOf(started, ['run.completed', { reason: 'x' }]))).toBeNull()
})

test('a run is over when it completed, failed, or was rejected or cancelled', () => {
  const statuses = ['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'rejected', 'cancelled'] as const
  expect(statuses.filter(isEnded)).toEqual(['completed', 'failed', 'rejected', 'cancelled'])
})

const AT = {
  queued: [],
  running: [started],
  waiting: [started, ['run.waiting', {}]],
  paused: [started, ['run.paused', { reason: 'x' }]],
  completed: [started, ['run.completed', { reason: 'x' }]],
  failed: [started, ['run.failed', { reason: 'x' }]],
  rejected: [started, ['run.rejected', { reason: 'x' }]],
  cancelled: [started, ['run.cancelled', { reason: 'x' }]],
} as const satisfies Record<string, readonly (readonly [EventType, object])[]>

test.each([
  ['run.started', { queued: 'running', waiting: 'running' }],
  ['run.waiting', { running: 'waiting' }],
  ['timer.fired', { waiting: 'running' }],
  ['run.paused', { queued: 'paused', running: 'paused', waiting: 'paused' }],
  ['run.resumed', { paused: 'running', failed: 'running' }],
  ['run.completed', { running: 'completed', waiting: 'completed', paused: 'completed' }],
  ['run.failed', { running: 'failed', waiting: 'failed', paused: 'failed' }],
  ['run.rejected', { running: 'rejected', waiting: 'rejected', paused: 'rejected' }],
  ['run.cancelled', { queued: 'cancelled', running: 'cancelled', waiting: 'cancelled', paused: 'cancelled' }],
] as [EventType, Record<string, string>][])('%s leads from %j, and changes no other status', (type, moves) => {
  for (const [status, events] of Object.entries(AT)) {
    const after = recordOf(...(events as unknown as [EventType, object][]), [type, { reason: 'x' }])
    expect([status, after.status]).toEqual([status, moves[status] ?? status])
  }
})
