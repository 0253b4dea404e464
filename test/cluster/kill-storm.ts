import { waitFor } from '../e2e/harness.js'
import type { ClusterUnderTest } from './cluster-under-test.js'
import { type Kill, progressed, type StormResult, type StormSize, stormOver } from './storm-runs.js'

export interface KillStormOptions extends StormSize {
  /** The parts that are killed in each round; of several, the next one in each round. */
  kills: readonly string[]
  rounds: number
}

/** The parts of a cluster are killed one after the other, under live runs. */
export function killStorm(cluster: ClusterUnderTest, options: KillStormOptions): Promise<StormResult> {
  const kills: Kill[] = []
  return stormOver(cluster, options, kills, async ids => {
    for (let round = 0; round < options.rounds; round++)
      for (const wanted of options.kills) {
        const part = nameOf(cluster, wanted, round)
        const at = Date.now()
        kills.push({ part, at })
        if (!cluster.kill(part)) throw new Error(`${part} was not there`)
        await settled(cluster, ids, part)
        options.say(`round ${round + 1}: ${part} killed, all progress again after ${Date.now() - at} ms`)
      }
  })
}

function nameOf(cluster: ClusterUnderTest, wanted: string, round: number): string {
  const several = cluster.named(wanted)
  return several.length === 0 ? wanted : several[round % several.length]!
}

/**
 * Waits until the part is back and every run that is not over has made progress. Without a server
 * that answers, the next kill would be one of all servers.
 */
async function settled(cluster: ClusterUnderTest, ids: readonly string[], part: string): Promise<void> {
  const process = part.replace(/^(machine|paused)/, 'server')
  const before = await cluster.progress(ids)
  await waitFor(`${part} to come back`, () => part.startsWith('engine-') || cluster.pid(process) !== null)
  if (process.startsWith('server-')) await waitFor(`${process} to answer`, () => cluster.client(process))
  await progressed(cluster, ids, `${part} was killed`, before)
}
