import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { appendStorm } from './append-storm.js'
import { ClusterUnderTest, type Network } from './cluster-under-test.js'
import { cutStorm, lossStorm, quorumStorm } from './cut-storm.js'
import { EngineNodes, wrappedEngine } from './engine-nodes.js'
import { killStorm } from './kill-storm.js'
import { partitionStorm } from './partition-storm.js'
import type { StormResult, StormSize } from './storm-runs.js'

/*
 * `npm run storm:cluster`: what `npm test` takes a sample of. Prints a report, and exits with 1 if
 * anything was lost or done twice.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'restate' },
    runs: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '20' },
    /** Of each run; by default 120, or as many as fill the time of the cuts. */
    steps: { type: 'string' },
    pause: { type: 'string', default: '3' },
    workers: { type: 'string', default: '3' },
    decisions: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '10' },
    /** How long each cut lasts, in seconds; by default 5,2,12,2,60 in turn, and both 5 and 60. */
    cuts: { type: 'string' },
    /** Only the networks whose names contain this: `workers`, `store`, `nodes`. */
    networks: { type: 'string', default: '' },
    /** How long the partitions may take. */
    minutes: { type: 'string', default: '30' },
    /** The parts that are killed in each round, by default all kinds. */
    kills: { type: 'string' },
    /** How many servers are killed at their appends. */
    deaths: { type: 'string', default: '100' },
    /** `worker.lost_after` of the servers, in seconds; 30 is the least. */
    lostAfter: { type: 'string', default: '30' },
    /** `kills`, `appends`, `partitions`, `cuts`, `loss` or `quorum`. */
    only: { type: 'string' },
  },
})

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
const load = () => loadavg()[0]!.toFixed(1)

say(`starting PostgreSQL, three servers (engine ${values.engine}) and ${values.workers} workers; load ${load()}`)
const hasNodes = values.engine === 'restate'
const cluster = await ClusterUnderTest.start(values.engine, {
  workers: Number(values.workers),
  env: root => (hasNodes ? wrappedEngine(root) : {}),
})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close().then(() => process.exit(1)))
let violated = 0
let nodes: EngineNodes | null = null
try {
  const isWanted = (part: string) => values.only === undefined || values.only === part
  if (isWanted('kills')) await storm()
  const network = ['appends', 'partitions', 'cuts', 'loss'].some(isWanted)
    ? await cluster.behindProxies({ lostAfterS: isWanted('loss') ? Number(values.lostAfter) : 600 })
    : null
  if (network && isWanted('appends')) await appends(network)
  // The nodes are restarted for it, too.
  if (hasNodes && ['cuts', 'quorum'].some(isWanted)) nodes = await EngineNodes.behindProxies(cluster)
  if (network && isWanted('partitions')) await partitions(network)
  if (network && isWanted('cuts')) await cuts(network)
  if (network && isWanted('loss')) await loss(network)
  if (nodes && isWanted('quorum')) await quorum(nodes)
  process.exitCode = violated === 0 ? 0 : 1
} finally {
  await cluster.close()
  await nodes?.close()
}

async function storm(): Promise<void> {
  const result = await killStorm(cluster, {
    runs: Number(values.runs),
    steps: Number(values.steps ?? 120),
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
  report(result, 'kills')
  const { gaps } = result
  for (const [kind, all] of gaps) {
    const sorted = all.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    say(`gap after a kill of ${kind}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${sorted.at(-1)} ms`)
  }
  for (const line of result.longest) say(line)
  conclude(result.violations)
}

/** Every network of the servers, of one worker and of the engine is cut, for 5 s and for 60 s. */
async function cuts(network: Network): Promise<void> {
  const { choices, eachWorker } = network
  const [name, worker] = [...eachWorker][0]!
  const between = (nodes?.names ?? []).map(node => [`${node} from the other nodes`, [nodes!.networkOf(node)]] as const)
  const own = choices.filter(([choice]) => !/clients/.test(choice))
  const every = [...own, [`${name} from all servers`, [worker]] as const, ...between]
  const all = every.filter(([choice]) => choice.includes(values.networks))
  const seconds = (values.cuts ?? '5,60').split(',').map(Number)
  const size = sizeFor(all.length * seconds.reduce((sum, each) => sum + each + 5, 0))
  const result = await cutStorm(cluster, { ...size, cuts: all, seconds })
  report(result, 'cuts')
  conclude(result.violations)
}

/** Two of the three nodes of the engine are gone for a minute, each pair once. */
async function quorum(of: EngineNodes): Promise<void> {
  const awayS = 60
  const size = sizeFor(of.names.length * (awayS + 10))
  const result = await quorumStorm(cluster, of, { ...size, awayS })
  report(result, 'losses of the quorum')
  conclude(result.violations)
}

/** A worker is cut off for longer than it may be away. */
async function loss(network: Network): Promise<void> {
  const result = await lossStorm(cluster, network, { runs: 18, lostAfterS: Number(values.lostAfter), say })
  report(result, 'cuts')
  conclude(result.violations)
}

/** Runs that go on for this time. What a step takes besides its pause depends on the machine. */
function sizeFor(seconds: number): StormSize {
  const [runs, pauseS] = [Math.min(12, Number(values.runs)), Number(values.pause)]
  return { runs, pauseS, steps: Number(values.steps ?? Math.ceil(seconds / (pauseS + 0.5))), say }
}

function report({ kills, started, furtherAttempts, decisions }: StormResult, what: string): void {
  const again = `${furtherAttempts} of them again after their worker was gone`
  say(`${kills} ${what}, ${started} commands started, ${again}; load ${load()}`)
  say(`${decisions} gates decided, each by two askers at two servers`)
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
  const size = { sessions, requests, limitMs, cuts: (values.cuts ?? '5,2,12,2,60').split(',').map(Number) }
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
