import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { waitFor } from '../e2e/harness.js'
import type { ClusterUnderTest, Network } from './cluster-under-test.js'

export interface PartitionStormOptions {
  sessions: number
  /** Requests of each session. */
  requests: number
  /** How long each cut lasts, in seconds, one after the other. */
  cuts: readonly number[]
  /** What is not settled by then is reported as not done. */
  limitMs: number
  say(line: string): void
}

export interface PartitionStormResult {
  decided: number
  applied: number
  /** What the askers were told. */
  told: Record<Told, number>
  /** Requests that were not settled within the limit. */
  notDone: number
  violations: string[]
}

/** Longer than most cuts, shorter than the longest. */
const ASKER_LIMIT_MS = 8_000

type Meaning = 'allow-once' | 'deny'

/** Their own decision counts; another one does; or the server could not say. */
type Told = 'accepted' | 'refused' | 'unknown'

interface Approval {
  id: string
  state: string
  fingerprint: string
  display: { hash: string }
  subject: { session?: string }
  request: { input: { command?: string } | null; options: { key: string; meaning: string }[] }
  decision?: { option: string }
  delivery: { step: string }[]
}

/**
 * Agents on workers ask again and again. Each request is allowed at one server and denied at
 * another in the same moment, while the networks between askers, workers, servers and the database
 * are cut in turn. Afterwards what the agents did is compared with the ledger, and with what each
 * asker was told.
 */
export async function partitionStorm(
  cluster: ClusterUnderTest,
  network: Network,
  { sessions, requests, cuts, limitMs, say }: PartitionStormOptions,
): Promise<PartitionStormResult> {
  const ids: string[] = []
  for (let n = 0; n < sessions; n++) ids.push(await startAsking(cluster, n, requests))
  say(`${sessions} sessions ask ${requests} times each`)
  const askers = new Askers(cluster, network)
  const asking = askers.run()
  const cutting = cutInTurn(network, cuts, () => askers.isStopped, say)
  const total = sessions * requests
  try {
    const isDone = async () => isSettled(await requestsOf(cluster, ids), total)
    await waitFor('every agent to be done', isDone, limitMs).catch(() => say('not all requests were settled in time'))
  } finally {
    askers.isStopped = true
    await Promise.all([asking, cutting])
  }
  const all = await requestsOf(cluster, ids)
  return count(cluster, all, askers.told, { sessions, requests, ids })
}

async function cutInTurn(
  network: Network,
  cuts: readonly number[],
  isOver: () => boolean,
  say: (line: string) => void,
): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const seconds = cuts[n % cuts.length]!
    const [name, proxies] = network.choices[n % network.choices.length]!
    await pause(3_000)
    if (isOver()) return
    say(`${name} cut for ${seconds} s`)
    for (const proxy of proxies) proxy.cut()
    await pause(seconds * 1000)
    for (const proxy of proxies) proxy.heal()
  }
}

/** All requests of these sessions. */
async function requestsOf(cluster: ClusterUnderTest, sessions: readonly string[]): Promise<Approval[]> {
  const all: Approval[] = []
  for (let cursor = ''; ; ) {
    const path = `/approvals?all=1&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const page = await cluster.ask(client => client.get<{ items: Approval[]; next: string | null }>(path))
    all.push(...page.items)
    if (!page.next) break
    cursor = page.next
  }
  return all.filter(({ subject }) => sessions.includes(subject.session ?? ''))
}

function isSettled(all: readonly Approval[], total: number): boolean {
  return all.filter(isApplied).length >= total && all.every(({ state }) => !['pending', 'decided'].includes(state))
}

const isApplied = ({ state }: Approval) => state === 'applied'
const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

async function startAsking(cluster: ClusterUnderTest, n: number, requests: number): Promise<string> {
  const cwd = join(cluster.notes, `session-${n}`)
  mkdirSync(cwd, { recursive: true })
  const steps = Array.from({ length: requests }, (_, number) => ({
    tool: { name: 'Shell', kind: 'shell', command: `echo ${number} >> ran`, permission: true, onDeny: 'continue' },
  }))
  const scenario = join(cwd, 'scenario.json')
  writeFileSync(scenario, JSON.stringify({ name: 'ask', turns: [], otherwise: { steps } }))
  const body = { agent: 'demo', args: ['--scenario', scenario, '--speed', '20'], cwd, env: null, placement: {} }
  const { id } = await cluster.ask(client => client.post<{ id: string }>('/sessions', { ...body, size: null }))
  await waitFor(`session ${n} to be ready`, async () => {
    const sent = await cluster.ask(client =>
      client.post<{ result: string }>(`/sessions/${id}/messages`, { text: 'go' }),
    )
    return sent.result === 'delivered' || sent.result === 'queued' || sent.result === 'held'
  })
  return id
}

/** One allows, the other denies; each request at another pair of servers. */
class Askers {
  readonly told: { approval: string; option: string; told: Told }[] = []
  isStopped = false
  readonly #cluster: ClusterUnderTest
  readonly #network: Network
  readonly #asked = new Map<string, number>()

  constructor(cluster: ClusterUnderTest, network: Network) {
    this.#cluster = cluster
    this.#network = network
  }

  async run(): Promise<void> {
    const [first, second] = [this.#cluster.servers, [...this.#cluster.servers].reverse()]
    await Promise.all([...first.map((server, n) => this.#ask(server, second[n]!))])
  }

  /** Follows the requests at one server; decides there and at the other one at the same time. */
  async #ask(server: string, other: string): Promise<void> {
    for (let n = 0; !this.isStopped; n++) {
      const client = await this.#cluster.client(server)
      const open = await client
        ?.get<{ items: Approval[] }>('/approvals?limit=200')
        .then(({ items }) => items.filter(({ state }) => state === 'pending'))
        .catch(() => [])
      const fresh = (open ?? []).filter(({ id }) => (this.#asked.get(id) ?? 0) < Date.now())
      // A request whose answer nobody got is decided again after a while.
      for (const { id } of fresh) this.#asked.set(id, Date.now() + 20_000)
      void Promise.all(
        fresh.flatMap((approval, at) => {
          const options: Meaning[] = (n + at) % 2 === 0 ? ['allow-once', 'deny'] : ['deny', 'allow-once']
          return [this.#decide(server, approval, options[0]!), this.#decide(other, approval, options[1]!)]
        }),
      )
      await pause(fresh.length > 0 ? 50 : 250)
    }
  }

  async #decide(
    server: string,
    { id, fingerprint, display, request: offer }: Approval,
    meaning: Meaning,
  ): Promise<void> {
    const seen = { displayHash: display.hash, whole: true }
    const option = offer.options.find(offered => offered.meaning === meaning)!.key
    const body = { option, fingerprint, seen, surface: 'cli' }
    const { port } = this.#network.clients.get(server)!
    const told = await postThrough(port, `/api/v1/approvals/${id}/decision`, body).catch((): Told => 'unknown')
    this.told.push({ approval: id, option, told })
  }
}

/**
 * Over a network that may be cut: the asker gives up after a while, and does not know whether its
 * request will arrive.
 */
async function postThrough(port: number, path: string, body: object): Promise<Told> {
  const headers = { host: 'signalbox', 'content-type': 'application/json' }
  const limit = { signal: AbortSignal.timeout(ASKER_LIMIT_MS), agent: false }
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port, path, method: 'POST', headers, ...limit }, response => {
      text(response).then(found => resolve({ status: response.statusCode ?? 0, text: found }), reject)
    })
    sending.on('error', reject)
    sending.end(JSON.stringify(body))
  })
  if (answer.status < 300) return 'accepted'
  return /E_APPROVAL_DECIDED|E_STATE/.test(answer.text) ? 'refused' : 'unknown'
}

function count(
  cluster: ClusterUnderTest,
  all: readonly Approval[],
  told: Askers['told'],
  { sessions, requests, ids }: { sessions: number; requests: number; ids: readonly string[] },
): PartitionStormResult {
  const violations: string[] = []
  let notDone = 0
  const byId = new Map(all.map(approval => [approval.id, approval]))
  for (const { approval, option, told: answer } of told) {
    const decided = byId.get(approval)?.decision?.option
    if (answer === 'accepted' && decided !== option)
      violations.push(`${approval}: an asker was told that ${option} counts, and the ledger has ${decided}`)
  }
  for (const { id, delivery } of all)
    if (delivery.filter(({ step }) => step === 'confirm').length > 1) violations.push(`${id}: typed twice`)
  for (let n = 0; n < sessions; n++) {
    const file = join(cluster.notes, `session-${n}`, 'ran')
    const ran = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
    const own = all.filter(({ subject }) => subject.session === ids[n])
    for (let number = 0; number < requests; number++) {
      const times = ran.filter(line => line === String(number)).length
      const answers = own.filter(({ request }) => request.input?.command === `echo ${number} >> ran`)
      const isAllowed = answers.some(({ decision }) => decision?.option.startsWith('Yes'))
      const applied = answers.filter(isApplied)
      if (applied.length === 0) notDone++
      if (applied.length > 1) violations.push(`session ${n}: request ${number} was applied ${applied.length} times`)
      if (times > (isAllowed ? 1 : 0)) violations.push(`session ${n}: command ${number} ran ${times} times`)
      if (times === 0 && applied.some(({ decision }) => decision?.option.startsWith('Yes')))
        violations.push(`session ${n}: command ${number} was allowed, and never ran`)
    }
  }
  const tally = (wanted: Told) => told.filter(one => one.told === wanted).length
  const decided = all.filter(({ decision }) => decision !== undefined).length
  return {
    decided,
    applied: all.filter(isApplied).length,
    told: { accepted: tally('accepted'), refused: tally('refused'), unknown: tally('unknown') },
    notDone,
    violations,
  }
}
