import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../e2e/harness.js'
import { describeNeeding } from '../support/requirements.js'
import { ClusterUnderTest } from './cluster-under-test.js'
import { killStorm } from './kill-storm.js'

const KILLS = {
  store: ['server', 'worker', 'postgres'],
  restate: ['engine', 'server', 'worker'],
}

for (const [engine, kills] of Object.entries(KILLS)) describeCluster(engine, kills)

function describeCluster(engine: string, kills: readonly string[]): void {
  const need = engine === 'restate' ? 'restate' : 'postgres'
  describeNeeding(need, `a cluster of three servers and two workers with the engine ${engine}`, () =>
    testCluster(engine, kills),
  )
}

function testCluster(engine: string, kills: readonly string[]): void {
  let cluster: ClusterUnderTest

  beforeAll(async () => {
    cluster = await ClusterUnderTest.start(engine)
  })
  afterAll(async () => {
    await cluster?.close()
  })

  // `npm run storm:cluster` does the same with 50 runs, 3 workers and 20 rounds.
  test('loses no run or decision and repeats no step while its parts are killed in turn', async () => {
    const size = { runs: 6, steps: 10, pauseS: 0.5, rounds: 1 }
    const { violations, decisions } = await killStorm(cluster, { ...size, kills, say: () => undefined })
    expect(violations).toEqual([])
    expect(decisions).toBe(12)
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
