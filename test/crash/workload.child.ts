// A workload of the crash sweep: starts it, or continues what an earlier process left, until
// everything is done. Prints a line for each fact that the product has acknowledged, at once.
// Effects on the world outside (a step's work, keys that reach an agent) are lines of a file that
// is synced, like a real effect that nobody can take back.
import { appendFileSync, existsSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type ApprovalRecord, LEDGER_STREAMS, Ledger, ledgerProjections } from '../../src/approvals/index.js'
import { delay, systemClock } from '../../src/clock/index.js'
import { createRun, getRun, listRuns, RunHost, runsProjection, type StepCall } from '../../src/engine/index.js'
import { type ListItem, listRun, listWorkflow } from '../../src/engine/testing/list-workflow.js'
import { newEvent, validateEvent } from '../../src/events/index.js'
import { type EventStore, openStore } from '../../src/store/index.js'
import { numberedPermission } from '../support/numbered-permission.js'

const [kind = '', directory = '', effectsFile = ''] = process.argv.slice(2)

const store = await openStore({
  path: join(directory, 'store.db'),
  clock: systemClock,
  projections: [runsProjection, ...ledgerProjections] as never,
  chained: LEDGER_STREAMS,
  validate: validateEvent,
  onError: error => {
    throw error
  },
})

function say(...words: (string | number)[]): void {
  writeSync(1, `${words.join(' ')}\n`)
}

function effects(): string[] {
  return existsSync(effectsFile) ? readFileSync(effectsFile, 'utf8').split('\n').filter(Boolean) : []
}

function effect(line: string): void {
  appendFileSync(effectsFile, `${line}\n`, { flush: true } as never)
}

/** Appends of both durabilities, some of several events and streams. */
async function appendEvents(): Promise<void> {
  const at = await store.streamVersion('count/all')
  for (let n = at + 1; n <= 12; n++) {
    const event = (part: string) => ({
      type: 'host.started',
      data: { pid: n, version: `${part}${'x'.repeat(n * 150)}` },
    })
    const durability = n % 3 === 0 ? 'normal' : 'full'
    await store.appendAll(
      [
        { stream: 'count/all', expected: n - 1, events: [event('one')] },
        { stream: `count/${n % 2}`, expected: 'any', events: [event('two'), event('three')] },
      ],
      { durability },
    )
    say('appended', n, durability)
  }
}

/**
 * Requests of which every other one is denied. A decision is delivered as a session does it: the
 * ledger says "delivering" before the key, and a key that may have been pressed is never repeated.
 */
async function decideRequests(): Promise<void> {
  const ledger = new Ledger(store, { home: '/nowhere' })
  for (let n = 1; n <= 4; n++) {
    const isMine = (record: ApprovalRecord) => record.source.requestKey === `key-${n}`
    let record =
      (await ledger.list({ isOpenOnly: false })).find(isMine) ?? (await ledger.request(numberedPermission(n)))
    say('asked', n)
    if (record.state === 'pending') {
      await ledger.decide(record.id, {
        fingerprint: record.fingerprint,
        option: n % 2 === 0 ? 'no' : 'yes',
        seen: { displayHash: record.display.hash, whole: true },
        actor: { kind: 'person', id: 'ada', name: 'Ada', role: 'owner' },
        surface: 'cli',
        idempotencyKey: `once-${n}`,
      })
      record = (await ledger.get(record.id))!
    }
    say('decided', n, record.decision?.option ?? '')
    if (record.state === 'decided' && record.delivery.length === 0) {
      await ledger.delivering(record, 'press')
      say('delivering', n)
      effect(`press ${n} ${record.decision!.option}`)
      await ledger.applied(record, [{ kind: 'test' }], systemClock.now())
    } else if (record.state === 'decided') await ledger.stale(record, 'unconfirmed')
    say('closed', n, (await ledger.get(record.id))!.state)
  }
}

const ITEMS: ListItem[] = [
  { do: 'step', name: 'plan' },
  { do: 'all', names: ['left', 'right'] },
  { do: 'ask', name: 'ship' },
  {
    do: 'run',
    name: 'inner',
    items: [
      { do: 'step', name: 'part' },
      { do: 'wait', name: 'pause', ms: 1 },
    ],
  },
  { do: 'step', name: 'end' },
]

/**
 * A run with steps, branches, a gate, a child and a timer. A step first looks for its own result.
 */
async function driveRun(): Promise<void> {
  const id =
    (await listRuns(store)).find(({ parent }) => parent === null)?.id ??
    (await createRun(store, listRun(ITEMS), systemClock.now()))
  say('created', id)
  const work = async ({ name, run, input }: StepCall) => {
    const what = `${run === id ? 'outer' : 'inner'} ${(input as { name: string }).name}`
    if (!effects().includes(what)) effect(what)
    say('worked', name)
    return { status: 'ok' as const }
  }
  const recover = async ({ run, step }: StepCall) => {
    const what = `${run === id ? 'outer' : 'inner'} ${step.split('@')[0]}`
    return { verdict: effects().includes(what) ? ('success' as const) : ('nothing' as const), evidence: [] }
  }
  const host = new RunHost({
    store,
    clock: systemClock,
    owner: `test:${process.pid}`,
    isGone: () => true,
    workflows: [listWorkflow] as never,
    performers: { work: { run: work, recover } },
    maxRuns: 4,
    onError: error => say('error', (error as Error).message),
  })
  await host.start()
  for (;;) {
    const record = await getRun(store, id)
    if (record.endedAt !== null) break
    await answerGates(store, id)
    await delay(systemClock, 2)
  }
  say('ended', (await getRun(store, id)).status)
  await host.close()
}

/** A person says yes, once. */
async function answerGates(at: EventStore, run: string): Promise<void> {
  const [gate] = Object.entries((await getRun(at, run)).gates)
  if (!gate) return
  const version = await at.streamVersion(`run/${run}`)
  const journal = await at.readStream(`run/${run}`)
  if (journal.some(({ type }) => type === 'gate.answered')) return
  const answer = newEvent('gate.answered', { gate: gate[0], approval: gate[1], option: 'yes', by: 'ada' })
  await at.append(`run/${run}`, version, [answer]).then(
    () => say('answered', gate[0]),
    () => undefined,
  )
}

const WORKLOADS: Record<string, () => Promise<void>> = {
  events: appendEvents,
  decisions: decideRequests,
  run: driveRun,
}
await WORKLOADS[kind]!()
await store.close()
say('done')
