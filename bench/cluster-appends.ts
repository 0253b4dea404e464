// Appends of several processes to one PostgreSQL. `npm run bench:cluster` starts this file as each
// of the hosts: node --import tsx bench/cluster-appends.ts <url> <lanes> <seconds>
import { fork } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { type Database, open } from './cluster-step.js'

interface Measured {
  times: number[]
  seconds: number
}

interface AppendsSize {
  hosts: number
  lanes: number
  seconds: number
  /** How long another writing host is paused; its own appends are not measured. */
  stoppedS?: number
}

/** Appends a second of all hosts, and the times of all appends in ms, sorted. */
export async function appends(
  { url, password }: Database,
  { hosts, lanes, seconds, stoppedS }: AppendsSize,
): Promise<{ perSecond: number; times: number[] }> {
  const place = `${url}?schema=bench_appends`
  await (await open({ url: place, password })).close()
  const startHost = () =>
    fork(fileURLToPath(import.meta.url), [place, String(lanes), String(seconds)], {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, PGPASSWORD: password },
    })
  const stopped = stoppedS === undefined ? null : startHost()
  // It is stopped with appends under way, while the others write.
  stopped?.once('message', () => {
    setTimeout(() => stopped.kill('SIGSTOP'), 1_000)
    setTimeout(() => stopped.kill('SIGCONT'), 1_000 + stoppedS! * 1_000)
  })
  const ended = stopped && new Promise(resolve => stopped.once('exit', resolve))
  const measured = await Promise.all(
    Array.from({ length: hosts }, () => {
      const child = startHost()
      return new Promise<Measured>((resolve, reject) => {
        child.on('message', message => message !== 'writing' && resolve(message as Measured))
        child.once('exit', code => code !== 0 && reject(new Error(`a host ended with ${code}`)))
      })
    }),
  )
  await ended
  const times = measured.flatMap(host => host.times).sort((a, b) => a - b)
  return { perSecond: measured.reduce((sum, host) => sum + host.times.length / host.seconds, 0), times }
}

async function appendInLanes(url: string, lanes: number, seconds: number): Promise<Measured> {
  const store = await open({ url, password: process.env.PGPASSWORD! })
  const times: number[] = []
  const data = { text: 'x'.repeat(200), level: 'info' }
  process.send?.('writing')
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() < end) {
        const startedAt = performance.now()
        await store.append(`bench/${process.pid}-${lane}`, 'any', [{ type: 'run.notice', data }])
        times.push(performance.now() - startedAt)
      }
    }),
  )
  const measured = { times, seconds: (performance.now() - start) / 1000 }
  await store.close()
  return measured
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , url, lanes, seconds] = process.argv
  process.send?.(await appendInLanes(url!, Number(lanes), Number(seconds)), () => process.disconnect())
}
