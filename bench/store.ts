// `node --import tsx bench/store.ts`: how fast the SQLite store is on this machine. Prints one line
// per figure.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../src/clock/index.js'
import { type EventStore, openStore, type Projection } from '../src/store/index.js'

const EVENT = { type: 'bench.event', data: { text: 'x'.repeat(2_000) } }
const SAMPLES = 300

const counter: Projection = {
  name: 'counter',
  version: 1,
  types: [EVENT.type],
  key: event => event.stream,
  evolve: state => ({ count: ((state as { count: number } | null)?.count ?? 0) + 1 }),
}

function report(name: string, value: number, unit: string): void {
  console.log(`${name.padEnd(48)} ${value.toFixed(value < 100 ? 2 : 0).padStart(9)} ${unit}`)
}

async function perSecond(name: string, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  const start = performance.now()
  for (let n = 0; n < count; n += 1) await work(n)
  report(name, (count * 1_000) / (performance.now() - start), '/s')
}

async function measureOneProcess(path: string): Promise<void> {
  const store = await openStore({ path, clock: systemClock })
  await perSecond('appends of 2 kB, full', 3_000, n => store.append(`f/${n % 20}`, 'any', [EVENT]))
  await perSecond('appends of 2 kB, normal', 10_000, n =>
    store.append(`n/${n % 20}`, 'any', [EVENT], { durability: 'normal' }),
  )
  await perSecond('appends of 2 kB, full and normal in turn', 3_000, n =>
    store.append('m', 'any', [EVENT], { durability: n % 2 ? 'full' : 'normal' }),
  )
  await store.close()

  const projecting = await openStore({
    path,
    clock: systemClock,
    projections: Array.from({ length: 5 }, (_, n) => ({ ...counter, name: `c${n}` })),
  })
  await perSecond('appends of 2 kB, normal, with 5 projections', 5_000, n =>
    projecting.append(`p/${n % 20}`, 'any', [EVENT], { durability: 'normal' }),
  )
  await perSecond('documents read one by one', 10_000, n => projecting.document('c0', `p/${n % 20}`))
  const total = await projecting.head()
  const start = performance.now()
  for (let after = 0; after < total; after += 1_000) await projecting.readAll({ after, limit: 1_000 })
  report('events read from the log, 2 kB', (total * 1_000) / (performance.now() - start), '/s')
  await projecting.close()
}

/** The child sends the time in milliseconds just after its append has returned. */
async function measureLatency(path: string, durability: 'full' | 'normal'): Promise<void> {
  const store = await openStore({ path, clock: systemClock })
  const child = fork(fileURLToPath(import.meta.url), ['writer', path], { execArgv: ['--import', 'tsx'] })
  await once(child, 'message')
  const latencies: number[] = []
  for (let n = 0; n < SAMPLES; n += 1) latencies.push(await measureOne(store, child, durability))
  child.disconnect()
  await store.close()
  latencies.sort((a, b) => a - b)
  report(`another process's append seen, ${durability}, p50`, latencies[Math.floor(SAMPLES * 0.5)]!, 'ms')
  report(`another process's append seen, ${durability}, p95`, latencies[Math.floor(SAMPLES * 0.95)]!, 'ms')
  report(`another process's append seen, ${durability}, worst`, latencies[SAMPLES - 1]!, 'ms')
}

async function measureOne(store: EventStore, child: ChildProcess, durability: string): Promise<number> {
  const after = await store.head()
  const seen = new Promise<number>(resolve => {
    const subscription = store.subscribe({ after }, () => {
      subscription.close()
      resolve(performance.timeOrigin + performance.now())
    })
  })
  child.send(durability)
  const [[appended], seenAt] = await Promise.all([once(child, 'message'), seen])
  return Math.max(0, seenAt - Number(appended))
}

async function measureIdle(path: string): Promise<void> {
  const store = await openStore({ path, clock: systemClock })
  const subscription = store.subscribe({ after: await store.head() }, () => undefined)
  await subscription.poll()
  const before = process.cpuUsage()
  await new Promise<void>(resolve => systemClock.setTimer(10_000, resolve))
  const { user, system } = process.cpuUsage(before)
  report('CPU of an idle subscriber', (user + system) / 10_000 / 10, '%')
  await store.close()
}

async function write(path: string): Promise<void> {
  const store = await openStore({ path, clock: systemClock })
  process.on('message', async durability => {
    await store.append('latency', 'any', [EVENT], { durability: durability === 'full' ? 'full' : 'normal' })
    process.send?.(performance.timeOrigin + performance.now())
  })
  process.on('disconnect', () => void store.close())
  process.send?.('ready')
}

if (process.argv[2] === 'writer') await write(process.argv[3] ?? '')
else {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  try {
    await measureOneProcess(join(directory, 'one.db'))
    for (const durability of ['full', 'normal'] as const) await measureLatency(join(directory, 'two.db'), durability)
    await measureIdle(join(directory, 'two.db'))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
