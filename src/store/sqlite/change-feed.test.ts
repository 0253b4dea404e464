import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { ChangeFeed } from './change-feed.js'

describe('ChangeFeed', () => {
  let directory: string
  let clock: SimulatedClock
  let version: number
  let checks: number
  let changes: number
  let errors: unknown[]
  let failure: Error | null
  let feed: ChangeFeed
  let onCheck: (() => void) | null

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'signalbox-feed-'))
    clock = new SimulatedClock()
    version = checks = changes = 0
    errors = []
    failure = onCheck = null
    feed = new ChangeFeed({
      path: join(directory, 'store.db'),
      clock,
      readVersion: () => {
        checks += 1
        onCheck?.()
        if (failure) throw failure
        return version
      },
      onChange: () => {
        changes += 1
      },
      onError: error => errors.push(error),
    })
  })

  afterEach(() => {
    feed.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('finds a change by polling if no file event arrives', () => {
    feed.start()
    version = 1
    clock.advance(249)
    expect(changes).toBe(0)
    clock.advance(1)
    expect(changes).toBe(1)
    clock.advance(1_000)
    expect(changes).toBe(1)
  })

  it('checks four times a second when idle, and never when stopped', () => {
    feed.start()
    checks = 0
    clock.advance(10_000)
    expect(checks).toBe(40)
    feed.stop()
    expect(clock.pending).toBe(0)
    clock.advance(10_000)
    expect(checks).toBe(40)
  })

  it('checks at once when the journal is written, and again because the commit is not visible yet', async () => {
    feed.start()
    const woken = new Promise<void>(resolve => {
      onCheck = resolve
    })
    writeFileSync(join(directory, 'store.db-wal'), 'frame')
    await woken
    version = 1
    clock.advance(1)
    expect(changes).toBe(1)
    version = 2
    clock.advance(63)
    expect(changes).toBe(2)
  })

  it('does not report changes from before the start', () => {
    version = 5
    feed.start()
    feed.stop()
    version = 6
    feed.start()
    clock.advance(1_000)
    expect(changes).toBe(0)
  })

  it('reports a failure once, and again after a recovery', () => {
    feed.start()
    failure = new Error('gone')
    clock.advance(1_000)
    expect(errors).toEqual([failure])
    failure = null
    version = 1
    clock.advance(250)
    expect(changes).toBe(1)
    failure = new Error('gone again')
    clock.advance(1_000)
    expect(errors).toHaveLength(2)
  })
})
