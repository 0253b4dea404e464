import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { ClusterUnderTest } from './cluster-under-test.js'
import { killStorm } from './kill-storm.js'

/*
 * `npm run storm:cluster`: what `npm test` takes a sample of. Prints a report, and exits with 1 if
 * anything was lost or done twice.
 */
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'restate' },
    runs: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '20' },
    steps: { type: 'string', default: '120' },
    pause: { type: 'string', default: '3' },
    workers: { type: 'string', default: '3' },
  },
})

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`)
const load = () => loadavg()[0]!.toFixed(1)

say(`starting PostgreSQL, three servers (engine ${values.engine}) and ${values.workers} workers; load ${load()}`)
const cluster = await ClusterUnderTest.start(values.engine, { workers: Number(values.workers) })
try {
  const result = await killStorm(cluster, {
    runs: Number(values.runs),
    steps: Number(values.steps),
    pauseS: Number(values.pause),
    rounds: Number(values.rounds),
    kills: ['worker', ...(values.engine === 'restate' ? ['engine'] : []), 'server', 'postgres'],
    say,
  })
  const { kills, begun, furtherAttempts, decisions, violations, gaps } = result
  say(`${kills} kills, ${begun} commands began, ${furtherAttempts} of them again after their worker was killed; load ${load()}`)
  say(`${decisions} gates decided, each by two askers at two servers`)
  for (const [kind, all] of gaps) {
    const sorted = all.sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    say(`idle after a ${kind} was killed: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${sorted.at(-1)} ms`)
  }
  for (const violation of violations) say(`VIOLATED ${violation}`)
  say(violations.length === 0 ? 'nothing was lost, nothing was done twice' : `${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
} finally {
  await cluster.close()
}
