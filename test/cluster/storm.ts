import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { appendStorm } from './append-storm.js'
import { ClusterUnderTest, type Network } from './cluster-under-test.js'
import { killStorm } from './kill-storm.js'
import { partitionStorm } from './partition-storm.js'

/*
 * `npm run storm:cluster`: what `npm test` takes a sample of. Prints a report, and exits with 1 if
 * anything was lost or done twice.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'restate' },
    runs: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '20' },
    steps: { type: 'string', default: '120' },
    pause: { type: 'string', default: '3' },
    workers: { type: 'string', default: '3' },
    decisions: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '10' },
    /** How long each cut lasts, in seconds, in turn. */
    cuts: { type: 'string', default: '5,2,12,2,60' },
    /** How long the partitions may take. */
    minutes: { type: 'string', default: '30' },
    /** The parts that are killed in each round, by default all kinds. */
    kills: { type: 'string' },
    /** How many servers are killed at their appends. */
    deaths: { type: 'string', default: '100' },
    /** `kills`, `partitions` or `appends`. */
    only: { type: 'string' },
  },
})

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
const load = () => loadavg()[0]!.toFixed(1)

say(`starting PostgreSQL, three servers (engine ${values.engine}) and ${values.workers} workers; load ${load()}`)
const cluster = await ClusterUnderTest.start(values.engine, { workers: Number(values.workers) })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close().then(() => process.exit(1)))
let violated = 0
const networks: Network[] = []
try {
  const isWanted = (part: string) => values.only === undefined || values.only === part
  if (isWanted('kills')) await storm()
  if (isWanted('appends') || isWanted('partitions')) networks.push(await cluster.behindProxies())
  if (isWanted('appends')) await appends(networks[0]!)
  if (isWanted('partitions')) await partitions(networks[0]!)
  process.exitCode = violated === 0 ? 0 : 1
} finally {
  // The parts reach each other through the proxies until they have stopped.
  await cluster.close()
  for (const network of networks) await network.close()
}

async function storm(): Promise<void> {
  const result = await killStorm(cluster, {
    runs: Number(values.runs),
    steps: Number(values.steps),
    pauseS: Number(values.pause),
    rounds: Number(values.rounds),
    kills: values.kills?.split(',') ?? [
      'worker',
      ...(values.engine === 'restate' ? ['engine'] : []),
      'server',
      'postgres',
    ],
    say,
  })
  const { kills, started, furtherAttempts, decisions, gaps } = result
  const again = `${furtherAttempts} of them again after their worker was killed`
  say(`${kills} kills, ${started} commands started, ${again}; load ${load()}`)
  say(`${decisions} gates decided, each by two askers at two servers`)
  for (const [kind, all] of gaps) {
    const sorted = all.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    say(`gap after a kill of ${kind}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${sorted.at(-1)} ms`)
  }
  for (const line of result.longest) say(line)
  conclude(result.violations)
}

/** Servers are killed at their appends: 12 runs of 25 steps at a time. */
async function appends(network: Network): Promise<void> {
  const size = { runs: 12, steps: 25, pauseS: Math.min(1, Number(values.pause)) }
  const limitMs = Number(values.minutes) * 60_000
  const result = await appendStorm(cluster, network, { ...size, kills: Number(values.deaths), limitMs, say })
  const { kills, runs, started, furtherAttempts, decisions } = result
  say(`${kills} servers killed at their appends under ${runs} runs; load ${load()}`)
  say(`${started} commands started, ${furtherAttempts} of them again; ${decisions} gates decided`)
  for (const [kind, { before, after, answered }] of result.appends)
    say(`${kind}: killed ${before} times before, ${after} after it, ${answered} when it was answered`)
  conclude(result.violations)
}

async function partitions(network: Network): Promise<void> {
  const sessions = Number(values.sessions)
  const requests = Math.ceil(Number(values.decisions) / sessions)
  const limitMs = Number(values.minutes) * 60_000
  const size = { sessions, requests, limitMs, cuts: values.cuts.split(',').map(Number) }
  const result = await partitionStorm(cluster, network, { ...size, say })
  const { accepted, refused, unknown } = result.told
  say(`${result.decided} decisions, ${result.applied} applied; load ${load()}`)
  say(`askers were told: ${accepted} accepted, ${refused} decided by another, ${unknown} outcome unknown`)
  if (result.notDone > 0) say(`${result.notDone} requests were not settled within ${values.minutes} minutes`)
  conclude(result.violations)
}

function conclude(violations: readonly string[]): void {
  violated += violations.length
  for (const violation of violations) say(`VIOLATED ${violation}`)
  say(violations.length === 0 ? 'nothing was lost, nothing was done twice' : `${violations.length} violations`)
}
