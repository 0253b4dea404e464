import { afterAll, beforeAll, expect, test } from 'vitest'
import { runStream } from '../../src/engine/index.js'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { ClusterUnderTest } from './cluster-under-test.js'

const RUNS = 6
const STEPS = 14

const ENGINES = {
  store: ['server-1', 'worker-1', 'postgres', 'server-2', 'server-3'],
  restate: ['server-1', 'engine-2', 'worker-1', 'engine-3', 'server-2', 'engine-1'],
}

for (const [engine, parts] of Object.entries(ENGINES)) describeCluster(engine, parts)

function describeCluster(engine: string, parts: readonly string[]): void {
  const need = engine === 'restate' ? 'restate' : 'postgres'
  describeNeeding(need, `a cluster of three servers and two workers with the engine ${engine}`, () =>
    testCluster(engine, parts),
  )
}

function testCluster(engine: string, parts: readonly string[]): void {
  let cluster: ClusterUnderTest

  beforeAll(async () => {
    cluster = await ClusterUnderTest.start(engine)
  })
  afterAll(async () => {
    await cluster?.close()
  })

  const begun = () => [...cluster.begun().values()].reduce((sum, count) => sum + count, 0)

  test('loses no run and repeats no step while each of its parts is killed in turn', async () => {
    const loads = Array.from({ length: RUNS }, (_, at) => cluster.startLoad(`load-${at}`, STEPS, '0.3'))
    const ids = await Promise.all(loads)
    for (const name of parts) {
      const before = begun()
      cluster.kill(name)
      // The others go on, or it comes back: further steps begin.
      await waitFor(`steps after ${name} was killed`, () => begun() >= Math.min(before + RUNS, RUNS * STEPS))
      if (!name.startsWith('engine-')) await waitFor(`${name} to come back`, () => cluster.pid(name) !== null)
    }
    const runs = await waitFor('the runs to end', async () => {
      const found = (await cluster.runs()).filter(({ id }) => ids.includes(id))
      return found.length === RUNS && found.every(({ status }) => status === 'completed') && found
    })
    expect(runs).toHaveLength(RUNS)
    // A step whose worker was killed is a further attempt, with a name of its own.
    expect([...cluster.begun()].filter(([, count]) => count > 1)).toEqual([])
    const steps = new Set([...cluster.begun().keys()].map(step => step.replace(/#\d+$/, '')))
    expect(steps.size).toBe(RUNS * STEPS)
    const store = await cluster.openStore()
    for (const id of ids) {
      const versions = (await store.readStream(runStream(id))).map(({ version }) => version)
      expect(versions).toEqual(versions.map((_, at) => at + 1))
    }
    expect(await store.checkChain()).toEqual([])
    await store.close()
  })

  test('refuses a server that does not fit', async () => {
    const embedded = await cluster.command('server-4', ['serve', '--port', '0', '--engine', 'embedded'])
    expect(embedded).toMatchObject({ code: 6, stderr: expect.stringContaining('the engine "embedded" is for one') })
    const alone = await cluster.command('alone', ['serve', '--port', '0', '--engine', 'store'])
    expect(alone).toMatchObject({ code: 6, stderr: expect.stringContaining('several servers can share') })
  })

  test('shows the same runs on every server, and which worker has them', async () => {
    const lists = await Promise.all(
      cluster.servers.map(async name => {
        const client = await waitFor(`${name} to answer`, () => cluster.client(name))
        return (await client.get<{ items: { id: string }[] }>('/runs?limit=200')).items.map(({ id }) => id)
      }),
    )
    expect(lists[1]).toEqual(lists[0])
    expect(lists[2]).toEqual(lists[0])
    expect((await cluster.runs()).every(({ workerName }) => workerName?.startsWith('worker-'))).toBe(true)
  })
}
