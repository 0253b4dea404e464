import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { systemClock } from '../../clock/index.js'
import { openStore } from '../index.js'
import { describeEventStore, type StoreSite } from '../testing/conformance.js'

const APPEND_ELSEWHERE = fileURLToPath(new URL('../testing/append-elsewhere.ts', import.meta.url))

async function makeSite(): Promise<StoreSite> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
  const path = join(directory, 'store.db')
  let passed = 0
  const clock = { ...systemClock, now: () => systemClock.now() + passed }
  return {
    connect: options => openStore({ path, clock, ...options }),
    async appendElsewhere(stream, events) {
      const args = ['--import', 'tsx', APPEND_ELSEWHERE, path, stream, JSON.stringify(events)]
      const child = spawn(process.execPath, args, { stdio: 'inherit' })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`the other process ended with ${code}`)
    },
    passTime: async ms => {
      passed += ms
    },
    dispose: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

describeEventStore('the SQLite store', makeSite)

it('the lease of a dead owner can be acquired at once', async () => {
  const site = await makeSite()
  const store = await site.connect()
  try {
    await store.acquireLease('run/1', 'dead', { ttlMs: 60_000 })
    const isGone = (owner: string) => owner === 'dead'
    expect(await store.acquireLease('run/1', 'two', { ttlMs: 60_000, isGone })).toMatchObject({ owner: 'two' })
  } finally {
    await store.close()
    await site.dispose()
  }
})
