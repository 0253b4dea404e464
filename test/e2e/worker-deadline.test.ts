import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { GraphHome } from './graph-home.js'
import { isRunning, type SessionInfo, waitFor } from './harness.js'
import { kill, WorkerSite } from './worker-site.js'

let site: WorkerSite<GraphHome>
let server: GraphHome

beforeEach(async () => {
  server = new GraphHome()
  await server.ok(['config', 'set', 'worker.lost_after', '30'])
  site = new WorkerSite(server)
  await site.serve()
})
afterEach(() => site.close())

/** Longer than it takes until a worker is lost. */
const LOST_MS = 150_000

interface Tick {
  run: string
  attempt: string
  at: number
}

/** Runs whose only step writes the time into a file, from a process of its own session. */
function tickingGraph() {
  const [ticks, gate] = [join(server.directory, 'ticks'), join(server.directory, 'go')]
  const tick = `while [ ! -e ${gate} ]; do echo "$SIGNALBOX_STEP $(date +%s%3N)" >> ${ticks}; sleep 0.1; done`
  server.write('tick.sh', `${tick}\n`)
  server.graph('one [shape=parallelogram, tool_command="setsid -w sh tick.sh"]; start -> one -> exit')
  server.commit('graph')
  const read = (): Tick[] =>
    (existsSync(ticks) ? readFileSync(ticks, 'utf8').split('\n') : []).flatMap(line => {
      const [, run, attempt, at] = /^(\w+)\/\S+#(\d+) (\d+)$/.exec(line) ?? []
      return run ? [{ run, attempt: attempt!, at: Number(at) }] : []
    })
  return { read, letEnd: () => writeFileSync(gate, '') }
}

async function startOn(name: string): Promise<{ run: string; session: string; pid: number }> {
  const machine = await site.joined(name)
  const daemon = await site.work(machine, name)
  daemons.set(name, daemon)
  const trust = await server.trust('flow.dot')
  const { run } = await server.json<{ run: string }>(['run', 'flow.dot', '--detach', '--json', ...trust, '--on', 'any'])
  await waitFor(`a step on ${name}`, async () => (await site.worker(name))?.steps === 1)
  const start = ['start', 'demo', '--on', name, '--cwd', machine.work, '--json']
  const { id, pid } = await server.json<SessionInfo>(start)
  return { run, session: id, pid }
}

const daemons = new Map<string, Awaited<ReturnType<typeof site.work>>>()

test('nothing of a lost worker runs on when its program was killed or hangs', { timeout: 300_000 }, async () => {
  const { read, letEnd } = tickingGraph()
  // A run goes to the worker with the least load: each of these gets one.
  const killed = await startOn('killed')
  const hanging = await startOn('hanging')
  const machine = await site.joined('third')
  await site.work(machine, 'third')
  await kill(daemons.get('killed')!)
  daemons.get('hanging')!.kill('SIGSTOP')
  expect([isRunning(killed.pid), isRunning(hanging.pid)]).toEqual([true, true])
  const { state } = (await server.json<SessionInfo[]>(['sessions', '--json'])).find(({ id }) => id === hanging.session)!
  expect(state).not.toBe('lost')
  for (const { run } of [killed, hanging]) {
    const attempt = (n: string) => read().filter(tick => tick.run === run && tick.attempt === n)
    await waitFor('the next attempt elsewhere', () => attempt('2').length > 0, LOST_MS)
    expect(attempt('2')[0]!.at).toBeGreaterThan(attempt('1').at(-1)!.at)
  }
  for (const { session, pid } of [killed, hanging]) {
    const isLost = async () =>
      (await server.json<SessionInfo[]>(['sessions', '--all', '--json'])).some(
        found => found.id === session && found.state === 'lost',
      )
    await waitFor('the session to be lost', isLost, LOST_MS)
    expect(isRunning(pid)).toBe(false)
  }
  daemons.get('hanging')!.kill('SIGCONT')
  await waitFor('the worker that hung', async () => (await site.worker('hanging'))?.state === 'ready', LOST_MS)
  letEnd()
  for (const { run } of [killed, hanging])
    await waitFor('the end', async () => {
      const { status } = await server.json<{ status: string }>(['show', run, '--json'])
      return status === 'completed'
    })
  expect(new Set(read().map(({ run, attempt }) => `${run} ${attempt}`)).size).toBe(4)
})
