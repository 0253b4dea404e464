import { describe, expect, it } from 'vitest'
import { type ReplicationState, replicationProblem } from './replication.js'

const ALONE: ReplicationState = {
  standbys: 0,
  synchronous: null,
  slots: 0,
  names: '',
  commit: 'on',
}
const problemOf = (state: Partial<ReplicationState>) => replicationProblem({ ...ALONE, ...state })?.message ?? null

describe('replication of the database', () => {
  it('is no problem without standbys, and with one that confirms commits', () => {
    expect(problemOf({})).toBeNull()
    expect(problemOf({ names: 'FIRST 1 (a)', standbys: 1, synchronous: 1 })).toBeNull()
    expect(problemOf({ names: '*', standbys: 2, synchronous: null, commit: 'remote_apply' })).toBeNull()
  })

  it.each([
    ['a standby that confirms nothing', { standbys: 1, synchronous: 0 }],
    ['a standby that is away now, and has a slot', { slots: 1 }],
  ])('is a problem with %s', (_, state) => {
    expect(problemOf(state)).toContain('replicates asynchronously')
  })

  it.each(['off', 'local', 'remote_write'])('is a problem if a connection commits with "%s"', commit => {
    expect(problemOf({ names: 'a', standbys: 1, synchronous: 1, commit })).toContain(`"${commit}"`)
  })

  it('is a problem if no standby has a name that may confirm', () => {
    expect(problemOf({ names: 'a', standbys: 0 })).toContain('writes wait')
    expect(problemOf({ names: 'a', standbys: 1, synchronous: 0 })).toContain('writes wait')
  })
})
