import type { ClusterUnderTest, Network } from './cluster-under-test.js'
import { areOver, type Kill, type StormResult, type StormSize, stormOver } from './storm-runs.js'

/**
 * When the server dies: the append does not reach the database; it is written, and the server does
 * not learn it, so nothing follows from it there; or the server learns it in this moment.
 */
const MOMENTS = ['before', 'after', 'answered'] as const
type Moment = (typeof MOMENTS)[number]

/** How long a kill waits for a rare append. */
const PATIENCE_MS = 6_000

export interface AppendStormOptions extends StormSize {
  /** How many kills are wanted; runs are started until there were so many. */
  kills: number
  limitMs: number
}

export interface AppendStormResult extends Omit<StormResult, 'gaps' | 'longest'> {
  runs: number
  /** Kills by the events of the append and the moment. */
  appends: Map<string, Record<Moment, number>>
}

/**
 * Servers are killed at their appends to runs, at every kind of append and moment in turn, while at
 * least one other server is there. Workers live: no command may begin a second time.
 */
export async function appendStorm(
  cluster: ClusterUnderTest,
  network: Network,
  options: AppendStormOptions,
): Promise<AppendStormResult> {
  const until = Date.now() + options.limitMs
  const killer = new AppendKiller(cluster, network, options.say)
  const total: AppendStormResult = {
    runs: 0,
    kills: 0,
    started: 0,
    furtherAttempts: 0,
    decisions: 0,
    violations: [],
    appends: killer.appends,
  }
  for (let batch = 1; killer.killed < options.kills && Date.now() < until; batch++) {
    const kills: Kill[] = []
    // Also while runs are created: a server that dies then may leave one more.
    const stop = killer.start(kills, options.kills)
    const result = await stormOver(cluster, { ...options, name: `batch-${batch}-` }, kills, async ids => {
      while (killer.killed < options.kills && Date.now() < until && !(await areOver(cluster, ids))) await pause(500)
      stop()
    })
    total.runs += options.runs
    total.kills = killer.killed
    total.started += result.started
    total.furtherAttempts += result.furtherAttempts
    total.decisions += result.decisions
    total.violations.push(...result.violations)
    if (result.furtherAttempts > 0)
      total.violations.push(`${result.furtherAttempts} commands began again, although no worker died`)
  }
  return total
}

class AppendKiller {
  readonly appends = new Map<string, Record<Moment, number>>()
  killed = 0
  #lastAt = 0
  readonly #cluster: ClusterUnderTest
  readonly #network: Network
  readonly #say: (line: string) => void
  /** Servers that answer: one that is starting is not killed. */
  readonly #ready = new Set<string>()

  constructor(cluster: ClusterUnderTest, network: Network, say: (line: string) => void) {
    this.#cluster = cluster
    this.#network = network
    this.#say = say
  }

  /** @returns ends it. */
  start(kills: Kill[], wanted: number): () => void {
    let isStopped = false
    for (const [server, proxy] of this.#network.stores) {
      const doomed = new Map<object, Moment>()
      proxy.onData = (data, from, connection) => {
        const moment = doomed.get(connection)
        if (from === 'server' && moment !== undefined) {
          doomed.delete(connection)
          if (moment === 'answered') setTimeout(() => this.#kill(server, kills), Math.random() * 3)
          else this.#kill(server, kills)
          return moment === 'answered'
        }
        const isArmed = from === 'client' && !isStopped && this.killed < wanted && this.#ready.size >= 2
        const kind = isArmed ? kindOf(data.toString('latin1')) : null
        if (kind === null || this.#isKnown(kind) || !this.#ready.delete(server)) return true
        const chosen = this.#choose(kind)
        this.killed += 1
        this.#say(`kill ${this.killed}: ${server} ${chosen} ${kind}`)
        if (chosen === 'before') this.#kill(server, kills)
        else doomed.set(connection, chosen)
        return chosen !== 'before'
      }
    }
    void this.#watch(() => isStopped)
    return () => {
      isStopped = true
    }
  }

  #kill(server: string, kills: Kill[]): void {
    this.#lastAt = Date.now()
    kills.push({ part: server, at: this.#lastAt })
    this.#cluster.kill(server)
  }

  /** Frequent appends are skipped until others met as many kills, if such a one comes in time. */
  #isKnown(kind: string): boolean {
    const count = (one: string) => Object.values(this.appends.get(one) ?? {}).reduce((sum, n) => sum + n, 0)
    const isFrequent = count(kind) > Math.min(...[...this.appends.keys()].map(count)) + MOMENTS.length
    return isFrequent && Date.now() < this.#lastAt + PATIENCE_MS
  }

  /** The moment at which such an append met the fewest kills. */
  #choose(kind: string): Moment {
    const counts = this.appends.get(kind) ?? { before: 0, after: 0, answered: 0 }
    this.appends.set(kind, counts)
    const moment = [...MOMENTS].sort((a, b) => counts[a] - counts[b])[0]!
    counts[moment] += 1
    return moment
  }

  async #watch(isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      for (const server of this.#cluster.servers) {
        const pid = this.#cluster.pid(server)
        const isAnswering = pid !== null && (await this.#cluster.client(server)) !== null
        if (isAnswering && this.#cluster.pid(server) === pid) this.#ready.add(server)
      }
      await pause(200)
    }
  }
}

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

/** The events of an append to a run; null for everything else that a server sends. */
function kindOf(statement: string): string | null {
  if (!statement.includes('"units":') || !statement.includes('"stream":"run/')) return null
  const types = [...statement.matchAll(/"type":"((?:run|step|gate)\.[\w.-]+)"/g)].map(([, type]) => type!)
  return types.length === 0 ? null : [...new Set(types)].join(' + ')
}
