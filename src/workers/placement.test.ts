import { describe, expect, test } from 'vitest'
import { chooseWorker, type PlacementCandidate } from './placement.js'
import type { WorkerRecord } from './worker-record.js'

function candidate(
  name: string,
  {
    steps = 0,
    runs = 0,
    isConnected = true,
    isFull = false,
    clockOffsetMs = 0,
    ...record
  }: Partial<WorkerRecord & PlacementCandidate> = {},
): PlacementCandidate {
  const base: WorkerRecord = {
    id: `wrk_${name}`,
    name,
    pool: 'default',
    labels: {},
    invited: { pool: 'default', labels: {} },
    key: '',
    state: 'ready',
    isDraining: false,
    joinedAt: 0,
    changedAt: 0,
    boot: null,
    version: null,
    maxSessions: 0,
    maxSteps: 2,
    agents: [],
  }
  return { record: { ...base, ...record }, isConnected, isFull, clockOffsetMs, steps, runs }
}

describe('the placement of a run', () => {
  test('selects the least loaded worker, then the first by name', () => {
    expect(chooseWorker({}, [candidate('b'), candidate('a')])).toMatchObject({ worker: 'wrk_a' })
    expect(chooseWorker({}, [candidate('a', { runs: 1 }), candidate('b')])).toMatchObject({ worker: 'wrk_b' })
    const large = candidate('large', { runs: 3, maxSteps: 20 })
    expect(chooseWorker({}, [candidate('small', { steps: 1 }), large])).toMatchObject({ worker: 'wrk_large' })
  })

  test('selects the preferred worker while that one has room', () => {
    const [parent, idle] = [candidate('b', { runs: 1 }), candidate('a')]
    expect(chooseWorker({}, [parent, idle], 'wrk_b')).toMatchObject({
      worker: 'wrk_b',
      why: 'any worker, has the parent run',
    })
    const busy = candidate('b', { runs: 2 })
    expect(chooseWorker({}, [busy, idle], 'wrk_b')).toMatchObject({ worker: 'wrk_a' })
    expect(chooseWorker({ pool: 'build' }, [parent, candidate('c', { pool: 'build' })], 'wrk_b')).toMatchObject({
      worker: 'wrk_c',
    })
  })

  test('avoids a worker without free disk space', () => {
    const full = candidate('a', { isFull: true })
    expect(chooseWorker({}, [full, candidate('b', { runs: 1 })])).toMatchObject({ worker: 'wrk_b' })
    expect(chooseWorker({ worker: 'a' }, [full])).toEqual({
      waits: 'every worker that has the name a has too little free disk space',
    })
  })

  test('avoids a worker whose clock is wrong', () => {
    const wrong = candidate('a', { clockOffsetMs: -61_000 })
    expect(chooseWorker({}, [wrong, candidate('b', { runs: 1, clockOffsetMs: 4_900 })])).toMatchObject({
      worker: 'wrk_b',
    })
    expect(chooseWorker({}, [wrong])).toEqual({
      waits: 'the clock of a is 61 s behind the store’s: set it, or use a time service',
    })
  })

  test('requires that pool, labels and name all match', () => {
    const workers = [
      candidate('a', { labels: { gpu: 'yes' } }),
      candidate('b', { pool: 'build' }),
      candidate('c', { pool: 'build', labels: { gpu: 'yes', os: 'linux' } }),
    ]
    expect(chooseWorker({ pool: 'build', labels: { gpu: 'yes' } }, workers)).toMatchObject({ worker: 'wrk_c' })
    expect(chooseWorker({ worker: 'b' }, workers)).toMatchObject({ worker: 'wrk_b' })
    expect(chooseWorker({ worker: 'b', labels: { gpu: 'yes' } }, workers)).toEqual({
      waits: 'no worker has the name b and the label gpu=yes',
    })
  })

  test.each([
    ['no worker has the pool build', {}, { pool: 'build' }],
    ['no ready worker has joined (a is draining)', { isDraining: true }, {}],
    ['no ready worker has joined (a is away)', { isConnected: false }, {}],
    ['no ready worker has joined (a is lost)', { state: 'lost' as const }, {}],
    ['every worker that has joined is busy', { steps: 2 }, {}],
    ['every worker that has joined is busy', { runs: 2 }, {}],
    ['no worker has joined', { state: 'removed' as const }, {}],
  ])('finds no worker: %s', (waits, about, request) => {
    expect(chooseWorker(request, [candidate('a', about)])).toEqual({ waits })
  })
})
