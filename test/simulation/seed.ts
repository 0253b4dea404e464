import { Ledger } from '../../src/approvals/index.js'
import { gateAnswer } from '../../src/engine/gate-answer.js'
import { createRun, RunHost, type StepCall } from '../../src/engine/index.js'
import { type ListItem, listRun, listWorkflow } from '../../src/engine/testing/list-workflow.js'
import type { StoredEvent } from '../../src/store/index.js'
import { numberedPermission } from '../support/numbered-permission.js'
import { type Dice, SimulatedProcess, type World } from './world.js'

const HOSTS = 2
const LIMIT_MS = 10 * 60_000
/** After this no process dies any more: what was started must end. */
const TROUBLE_MS = 60_000

/** What happened outside the log, as the world saw it. */
interface Seen {
  /** Work of steps that had no result yet, by run, item and name. */
  worked: string[]
  /** Keys that reached an agent, by request. */
  pressed: { id: string; option: string }[]
  /** What callers of `decide` were told. */
  told: { id: string; option: string }[]
}

/**
 * Plays one seed: two hosts drive the same runs, three people decide the same requests, processes
 * die, pause and have wrong clocks. Returns the violated invariants and what was written.
 */
export async function playSeed(world: World): Promise<{ problems: string[]; log: readonly StoredEvent[] }> {
  const { dice, store, clock } = world
  const seen: Seen = { worked: [], pressed: [], told: [] }
  const from = await store.head()
  const gone = new Set<string>()
  const calmAt = clock.now() + TROUBLE_MS
  const runs: string[] = []
  for (let n = 1 + dice.below(2); n > 0; n--) runs.push(await createRun(store, listRun(items(dice, 2)), clock.now()))
  const ledger = new Ledger(store, { clock, home: '/nowhere' })
  const requests: string[] = []
  for (let n = 1 + dice.below(3); n > 0; n--) requests.push((await ledger.request(numberedPermission(n))).id)
  let starts = 0
  const live: SimulatedProcess[] = []
  const startHost = () => {
    const process = new SimulatedProcess(world, `host-${++starts}`)
    if (dice.chance(0.3)) process.clock.skewMs = dice.below(120_000) - 60_000
    live.push(process)
    void openHost(process, { gone, seen, world })
      .start()
      .catch(() => undefined)
    void decideAll(process, world, seen)
    void deliverAll(process, world, seen, requests)
  }
  for (let n = 0; n < HOSTS; n++) startHost()
  const trouble = async () => {
    while (clock.now() < calmAt) {
      await world.pass(500 + dice.below(8_000))
      const victim = dice.pick(live)
      const what = dice.below(4)
      if (what === 0) {
        victim.kill()
        gone.add(victim.owner)
        live.splice(live.indexOf(victim), 1)
        startHost()
      } else if (what === 1) victim.pausedUntil = clock.now() + dice.below(40_000)
      else if (what === 2) victim.clock.skewMs = dice.below(240_000) - 120_000
    }
  }
  void trouble()
  let log: StoredEvent[] = []
  const hasEnded = async () => {
    log = await store.readAll({ after: from, limit: 100_000 })
    return openSubjects(log, runs, requests).length === 0
  }
  const isDone = await world.run(hasEnded, LIMIT_MS)
  for (const process of live) process.kill()
  const open = openSubjects(log, runs, requests)
  const problems = [
    ...(isDone ? [] : [`not ended after ${LIMIT_MS / 60_000} minutes: ${open.join(', ')}`]),
    ...checkRuns(log, runs, seen),
    ...checkRequests(log, seen),
  ]
  return { problems, log }
}

function items(dice: Dice, depth: number): ListItem[] {
  return Array.from({ length: 1 + dice.below(4) }, (_, n): ListItem => {
    const name = `i${n}`
    const kinds = ['step', 'step', 'all', 'wait', 'ask', ...(depth > 0 ? ['run'] : [])] as const
    switch (dice.pick(kinds)) {
      case 'all':
        return { do: 'all', names: [`${name}a`, `${name}b`, `${name}c`].slice(0, 2 + dice.below(2)) }
      case 'wait':
        return { do: 'wait', name, ms: dice.below(20_000) }
      case 'ask':
        return { do: 'ask', name, ...(dice.chance(0.3) && { timeoutMs: 1_000 + dice.below(20_000) }) }
      case 'run':
        return { do: 'run', name, items: items(dice, depth - 1) }
      default:
        return { do: 'step', name }
    }
  })
}

/** A host whose steps take time, and find their own results first. */
function openHost(
  process: SimulatedProcess,
  { gone, seen, world }: { gone: ReadonlySet<string>; seen: Seen; world: World },
): RunHost {
  const { dice } = world
  const nameOf = ({ run, step }: StepCall) => `${run} ${step.split('#')[0]}`
  const run = async (call: StepCall) => {
    await world.pass(dice.below(3_000))
    if (process.isDead || call.signal.aborted) return { status: 'failed' as const, reason: 'stopped' }
    if (!seen.worked.includes(nameOf(call))) seen.worked.push(nameOf(call))
    await world.pass(dice.below(500))
    return { status: 'ok' as const }
  }
  const recover = async (call: StepCall) => ({
    verdict: seen.worked.includes(nameOf(call)) ? ('success' as const) : ('nothing' as const),
    evidence: [],
  })
  return new RunHost({
    store: process.store,
    clock: process.clock,
    owner: process.owner,
    isGone: owner => gone.has(owner),
    workflows: [listWorkflow] as never,
    performers: { work: { run, recover } },
    maxRuns: 8,
    random: () => 0.5,
    onError: () => undefined,
  })
}

/** People at this server decide what is pending, each as they like, sometimes twice. */
async function decideAll(process: SimulatedProcess, world: World, seen: Seen): Promise<void> {
  const { dice } = world
  const { store, clock } = process
  const ledger = new Ledger(store, {
    clock,
    home: '/nowhere',
    gateAppends: async (record, decision) => gateAnswer(record, decision, clock.now()),
  })
  while (!process.isDead) {
    await world.pass(200 + dice.below(4_000))
    const pending = (await ledger.list({ isOpenOnly: true })).filter(({ state }) => state === 'pending')
    if (pending.length === 0) continue
    const record = dice.pick(pending)
    const name = dice.pick(['ada', 'bob', 'eve'])
    const { key } = dice.pick(record.request.options)
    const request = {
      fingerprint: record.fingerprint,
      option: key,
      seen: { displayHash: record.display.hash, whole: true },
      actor: { kind: 'person' as const, id: name, name, role: 'owner' as const },
      surface: 'web' as const,
      idempotencyKey: `${name}-${record.id}-${key}`,
    }
    for (let times = 1 + dice.below(2); times > 0; times--)
      await ledger.decide(record.id, request).then(
        ({ option }) => seen.told.push({ id: record.id, option }),
        () => undefined,
      )
  }
}

/**
 * The agent of each request belongs to one server at a time: the first of those that live. As a
 * session does it: "delivering" is durable before a key, and a key that may have been pressed is
 * never pressed again.
 */
async function deliverAll(
  process: SimulatedProcess,
  world: World,
  seen: Seen,
  requests: readonly string[],
): Promise<void> {
  const { store, clock } = process
  const ledger = new Ledger(store, { clock, home: '/nowhere' })
  while (!process.isDead) {
    await world.pass(100 + world.dice.below(2_000))
    for (const id of requests) {
      const lease = await store.acquireLease(`session-of/${id}`, process.owner, { ttlMs: 15_000, isGone: () => false })
      if (!lease.isAcquired) continue
      const record = await ledger.get(id)
      if (record?.state === 'decided' && record.delivery.length > 0) await ledger.stale(record, 'unconfirmed')
      else if (record?.state === 'decided') {
        const isMine = await ledger.delivering(record, 'press').then(
          () => true,
          () => false,
        )
        const attempts = (await ledger.get(id))?.delivery.length
        if (isMine && attempts === 1) seen.pressed.push({ id, option: record.decision!.option })
        if (isMine) await ledger.applied(record, [{ kind: 'test' }], clock.now())
      }
      await store.releaseLease(lease)
    }
  }
}

const RUN_ENDS = ['run.completed', 'run.failed', 'run.cancelled', 'run.rejected']
const REQUEST_ENDS = ['approval.applied', 'approval.stale', 'approval.cancelled', 'approval.expired']

/** Runs and requests without an end. */
function openSubjects(log: readonly StoredEvent[], runs: readonly string[], requests: readonly string[]): string[] {
  const has = (stream: string, types: readonly string[]) =>
    log.some(event => event.stream === stream && types.includes(event.type))
  return [
    ...runs.filter(id => !has(`run/${id}`, RUN_ENDS)),
    ...requests.filter(id => !has(`approval/${id}`, REQUEST_ENDS)),
  ]
}

function checkRuns(log: readonly StoredEvent[], runs: readonly string[], seen: Seen): string[] {
  const found: string[] = []
  const journals = new Map<string, StoredEvent[]>()
  for (const event of log)
    if (event.stream.startsWith('run/')) journals.set(event.stream, [...(journals.get(event.stream) ?? []), event])
  for (const [stream, journal] of journals) {
    const data = (type: string) =>
      journal.filter(event => event.type === type).map(event => event.data as Record<string, string>)
    if (journal.some(({ version }, index) => version !== index + 1)) found.push(`${stream} has a gap`)
    const ends = journal.filter(({ type }) => RUN_ENDS.includes(type))
    if (ends.length > 1) found.push(`${stream} ends ${ends.length} times`)
    if (ends.some(({ type }) => type !== 'run.completed'))
      found.push(`${stream}: ${ends[0]?.type} ${JSON.stringify(ends[0]?.data)}`)
    const after = ends[0] ? journal.slice(journal.indexOf(ends[0]) + 1).map(({ type }) => type) : []
    if (after.some(type => type.startsWith('step.') || type.startsWith('child.')))
      found.push(`${stream} continues after its end: ${after.join(', ')}`)
    const started = data('step.started').map(({ step }) => step!)
    const ended = data('step.ended').map(({ step }) => step!)
    for (const step of new Set(ended)) {
      if (ended.filter(one => one === step).length > 1) found.push(`${stream}: ${step} has two ends`)
      if (!started.includes(step)) found.push(`${stream}: ${step} ended and was not started`)
    }
    for (const gate of new Set(data('gate.opened').map(one => one.gate)))
      if (data('gate.opened').filter(one => one.gate === gate).length > 1)
        found.push(`${stream}: gate ${gate} was opened twice`)
    const children = data('child.started').map(({ child }) => child)
    if (new Set(children).size !== children.length) found.push(`${stream} started a child twice`)
  }
  for (const run of runs) if (!journals.has(`run/${run}`)) found.push(`run ${run} is lost`)
  // What the world saw was started by the log.
  for (const name of seen.worked) {
    const [run, step] = name.split(' ')
    const isKnown = journals
      .get(`run/${run}`)
      ?.some(({ type, data }) => type === 'step.started' && (data as { step: string }).step.startsWith(`${step}#`))
    if (!isKnown) found.push(`${name} was done and is not in the log`)
  }
  return found
}

function checkRequests(log: readonly StoredEvent[], seen: Seen): string[] {
  const found: string[] = []
  const decided = new Map<string, string[]>()
  for (const { stream, type, data } of log)
    if (type === 'approval.decided')
      decided.set(stream.slice('approval/'.length), [
        ...(decided.get(stream.slice('approval/'.length)) ?? []),
        (data as { option: string }).option,
      ])
  for (const [id, options] of decided) if (options.length > 1) found.push(`${id} was decided ${options.join(', ')}`)
  for (const { id, option } of seen.told)
    if (decided.get(id)?.[0] !== option)
      found.push(`${id}: a person was told ${option}, the ledger has ${decided.get(id)}`)
  for (const { id, option } of seen.pressed)
    if (decided.get(id)?.[0] !== option) found.push(`${id}: ${option} was pressed, the ledger has ${decided.get(id)}`)
  const pressed = seen.pressed.map(({ id }) => id)
  if (new Set(pressed).size !== pressed.length) found.push(`pressed twice: ${pressed.join(', ')}`)
  return found
}
