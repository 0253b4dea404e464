import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DaemonClient } from '../../src/cli/daemon-client.js'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
import type { Overview, Run, RunNode } from '../../src/server/index.js'
import { executableFiles } from '../../src/trust/index.js'
import { silentContext } from '../support/silent-context.js'
import { waitFor } from './harness.js'
import { inside } from './inside.js'
import { env, home, useOneshotHome } from './oneshot-home.js'

useOneshotHome()

/** A run in a terminal whose process was killed while its command worked. */
async function killedRun(): Promise<string> {
  const command = 'touch begun; sleep 600'
  const nodes = `start [shape=Mdiamond]; exit [shape=Msquare]; c [shape=parallelogram, tool_command="${command}"]`
  writeFileSync(join(home.work, 'flow.dot'), `digraph g { graph [worktree=none]; ${nodes}; start -> c -> exit }`)
  const { hash } = await executableFiles(join(home.work, 'flow.dot'), [])
  const driver = home.start(['run', 'flow.dot', '--trust', hash, '--json'], { env: env() })
  driver.stdout!.resume()
  await waitFor('the command to work', () => existsSync(join(home.work, 'begun')), 30_000)
  await home.kill(driver.pid!)
  const [newest] = JSON.parse((await inside(home, ['runs', '--json'])).stdout) as Run[]
  return newest!.id
}

const said = async (...args: string[]) => (await inside(home, args)).stdout

test('every command shows a run whose driver died as interrupted, with the command that resumes it', async () => {
  const run = await killedRun()
  const [first, second] = (await waitFor('the list to show it', async () => {
    const text = await said('runs')
    return text.includes('interrupted') && text.split('\n')
  })) as string[]
  expect(first).toMatch(new RegExp(`^${run} +interrupted .*the process that ran it has ended`))
  expect(second).toContain(`signalbox resume ${run}`)
  expect(await said('runs', '--status', 'interrupted')).toContain(run)
  expect(await said('runs', '--status', 'working')).not.toContain(run)
  const shown = await said('show', run)
  expect(shown).toContain('interrupted (the process that ran it has ended)')
  expect(shown).toContain(`signalbox resume ${run}`)
  const status = await said('status')
  expect(status).toContain(`interrupted: the process that ran it has ended; resume it: signalbox resume ${run}`)
  expect(status).not.toContain('Nothing needs you')
  expect(JSON.parse(await said('show', run, '--json'))).toMatchObject({
    status: 'running',
    isUndriven: true,
    why: 'the process that ran it has ended',
    next: `signalbox resume ${run}`,
  })
  const followed = await inside(home, ['logs', '-f', run])
  expect(followed.stderr).toContain(
    `interrupted: the process that ran it has ended; resume it: signalbox resume ${run}`,
  )
  await said('cancel', run)
  expect(await said('status')).toContain('Nothing needs you')
})

test('the daemon shows a run whose driver died as interrupted and needing you, and ends its processes', async () => {
  await home.ok(['serve', '--background'])
  const client = await DaemonClient.connect({ ...silentContext(home.directory, home.work), env: home.env })
  const run = await killedRun()
  const { needsYou, runs } = await waitFor('the daemon to notice it', async () => {
    const overview = await client.get<Overview>('/overview')
    return overview.needsYou.some(({ id }) => id === run) ? overview : null
  })
  expect(needsYou.find(({ id }) => id === run)).toMatchObject({ kind: 'run' })
  expect(runs.find(({ id }) => id === run)).toMatchObject({
    isUndriven: true,
    why: 'the process that ran it has ended',
    next: `signalbox resume ${run}`,
  })
  const { items } = await client.get<{ items: RunNode[] }>(`/runs/${run}/nodes`)
  expect(items.find(({ node }) => node === 'c')).toMatchObject({ status: 'interrupted' })
  await waitFor('its journal to say so', async () => (await said('show', run, '--events')).includes('"run.undriven"'))
  await waitFor('its processes to end', () => !markedProcesses().some(found => isOfStepOfRun(found, run)))

  // The process of the terminal is gone: the daemon takes the run over when a person resumes it.
  expect(await client.post<Run>(`/runs/${run}/resume`, {})).toMatchObject({ isUndriven: false })
  const resumed = await waitFor('the daemon to drive it', async () => {
    const { items: again } = await client.get<{ items: RunNode[] }>(`/runs/${run}/nodes`)
    return again.find(({ node, status }) => node === 'c' && status === 'running')
  })
  expect(resumed).toMatchObject({ node: 'c' })
  await said('cancel', run)
})

/** A run in a terminal that waits at a gate; the process of its command has ended. */
async function parkedRun(nodes: string, ...options: string[]): Promise<{ run: string; gate: string }> {
  const ends = 'start [shape=Mdiamond]; exit [shape=Msquare]'
  writeFileSync(join(home.work, 'flow.dot'), `digraph g { graph [worktree=none]; ${ends}; ${nodes} }`)
  const others = options.includes('--handlers') ? [join(home.work, options[options.indexOf('--handlers') + 1]!)] : []
  const { hash } = await executableFiles(join(home.work, 'flow.dot'), others)
  const { code, stdout, stderr } = await inside(home, ['run', 'flow.dot', '--trust', hash, ...options])
  expect(code, stdout).toBe(4)
  const [newest] = JSON.parse((await inside(home, ['runs', '--json'])).stdout) as Run[]
  return { run: newest!.id, gate: /signalbox answer (apr_\w+)/.exec(stdout + stderr)![1]! }
}

/** A daemon that continues answered runs; the home of a test has it switched off. */
async function serveContinuing(): Promise<void> {
  await inside(home, ['serve', '--stop'])
  await home.ok(['serve', '--background'], { env: { SIGNALBOX_RUNS_CONTINUE_ANSWERED: 'true' } })
}

const GATE = 'g [shape=hexagon, label="Go on?"]; g -> exit [label="[N] No"]'
const shown = async (run: string) => JSON.parse(await said('show', run, '--json')) as Run

test('the daemon continues a run whose gate is answered after its terminal has ended', async () => {
  await serveContinuing()
  const { run, gate } = await parkedRun(
    `${GATE}; b [shape=parallelogram, tool_command="touch answered"]; start -> g; g -> b [label="[Y] Yes"]; b -> exit`,
  )
  await said('answer', gate, 'yes')
  await waitFor('the run to be done', async () => (await shown(run)).status === 'completed')
  expect(existsSync(join(home.work, 'answered'))).toBe(true)
  const events = await said('show', run, '--events')
  expect(events).toContain('"run.taken-over"')
  expect(events).not.toContain('"run.undriven"')
})

test('the daemon continues a run whose child is answered, and drives its later children too', async () => {
  await serveContinuing()
  const child = (nodes: string) =>
    `digraph c { graph [worktree=none]; start [shape=Mdiamond]; exit [shape=Msquare]; ${nodes} }`
  writeFileSync(join(home.work, 'asks.dot'), child(`${GATE}; start -> g; g -> exit [label="[Y] Yes"]`))
  writeFileSync(
    join(home.work, 'works.dot'),
    child('w [shape=parallelogram, tool_command="touch worked"]; start -> w -> exit'),
  )
  const nodes =
    'a [type=pipeline, pipeline="asks.dot"]; b [type=pipeline, pipeline="works.dot"]; start -> a -> b -> exit'
  writeFileSync(join(home.work, 'flow.dot'), child(nodes))
  const { hash } = await executableFiles(
    join(home.work, 'flow.dot'),
    ['asks.dot', 'works.dot'].map(f => join(home.work, f)),
  )
  expect((await inside(home, ['run', 'flow.dot', '--trust', hash])).code).toBe(4)
  const [asking] = JSON.parse(await said('approvals', '--json')) as { id: string }[]
  await said('answer', asking!.id, 'yes')
  const [newest] = (JSON.parse(await said('runs', '--json')) as Run[]).filter(({ parent }) => !parent)
  await waitFor('the run to be done', async () => (await shown(newest!.id)).status === 'completed')
  expect(existsSync(join(home.work, 'worked'))).toBe(true)
})

test('a run with a module of the user waits for a terminal after its gate is answered', async () => {
  await serveContinuing()
  writeFileSync(
    join(home.work, 'mine.mjs'),
    "export const handlers = { shout: () => ({ status: 'success', context_updates: {} }) }",
  )
  const nodes = `${GATE}; b [type=shout]; start -> g; g -> b [label="[Y] Yes"]; b -> exit`
  const { run, gate } = await parkedRun(nodes, '--handlers', 'mine.mjs')
  await said('answer', gate, 'yes')
  await waitFor('it to be noticed', async () => (await said('show', run, '--events')).includes('"run.undriven"'))
  expect(await said('status')).toContain(`resume it: signalbox resume ${run}`)
  expect((await inside(home, ['resume', run])).code).toBe(0)
})

test('a run that was answered waits for a terminal if the settings say so', async () => {
  await inside(home, ['serve', '--stop'])
  await home.ok(['serve', '--background'])
  const { run, gate } = await parkedRun(`${GATE}; start -> g; g -> exit [label="[Y] Yes"]`)
  await said('answer', gate, 'yes')
  await waitFor('it to be noticed', async () => (await said('show', run, '--events')).includes('"run.undriven"'))
  expect((await inside(home, ['resume', run])).code).toBe(0)
})

test('without a daemon status counts the requests of runs too', async () => {
  await inside(home, ['serve', '--stop'])
  const { run, gate } = await parkedRun(`${GATE}; start -> g; g -> exit [label="[Y] Yes"]`)
  const status = await said('status')
  expect(status).toContain('1 needs you')
  expect(status).toContain(gate)
  expect(JSON.parse(await said('status', '--json'))).toMatchObject({ daemon: false, approvals: [{ id: gate }] })
  await said('cancel', run)
  expect(await said('status')).toContain('Nothing needs you')
})
