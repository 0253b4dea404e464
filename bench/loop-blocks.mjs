// Preloaded into a daemon (`node --import`): how much CPU time its own thread uses before its event
// loop continues with other work. CPU time of this one thread, from the kernel: a busy machine, and
// the threads that read terminals, do not count. BENCH_BLOCKS=<directory>: writes blocks-<pid>.json
// there when the daemon ends, with the longest blocks and the functions that filled them.
import { openSync, readSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/** A block is known to within this: what ran before the timer was due counts, too. */
const EVERY_MS = 5
const KEPT = 8
/** BENCH_BLOCKS_ONLY=1: without the functions, which a profiler finds that costs time itself. */
const IS_PROFILED = process.env.BENCH_BLOCKS_ONLY === undefined
const LONG_MS = 15
const SAMPLE_US = 500
/** Collections of garbage, in wall time. */
const KINDS = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak callbacks',
}

if (isMainThread && process.env.BENCH_BLOCKS !== undefined) measure(process.env.BENCH_BLOCKS)

function measure(directory) {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`)
  const buffer = Buffer.alloc(64)
  const cpuMs = () => Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, 64, 0)).split(' ')[0]) / 1e6
  const session = new Session()
  session.connect()
  if (IS_PROFILED) {
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US })
    session.post('Profiler.start')
  }
  let blocks = []
  const collections = {}
  new PerformanceObserver(list => {
    for (const { duration, detail } of list.getEntries()) {
      const kind = KINDS[detail.kind] ?? detail.kind
      const of = (collections[kind] ??= { count: 0, ms: 0, longestMs: 0 })
      of.count++
      of.ms += duration
      of.longestMs = Math.max(of.longestMs, duration)
    }
  }).observe({ entryTypes: ['gc'] })
  let last = { at: now(), cpu: cpuMs() }
  const startedAt = last.at
  const step = () => {
    const next = { at: now(), cpu: cpuMs() }
    const cpu = next.cpu - last.cpu
    if (cpu >= LONG_MS) {
      blocks.push({ cpu, from: last.at, to: next.at })
      blocks.sort((a, b) => b.cpu - a.cpu)
      blocks = blocks.slice(0, KEPT)
    }
    last = next
    setTimeout(step, EVERY_MS).unref()
  }
  setTimeout(step, EVERY_MS).unref()
  process.on('exit', () => {
    session.post('Profiler.stop', (error, result) => {
      const found = blocks.map(({ cpu, from, to }) => ({
        cpuMs: Math.round(cpu),
        wallMs: Math.round((to - from) / 1000),
        afterMs: Math.round((from - startedAt) / 1000),
        functions: error || !IS_PROFILED ? [] : functionsIn(result.profile, from, to),
      }))
      writeFileSync(
        join(directory, `blocks-${process.pid}.json`),
        JSON.stringify({ blocks: found, collections, heap: process.memoryUsage() }, null, 2),
      )
    })
  })
}

/** Microseconds of the clock that the profiler uses. */
function now() {
  return Number(process.hrtime.bigint() / 1000n)
}

/** The functions below which most samples of this time are, from the outermost. */
function functionsIn({ nodes, samples, timeDeltas, startTime }, from, to) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parents = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id])))
  const counts = new Map()
  let at = startTime
  let total = 0
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index]
    if (at < from || at > to) continue
    total++
    const seen = new Set()
    for (let node = id; node !== undefined; node = parents.get(node)) {
      const { functionName, url, lineNumber } = byId.get(node).callFrame
      seen.add(`${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`)
    }
    for (const name of seen) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .filter(([, count]) => count >= total / 12)
    .slice(0, 45)
    .map(([name, count]) => `${Math.round((count / total) * 100)} % ${name}`)
}
