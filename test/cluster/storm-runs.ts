import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runStream } from '../../src/engine/index.js'
import { SignalboxError } from '../../src/errors/index.js'
import { isEvent } from '../../src/events/index.js'
import type { EventStore, StoredEvent } from '../../src/store/index.js'
import { waitFor } from '../e2e/harness.js'
import type { ClusterUnderTest } from './cluster-under-test.js'

export interface StormSize {
  runs: number
  steps: number
  /** How long each step takes, in seconds; the same for all, or by run and step. */
  pauseS: number | ((run: number, step: number) => number)
  say(line: string): void
}

export interface StormResult {
  kills: number
  /** Commands that began, with further attempts of steps that were lost with their worker. */
  started: number
  furtherAttempts: number
  /** What must not happen, each as a sentence. */
  violations: string[]
  decisions: number
  /** How long runs stood still after each command, in ms, by the kind of part killed before. */
  gaps: Map<string, number[]>
  /** What the journal has of the longest of them, by time since the kill. */
  longest: string[]
}

export interface Kill {
  part: string
  at: number
}

interface Line {
  step: string
  at: number
  /** The command began, still runs, or has ended. */
  is: 'b' | 't' | 'e'
}

/** Every third command must never run twice: if its end was not observed, it counts as failed. */
const isOnce = (n: number) => n % 3 === 0
const GATE_EVERY = 5
const TICKS_FROM_S = 10

/**
 * Runs with commands and gates on every worker, while `disturb` kills parts of the cluster.
 * Afterwards all is counted: in the files that the commands wrote, and in the log.
 * @param name distinguishes the runs of several storms on one cluster.
 * @param kills what was killed so far, and will be.
 */
export async function stormOver(
  cluster: ClusterUnderTest,
  size: StormSize & { name?: string },
  kills: readonly Kill[],
  disturb: (ids: readonly string[]) => Promise<void>,
): Promise<StormResult> {
  const { runs, say, name = '' } = size
  const ids: string[] = []
  for (let n = 0; n < runs; n++)
    ids.push(await cluster.startRun(attempt => graphOf(cluster, n, `${name}${n}-${attempt}`, size)))
  say(`${runs} runs started`)
  const decider = new GateDecider(cluster, new Set(ids))
  const deciding = decider.run()
  try {
    await disturb(ids)
    await waitFor('the runs to end', () => areOver(cluster, ids), 900_000)
  } finally {
    decider.stop()
    await deciding
  }
  const store = await cluster.openStore()
  try {
    return await count(cluster, store, { ids, kills, decider, size })
  } finally {
    await store.close()
  }
}

/** Waits until each run that is not over has made progress. */
export async function progressed(
  cluster: ClusterUnderTest,
  ids: readonly string[],
  why: string,
  since?: Awaited<ReturnType<ClusterUnderTest['progress']>>,
): Promise<void> {
  const before = since ?? (await cluster.progress(ids))
  await waitFor(
    `progress after ${why}`,
    async () => {
      const now = await cluster.progress(ids)
      return [...now].every(([id, { changedAt, isOver: over }]) => over || changedAt > (before.get(id)?.changedAt ?? 0))
    },
    300_000,
  )
}

export async function areOver(cluster: ClusterUnderTest, ids: readonly string[]): Promise<boolean> {
  return (await statuses(cluster, ids)).every(isOver)
}

async function statuses(cluster: ClusterUnderTest, ids: readonly string[]): Promise<string[]> {
  const found = await cluster.runs()
  return ids.map(id => found.find(run => run.id === id)?.status ?? 'unknown')
}

const isOver = (status: string) => status === 'completed' || status === 'failed'

/** A chain of commands; after every few a gate, whose two answers lead over different nodes. */
function graphOf(cluster: ClusterUnderTest, run: number, name: string, { steps, pauseS }: StormSize): string {
  const file = join(cluster.notes, name)
  const note = (mark: string) => `echo "${mark} $SIGNALBOX_STEP $(date +%s%3N)" >> ${file}`
  const pauseOf = (step: number) => (typeof pauseS === 'number' ? pauseS : pauseS(run, step))
  // One that takes long says every second that it still runs.
  const wait = (pause: number) =>
    pause < TICKS_FROM_S ? `sleep ${pause}` : `for i in $(seq ${pause}); do sleep 1; ${note('t')}; done`
  const command = (pause: number) => `${note('b')}; ${wait(pause)}; ${note('e')}`.replaceAll('"', '\\"')
  const lines = ['start [shape=Mdiamond]', 'done [shape=Msquare]']
  let from = 'start'
  const then = (to: string) => {
    // A command that must not run again fails if its end was not observed; the run continues.
    lines.push(`${from} -> ${to}`)
    if (from.startsWith('s')) lines.push(`${from} -> ${to} [condition="outcome=fail"]`)
    from = to
  }
  for (let n = 1; n <= steps; n++) {
    lines.push(`s${n} [shape=parallelogram, ${isOnce(n) ? 'rerun=never, ' : ''}tool_command="${command(pauseOf(n))}"]`)
    then(`s${n}`)
    if (n % GATE_EVERY !== 0) continue
    lines.push(`g${n} [shape=hexagon, label="Left or right?"]`)
    then(`g${n}`)
    for (const way of ['l', 'r']) lines.push(`${way}${n} [shape=parallelogram, tool_command="true"]`)
    lines.push(`g${n} -> l${n} [label="[L] Left"]`, `g${n} -> r${n} [label="[R] Right"]`)
    lines.push(`j${n} [shape=parallelogram, tool_command="true"]`, `l${n} -> j${n}`, `r${n} -> j${n}`)
    from = `j${n}`
  }
  then('done')
  return `digraph g {\n${lines.join('\n')}\n}`
}

interface Asked {
  approval: string
  option: string
  /** What the asker was told: its own decision counts, another one does, or nothing is known. */
  told: 'accepted' | 'refused' | 'unknown'
}

/** Two askers with different answers at two servers decide every gate at the same time. */
class GateDecider {
  readonly asked: Asked[] = []
  readonly #cluster: ClusterUnderTest
  readonly #runs: ReadonlySet<string>
  #isStopped = false

  constructor(cluster: ClusterUnderTest, runs: ReadonlySet<string>) {
    this.#cluster = cluster
    this.#runs = runs
  }

  stop(): void {
    this.#isStopped = true
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      const open = await this.#open()
      await Promise.all(open.map(request => this.#decide(request)))
      await new Promise(resolve => setTimeout(resolve, 200))
    }
  }

  async #open(): Promise<Pending[]> {
    const { items } = await this.#cluster.ask(client => client.get<{ items: Pending[] }>('/approvals?limit=200'))
    return items.filter(({ state, subject }) => state === 'pending' && this.#runs.has(subject.run ?? ''))
  }

  async #decide({ id, fingerprint, display }: Pending): Promise<void> {
    const servers = this.#cluster.servers.filter(name => this.#cluster.pid(name) !== null)
    const first = this.asked.length % Math.max(1, servers.length)
    const askers = ['L', 'R'].map((option, n) => ({ option, server: servers[(first + n) % servers.length] }))
    await Promise.all(
      askers.map(async ({ option, server }) => {
        const client = server === undefined ? null : await this.#cluster.client(server)
        if (!client) return
        const seen = { displayHash: display.hash, whole: true }
        const told = await client
          .post(`/approvals/${id}/decision`, { option, fingerprint, seen, surface: 'cli' })
          .then(() => 'accepted' as const)
          .catch(toldBy)
        this.asked.push({ approval: id, option, told })
      }),
    )
  }
}

interface Pending {
  id: string
  state: string
  fingerprint: string
  subject: { run?: string }
  display: { hash: string }
}

function toldBy(error: unknown): Asked['told'] {
  const code = error instanceof SignalboxError ? error.code : ''
  return code === 'E_APPROVAL_DECIDED' || code === 'E_STATE' ? 'refused' : 'unknown'
}

interface CountOptions {
  ids: readonly string[]
  kills: readonly Kill[]
  decider: GateDecider
  size: StormSize & { name?: string }
}

async function count(cluster: ClusterUnderTest, store: EventStore, all: CountOptions): Promise<StormResult> {
  const { ids, kills, decider, size } = all
  const violations: string[] = []
  const gaps = new Map<string, number[]>()
  const longest = new Map<string, { ms: number; line: string }>()
  let started = 0
  let furtherAttempts = 0
  let decisions = 0
  const problems = await store.checkChain()
  if (problems.length > 0) violations.push(`the chain of the ledger is broken at ${problems.length} places`)
  for (const [n, id] of ids.entries()) {
    const journal = await store.readStream(runStream(id))
    if (journal.some(({ version }, at) => version !== at + 1)) violations.push(`${id}: versions have a gap`)
    const status = journal.findLast(({ type }) => /^run\.(completed|failed|cancelled|ended)$/.test(type))?.type
    if (status !== 'run.completed' && !(await isCompleted(cluster, id)))
      violations.push(`${id}: lost (${status}) after ${lastEvents(journal)}`)
    const lines = notesOf(cluster, `${size.name ?? ''}${n}`)
    const starts = lines.filter(({ is }) => is === 'b')
    started += starts.length
    const attempts = new Map<string, number>()
    for (const { step } of starts) attempts.set(step, (attempts.get(step) ?? 0) + 1)
    for (const [step, times] of attempts) if (times > 1) violations.push(`${id}: attempt ${step} began ${times} times`)
    violations.push(...endsAfterLoss(id, journal), ...runsAfterMove(id, lines, journal))
    const byStep = groupBy(starts, ({ step }) => step.replace(/#\d+$/, ''))
    furtherAttempts += starts.length - byStep.size
    for (let s = 1; s <= size.steps; s++) {
      const tried = [...byStep].filter(([step]) => step.endsWith(`/s${s}@1`)).flatMap(([, found]) => found)
      // One that must be once is not tried again if its worker died before its command ran.
      if (tried.length === 0 && !(isOnce(s) && wasInterrupted(journal, `s${s}@1`)))
        violations.push(`${id}: step s${s} was never carried out`)
      if (isOnce(s) && tried.length > 1)
        violations.push(`${id}: step s${s} must be once, and began ${tried.length} times`)
    }
    decisions += countDecisions(id, journal, decider.asked, violations)
    for (const { kind, ms, kill, from, to } of gapsOf(lines, journal, kills)) {
      gaps.set(kind, [...(gaps.get(kind) ?? []), ms])
      if (ms <= (longest.get(kind)?.ms ?? 0)) continue
      const inIt = journal.filter(({ at }) => at >= from - 50 && at <= to + 50)
      const events = inIt.map(event => `${event.type} ${event.at - kill}`).join(', ')
      longest.set(kind, { ms, line: `longest of ${kind}, ${ms} ms, ${from - kill} to ${to - kill}: ${events}` })
    }
  }
  const lines = [...longest.values()].map(({ line }) => line)
  return { kills: kills.length, started, furtherAttempts, violations, decisions, gaps, longest: lines }
}

async function isCompleted(cluster: ClusterUnderTest, id: string): Promise<boolean> {
  return (await statuses(cluster, [id]))[0] === 'completed'
}

/** What led to the end of a run that did not complete. */
function lastEvents(journal: readonly StoredEvent[]): string {
  return JSON.stringify(journal.slice(-12).map(({ type, at, data }) => ({ type, at, data }))).slice(0, 6_000)
}

/** A step that was given up has no end, however late its worker reports one. */
function endsAfterLoss(id: string, journal: readonly StoredEvent[]): string[] {
  const open = new Set<string>()
  const violations: string[] = []
  for (const event of journal) {
    if (isEvent(event, 'step.started')) open.add(event.data.step)
    if (!isEvent(event, 'step.ended') && !isEvent(event, 'step.lost')) continue
    const { step } = event.data
    if (!open.delete(step)) violations.push(`${id}: ${step} had ended, and ${event.type} was written again`)
  }
  return violations
}

/** What an attempt did on its worker after the run had moved to another one. */
function runsAfterMove(id: string, lines: readonly Line[], journal: readonly StoredEvent[]): string[] {
  return journal
    .flatMap(event => (isEvent(event, 'run.placed') && event.data.epoch > 1 ? [event.at] : []))
    .flatMap(movedAt => {
      const before = new Set(lines.filter(({ is, at }) => is === 'b' && at < movedAt).map(({ step }) => step))
      const late = lines.findLast(({ step, at }) => before.has(step) && at > movedAt)
      return late ? [`${id}: ${late.step} still ran ${late.at - movedAt} ms after the run had moved`] : []
    })
}

function wasInterrupted(journal: readonly StoredEvent[], step: string): boolean {
  return journal.some(event => isEvent(event, 'step.lost') && event.data.step.startsWith(`${step}#`))
}

/** Each gate has one answer, and it is the one that its asker was told to count. */
function countDecisions(
  id: string,
  journal: readonly StoredEvent[],
  asked: readonly Asked[],
  violations: string[],
): number {
  const answers = journal.filter(event => isEvent(event, 'gate.answered'))
  const byGate = groupBy(answers, ({ data }) => data.gate)
  for (const [gate, found] of byGate)
    if (found.length > 1) violations.push(`${id}: ${gate} was answered ${found.length} times`)
  for (const { data } of answers) {
    const told = asked.filter(({ approval }) => approval === data.approval)
    const accepted = told.filter(one => one.told === 'accepted')
    if (accepted.length > 1) violations.push(`${id}: two askers were told that their answer to ${data.gate} counts`)
    const option = accepted[0]?.option
    if (option !== undefined && data.option !== option)
      violations.push(
        `${id}: ${data.gate} was answered with ${data.option}, and an asker was told that ${option} counts`,
      )
  }
  return answers.length
}

function notesOf(cluster: ClusterUnderTest, name: string): Line[] {
  for (let attempt = 9; attempt >= 0; attempt--) {
    const file = join(cluster.notes, `${name}-${attempt}`)
    if (!existsSync(file)) continue
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => line.split(' '))
      .map(([mark, step, at]) => ({ step: step!, at: Number(at), is: mark as Line['is'] }))
  }
  return []
}

interface Gap {
  kind: string
  ms: number
  kill: number
  from: number
  to: number
}

const NEXT = new Set(['step.started', 'gate.opened', 'run.completed'])

/**
 * How long a run stood still after each command: from its end, or from a kill after that, until a
 * server has written what follows. What does not lie within 30 s of a kill shows what the load of
 * the machine costs. How long it takes to start the next command is not part of it.
 */
function gapsOf(lines: readonly Line[], journal: readonly StoredEvent[], kills: readonly Kill[]): Gap[] {
  const gaps: Gap[] = []
  const ends = new Map(lines.filter(({ is }) => is === 'e').map(({ step, at }) => [step.replace(/^.*\//, ''), at]))
  for (const [n, event] of journal.entries()) {
    const end = isEvent(event, 'step.ended') ? ends.get(event.data.step.replace(/^.*\//, '')) : undefined
    const next = end === undefined ? undefined : journal.slice(n).find(({ type }) => NEXT.has(type))
    if (end === undefined || !next) continue
    const kill = kills.findLast(one => one.at <= next.at && next.at - one.at < 30_000)
    const from = Math.max(end, kill?.at ?? 0)
    const kind = kill?.part.replace(/-\d+$/, '') ?? 'nothing'
    gaps.push({ kind, ms: next.at - from, kill: kill?.at ?? from, from, to: next.at })
  }
  return gaps
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
