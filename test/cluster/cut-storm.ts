import { setTimeout as pause } from 'node:timers/promises'
import { runStream } from '../../src/engine/index.js'
import { isEvent } from '../../src/events/index.js'
import { waitFor } from '../e2e/harness.js'
import type { ClusterUnderTest, Cuttable, Network } from './cluster-under-test.js'
import type { EngineNodes } from './engine-nodes.js'
import { areOver, type Kill, progressed, type StormResult, type StormSize, stormOver } from './storm-runs.js'

export interface CutStormOptions extends StormSize {
  /** What is cut, one after the other, each for these times in seconds. */
  cuts: readonly (readonly [string, readonly Cuttable[]])[]
  seconds: readonly number[]
}

/**
 * Networks are cut under live runs, shorter than workers may be away. All runs must go on while a
 * network is cut, except those of a worker that reaches no server.
 */
export function cutStorm(cluster: ClusterUnderTest, options: CutStormOptions): Promise<StormResult> {
  const cuts: Kill[] = []
  return stormOver(cluster, { ...options, name: 'cut' }, cuts, async ids => {
    for (const [name, parts] of options.cuts)
      for (const seconds of options.seconds) {
        if (await areOver(cluster, ids)) return options.say(`the runs were over before ${name} was cut`)
        const at = Date.now()
        cuts.push({ part: name.split(' ')[0]!, at })
        for (const part of parts) part.cut()
        const isBack = { value: false }
        const going = progressed(cluster, ids, `${name} was cut`).then(() => ({
          ms: Date.now() - at,
          isDuring: !isBack.value,
        }))
        await pause(seconds * 1000)
        isBack.value = true
        for (const part of parts) part.heal()
        const { ms, isDuring } = await going
        const when = isDuring ? 'during the cut' : 'after it'
        options.say(`${name} cut for ${seconds} s: all progress again after ${ms} ms, ${when}`)
      }
  })
}

export interface LossStormOptions {
  runs: number
  lostAfterS: number
  say(line: string): void
}

/** Long enough to run when the worker must have stopped, and when its runs have moved. */
const LONG_S = 90
/** Ends while the worker is cut off: its report arrives late. */
const SHORT_S = 20
const STEPS = 6

/**
 * A worker is cut off from all servers for longer than `worker.lost_after`: it must stop its steps
 * and sessions before its runs move, and what it reports afterwards must not count.
 */
export async function lossStorm(
  cluster: ClusterUnderTest,
  network: Network,
  { runs, lostAfterS, say }: LossStormOptions,
): Promise<StormResult> {
  const workers = cluster.named('worker')
  const lost = workers[0]!
  // Of the runs of each worker, one repeats its long step, one may not, one ends in the cut.
  const kindOf = (run: number) => Math.floor(run / workers.length) % 3
  const pauseS = (run: number, step: number) => {
    if (step === 2 && kindOf(run) === 0) return LONG_S
    if (step === 3 && kindOf(run) === 1) return LONG_S
    return step === 2 && kindOf(run) === 2 ? SHORT_S : 1
  }
  const session = await startSession(cluster, lost)
  const extra: string[] = []
  const cuts: Kill[] = []
  const result = await stormOver(cluster, { runs, steps: STEPS, pauseS, say, name: 'lost' }, cuts, async ids => {
    const own = (await waitFor('the long steps to begin', () => placedAndBusy(cluster, ids))).get(lost)!
    say(`${lost} has ${own.length} runs and a session with process ${session.pid}; it is cut off`)
    const at = Date.now()
    const since = () => `${Math.round((Date.now() - at) / 1000)} s after the cut`
    cuts.push({ part: lost, at })
    const cut = network.eachWorker.get(lost)!
    cut.cut()
    const stopped = waitFor('the worker to stop', () => cluster.log(lost).includes('too long'), 600_000)
    void stopped.then(() => say(`${lost} stops by itself, ${since()}`))
    const limit = (lostAfterS + 120) * 1000
    await waitFor('its session to be lost', async () => (await session.state()) === 'lost', limit)
    if (isAlive(session.pid)) extra.push(`the agent of a session still ran when the session was declared lost`)
    say(`its session is lost, ${since()}`)
    await waitFor('its runs to move', async () => (await movedRuns(cluster, own)).length === own.length, limit)
    say(`its runs have moved, ${since()}`)
    if (!cluster.log(lost).includes('too long')) extra.push(`${lost} had not stopped when its runs moved`)
    cut.heal()
    await waitFor(`${lost} to be ready again`, async () => (await stateOf(cluster, lost)).state === 'ready', 60_000)
    say(`${lost} is back, ${since()}`)
  })
  const left = await stateOf(cluster, lost)
  if (left.steps > 0) extra.push(`${lost} still has ${left.steps} steps`)
  return { ...result, violations: [...result.violations, ...extra] }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function startSession(cluster: ClusterUnderTest, worker: string) {
  const body = { agent: 'demo', args: [], cwd: cluster.notes, env: null, size: null, placement: { worker } }
  const { id } = await cluster.ask(client => client.post<{ id: string }>('/sessions', body))
  const store = await cluster.openStore()
  const pid = (await store.document<{ pid: number }>('sessions', id))!.state.pid
  await store.close()
  return {
    pid,
    state: () => cluster.ask(async client => (await client.get<{ state: string }>(`/sessions/${id}`)).state),
  }
}

interface ListedWorker {
  name: string
  state: string
  steps: number
}

async function stateOf(cluster: ClusterUnderTest, name: string): Promise<ListedWorker> {
  const { items } = await cluster.ask(client => client.get<{ items: ListedWorker[] }>('/workers'))
  return items.find(worker => worker.name === name)!
}

/** The runs by worker, once each of them is in its second or third step. */
async function placedAndBusy(cluster: ClusterUnderTest, ids: readonly string[]): Promise<Map<string, string[]> | null> {
  const store = await cluster.openStore()
  try {
    const by = new Map<string, string[]>()
    for (const id of ids) {
      const journal = await store.readStream(runStream(id))
      const placed = journal.findLast(event => isEvent(event, 'run.placed'))
      const isBusy = journal.some(event => isEvent(event, 'step.started') && /^s2@/.test(event.data.step))
      if (!placed || !isEvent(placed, 'run.placed') || !isBusy) return null
      by.set(placed.data.name, [...(by.get(placed.data.name) ?? []), id])
    }
    return by
  } finally {
    await store.close()
  }
}

async function movedRuns(cluster: ClusterUnderTest, ids: readonly string[]): Promise<string[]> {
  const store = await cluster.openStore()
  try {
    const moved: string[] = []
    for (const id of ids)
      if ((await store.readStream(runStream(id))).some(event => isEvent(event, 'run.placed') && event.data.epoch > 1))
        moved.push(id)
    return moved
  } finally {
    await store.close()
  }
}

export interface QuorumStormOptions extends StormSize {
  /** How long two of three nodes are away. */
  awayS: number
}

/**
 * Two of the three nodes of Restate are killed and stay away, each pair once: without a quorum the
 * engine does nothing, and the servers drive the runs by themselves. Then the nodes return.
 */
export function quorumStorm(
  cluster: ClusterUnderTest,
  nodes: EngineNodes,
  options: QuorumStormOptions,
): Promise<StormResult> {
  const { say, awayS } = options
  const kills: Kill[] = []
  return stormOver(cluster, { ...options, name: 'quorum' }, kills, async ids => {
    for (const [index, left] of nodes.names.entries()) {
      const away = nodes.names.filter(name => name !== left)
      const at = Date.now()
      kills.push({ part: `quorum-${index}`, at })
      for (const name of away) nodes.takeDown(name)
      const until = pause(awayS * 1000)
      for (let n = 0; n < 3; n++) await progressed(cluster, ids, `${away} were gone`)
      say(`${away.join(' and ')} are gone: three times progress in all runs within ${Date.now() - at} ms`)
      await until
      for (const name of away) nodes.bringBack(name)
      const back = Date.now()
      await waitFor(`${away} to answer`, () => engineAnswers(cluster), 120_000)
      await progressed(cluster, ids, `${away} returned`)
      say(`they return: the engine answers, and all runs have progressed after ${Date.now() - back} ms`)
    }
  })
}

/** Each server reaches its node, and its node takes work. */
async function engineAnswers(cluster: ClusterUnderTest): Promise<boolean> {
  for (const name of cluster.servers) {
    const status = await (await cluster.client(name))?.get<{ isAnswering?: boolean }>('/engine').catch(() => null)
    if (status?.isAnswering !== true) return false
  }
  return true
}
