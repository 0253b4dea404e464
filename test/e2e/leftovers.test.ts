import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
import { executableFiles } from '../../src/trust/index.js'
import { isRunning, waitFor } from './harness.js'
import { inside } from './inside.js'
import { env, git, home, scenario, useOneshotHome } from './oneshot-home.js'

useOneshotHome()

/** The processes of this run's steps. */
const leftOf = (run: string) => markedProcesses().filter(found => isOfStepOfRun(found, run))
const lines = (name: string) => {
  const file = join(home.work, name)
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
const newest = async () => JSON.parse((await inside(home, ['runs', '--json'])).stdout)[0].id as string

/**
 * Starts a command that drives a run, waits until its step is at work, and kills it like a crash.
 */
async function killAtWork(args: string[], of: Record<string, string> = env()): Promise<string> {
  const driver = home.start([...args, '--json'], { env: of })
  driver.stdout!.resume()
  await waitFor('the step to be at work', () => lines('begun').length === 1, 30_000)
  await home.kill(driver.pid!)
  const run = await newest()
  expect(leftOf(run)).not.toEqual([])
  return run
}

async function writeGraph(text: string): Promise<string[]> {
  writeFileSync(join(home.work, 'flow.dot'), `digraph g { start [shape=Mdiamond]; exit [shape=Msquare]; ${text} }`)
  return ['run', 'flow.dot', '--trust', (await executableFiles(join(home.work, 'flow.dot'), [])).hash]
}

const BEGIN = 'echo $$ >> begun; while [ ! -e stop ]; do sleep 0.05; done'
const TOOL = `c [shape=parallelogram, tool_command="${BEGIN}"]; start -> c -> exit; graph [worktree=none]`
/** A worker whose command starts another process in a session of its own. */
const worker = () =>
  env(
    scenario({
      worker: [{ tool: { name: 'Bash', kind: 'shell', command: ['sh', '-c', `setsid sleep 600 & ${BEGIN}`] } }],
    }),
  )

test('a command of a dead driver is ended before its step starts again', async () => {
  const run = await killAtWork(await writeGraph(TOOL))
  const resumed = home.start(['resume', run, '--json'], { env: env() })
  const [first, second] = await waitFor(
    'the second start',
    () => (lines('begun').length === 2 ? lines('begun') : null),
    30_000,
  )
  expect([isRunning(Number(first)), isRunning(Number(second))]).toEqual([false, true])
  writeFileSync(join(home.work, 'stop'), '')
  expect((await home.finish(resumed)).code).toBe(0)
  expect(leftOf(run)).toEqual([])
})

test('a check of a oneshot is ended before its step starts again', async () => {
  writeFileSync(join(home.work, 'check.sh'), BEGIN)
  const run = await killAtWork(['oneshot', 'do it', '--agent', 'demo', '--check', 'sh check.sh'])
  const resumed = home.start(['resume', run, '--json'], { env: env() })
  const [first] = await waitFor('the second start', () => (lines('begun').length === 2 ? lines('begun') : null), 30_000)
  expect(isRunning(Number(first))).toBe(false)
  writeFileSync(join(home.work, 'stop'), '')
  expect((await home.finish(resumed)).code).toBe(0)
})

test.each([
  ['of an agent', async () => killAtWork(['oneshot', 'work', '--agent', 'demo', '--permissions', 'all'], worker())],
  ['of a command', async () => killAtWork(await writeGraph(TOOL))],
  [
    'of a hook of the repository',
    async () => {
      writeFileSync(join(home.work, '.git', 'hooks', 'post-commit'), `#!/bin/sh\ncd ${home.work}; ${BEGIN}`, {
        mode: 0o755,
      })
      const write = 'c [shape=parallelogram, tool_command="echo made > made.txt"]; start -> c -> exit'
      const args = await writeGraph(write)
      git('add', '.')
      git('-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'flow')
      return killAtWork(args)
    },
  ],
])('cancelling a run whose driver died ends the processes %s', async (_, start) => {
  const run = await start()
  expect((await inside(home, ['cancel', run])).code).toBe(0)
  expect(leftOf(run)).toEqual([])
})

/** A process that keeps neither its environment, its session nor its parent. */
const FAR = "env -i setsid sh -c 'echo $$ > far; exec sleep 600' > /dev/null 2>&1 &"
const farProcess = () => waitFor('the far process', () => Number(lines('far')[0] ?? 0) || null, 30_000)

test('a step leaves no process that cleared its environment', async () => {
  const command = `${FAR} while [ ! -s far ]; do sleep 0.05; done`
  const args = await writeGraph(
    `c [shape=parallelogram, tool_command="${command}"]; start -> c -> exit; graph [worktree=none]`,
  )
  expect((await home.run([...args, '--json'], { env: env() })).code).toBe(0)
  expect(isRunning(await farProcess())).toBe(false)
})

test.each([
  ['cancelling', async (run: string) => inside(home, ['cancel', run])],
  ['a daemon that starts', async () => home.run(['serve', '--background'])],
])('%s ends processes that cleared their environment', async (_, end) => {
  const graph = `c [shape=parallelogram, tool_command="${FAR} ${BEGIN}"]; start -> c -> exit; graph [worktree=none]`
  const run = await killAtWork(await writeGraph(graph))
  const far = await farProcess()
  // Only the far process is left, so that nothing else leads to it. One that is ended may end
  // others.
  for (const { pid, mark } of leftOf(run)) if (typeof mark === 'string' && isRunning(pid)) process.kill(pid, 'SIGKILL')
  expect(isRunning(far)).toBe(true)
  expect((await end(run)).code).toBe(0)
  await waitFor('its end', () => !isRunning(far))
  await home.run(['serve', '--stop'])
})

test('a daemon that starts ends the processes of runs that no process drives', async () => {
  const died = await killAtWork(['oneshot', 'work', '--agent', 'demo', '--permissions', 'all'], worker())
  await home.ok(['serve', '--background'])
  expect(leftOf(died)).toEqual([])
})

test('a command of a step does not start a daemon, which would belong to the step', async () => {
  await home.run(['serve', '--stop'])
  const cli = `${process.execPath} ${join(process.cwd(), 'dist', 'cli.js')}`
  const start = `SIGNALBOX_HOME=${home.home} ${cli} serve --background`
  const args = await writeGraph(
    `c [shape=parallelogram, tool_command="${start}"]; start -> c -> exit; graph [worktree=none]`,
  )
  expect((await home.run([...args, '--json'], { env: env() })).code).toBe(1)
  expect(home.processes().daemons).toEqual([])
})
