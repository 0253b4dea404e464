import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Clock } from '../../src/clock/index.js'
import type { createRun, listRuns, runStream } from '../../src/engine/index.js'
import type { openHomeStore as OpenHomeStore, openLedger as OpenLedger } from '../../src/host/index.js'
import type { createRunHost as CreateRunHost } from '../../src/runs/index.js'
import { ROOT, waitFor } from './harness.js'

interface EngineParts {
  createRun: typeof createRun
  listRuns: typeof listRuns
  runStream: typeof runStream
}

const RUNS = 100
const ROOMS = join(ROOT, 'dist', 'rooms')
const room = <T>(name: string) => import(pathToFileURL(join(ROOMS, name, 'index.js')).href) as Promise<T>
const DOT = `digraph gated {
  start [shape=Mdiamond]; exit [shape=Msquare]
  ask [shape=hexagon, label="Go on?"]
  start -> ask; ask -> exit [label="[A] Approve"]; ask -> ask [label="[B] Back"]
}`

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-gates-'))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A process that is ready to answer every gate. */
async function answerer(name: string) {
  const script = join(import.meta.dirname, 'answer-gates.mjs')
  const child = spawn(process.execPath, [script, ROOMS, directory, name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return async () => {
    child.stdin.write('go\n')
    const counts = JSON.parse((await lines.next()).value as string) as { taken: number; late: number; other: number }
    await once(child, 'exit')
    return counts
  }
}

test('100 runs at gates without a host accept one answer each, although two processes answer twice', async () => {
  const [{ openHomeStore, openLedger }, { createRunHost }, { createRun, listRuns, runStream }, { systemClock: clock }] =
    await Promise.all([
      room<{ openHomeStore: typeof OpenHomeStore; openLedger: typeof OpenLedger }>('host'),
      room<{ createRunHost: typeof CreateRunHost }>('runs'),
      room<EngineParts>('engine'),
      room<{ systemClock: Clock }>('clock'),
    ])
  const onError = (error: unknown) => console.error(error)
  const host = () => {
    const ledger = openLedger({ store, settings: {} })
    const options = {
      store,
      ledger,
      clock,
      dataDirectory: directory,
      envPass: [],
      env: process.env,
      isInteractive: true,
    }
    return createRunHost({ ...options, maxRuns: 20, onError })
  }
  const statuses = async () => [...new Set((await listRuns(store)).map(({ status }) => status))]
  const store = await openHomeStore({ dataDirectory: directory, clock, onError })
  const input = {
    ...{ dot: DOT, file: null, hash: '0', inputs: {}, agent: null, model: null, permissions: null },
    ...{ isAutoApproved: false, dryRun: null, workspace: { path: directory, branch: null, base: null }, from: null },
  }
  for (let run = 0; run < RUNS; run++)
    await createRun(
      store,
      { kind: 'graph', title: `run ${run}`, project: directory, cwd: directory, person: 'local', input },
      clock.now(),
    )
  const first = host()
  await first.start()
  await waitFor('all to be parked', async () => (await statuses()).join() === 'waiting')
  await first.close()

  const both = await Promise.all([answerer('a'), answerer('b')])
  const [a, b] = await Promise.all(both.map(go => go()))
  expect([a!.taken + b!.taken, a!.late + b!.late, a!.other + b!.other]).toEqual([RUNS, 3 * RUNS, 0])

  const second = host()
  await second.start()
  await waitFor('all to be done', async () => (await statuses()).join() === 'completed')
  await second.close()
  for (const { id } of await listRuns(store)) {
    const events = await store.readStream(runStream(id))
    expect(events.filter(({ type }) => type === 'gate.answered').length).toBe(1)
    expect(events.filter(({ type }) => type === 'gate.opened').length).toBe(1)
  }
  await store.close()
})
