import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { approvalsProjection } from '../approvals/index.js'
import { SimulatedClock } from '../clock/index.js'
import { validateEvent } from '../events/index.js'
import type { EventStore } from '../store/index.js'
import { openTestStore } from '../store/testing/open-test-store.js'
import { createRun } from './control.js'
import { runsProjection } from './runs-projection.js'
import { Servers } from './servers.js'
import { serversProjection } from './servers-projection.js'
import { StoreEngine } from './store-engine.js'
import { describeRunEngine, type EngineServer } from './testing/conformance.js'
import { listRun } from './testing/list-workflow.js'

const projections = [runsProjection, approvalsProjection, serversProjection] as never

async function openSite(shared: boolean) {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-engine-'))
  const clock = new SimulatedClock(1_000_000)
  const path = join(directory, 'store.db')
  const store = await openTestStore({ path, clock, projections, validate: validateEvent })
  const join_ = (id: string, at = store) =>
    joined(new Servers({ store: at, clock, id, engine: 'store', version: '1', onError }))
  const engineOf = (servers?: Servers, ask?: () => Promise<boolean>) =>
    new StoreEngine({
      store,
      clock,
      owner: servers?.owner ?? 'test',
      isGone: owner => servers?.isGone(owner) ?? true,
      hasRoom: () => true,
      isWanted: () => true,
      ...(servers && { servers }),
      ...(ask && { ask }),
      onError,
    })
  const gone = new Set<string>()
  return {
    store,
    clock,
    // Longer than the time between two scans.
    timerMs: 7_000,
    joinServers: join_,
    engineOf,
    passTime: (ms: number) => clock.advance(ms),
    join: async (at: EventStore, name: string): Promise<EngineServer> => {
      const servers = shared ? await join_(name, at) : null
      return {
        owner: servers?.owner ?? name,
        isGone: owner => servers?.isGone(owner) ?? gone.has(owner),
        open: port => new StoreEngine({ ...port, ...(servers && { servers }) }),
        close: async () => {
          gone.add(name)
          await servers?.close()
        },
      }
    },
    close: async () => {
      await store.close()
      rmSync(directory, { recursive: true })
    },
  }
}

const onError = () => undefined

async function joined(servers: Servers): Promise<Servers> {
  await servers.join()
  return servers
}

describe('the engine of one server', () => describeRunEngine(() => openSite(false)))
describe('the engine of several servers', () => {
  describeRunEngine(() => openSite(true))

  test('drives each run by one server, and by another when that one is gone', async () => {
    const site = await openSite(false)
    const [a, b] = [await site.joinServers('home_a'), await site.joinServers('home_b')]
    await a.refresh()
    const taken = new Map<string, string[]>()
    const take = (name: string, servers: Servers) => async (run: string) => {
      const lease = await site.store.acquireLease(`run/${run}`, servers.owner, {
        ttlMs: 15_000,
        isGone: owner => servers.isGone(owner),
      })
      if (!lease.isAcquired) return { againAt: null }
      taken.set(run, [...(taken.get(run) ?? []), name])
      // Drives it until the end of the test.
      return new Promise<never>(() => undefined)
    }
    const engines = [site.engineOf(a), site.engineOf(b)]
    await engines[0]!.start(take('a', a))
    await engines[1]!.start(take('b', b))
    const runs = await Promise.all(
      Array.from({ length: 12 }, () => createRun(site.store, listRun([{ do: 'step', name: 'a' }]), site.clock.now())),
    )
    await expect.poll(() => taken.size).toBe(12)
    const first = [...taken.values()].map(([name]) => name)
    expect(new Set(first)).toEqual(new Set(['a', 'b']))
    await engines[0]!.close()
    await a.close()
    await b.refresh()
    expect(b.isGone(a.owner)).toBe(true)
    for (const run of runs.filter(run => taken.get(run)![0] === 'a'))
      await expect.poll(() => taken.get(run)).toEqual(['a', 'b'])
    for (const run of runs.filter(run => taken.get(run)![0] === 'b')) expect(taken.get(run)).toEqual(['b'])
    await engines[1]!.close()
    await b.close()
    await site.close()
  })

  test('drives a run for which another engine was asked and did not call', async () => {
    const site = await openSite(false)
    let asked = 0
    const engine = site.engineOf(await site.joinServers('home_a'), async () => ++asked > 0)
    const taken: string[] = []
    await engine.start(async run => {
      taken.push(run)
      return new Promise<never>(() => undefined)
    })
    const run = await createRun(
      site.store,
      { ...listRun([{ do: 'step', name: 'a' }]), placement: {} },
      site.clock.now(),
    )
    await expect.poll(() => asked).toBe(1)
    expect(taken).toEqual([])
    await expect
      .poll(() => {
        site.clock.advance(100)
        return taken
      })
      .toEqual([run])
    expect(asked).toBe(1)
    await engine.close()
    await site.close()
  })

  test('refuses a server with another engine, or with the engine for one server', async () => {
    const site = await openSite(false)
    const first = await site.joinServers('home_a')
    const open = (engine: string) =>
      joined(new Servers({ store: site.store, clock: site.clock, id: 'home_b', engine, version: '1', onError }))
    await expect(open('embedded')).rejects.toMatchObject({ code: 'E_ENGINE_SINGLE' })
    await expect(open('restate')).rejects.toMatchObject({ code: 'E_ENGINE_MIXED' })
    await first.close()
    await (await open('embedded')).close()
    await site.close()
  })
})
