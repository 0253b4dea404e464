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

test('every command shows a run whose driver died as stopped, with the command that resumes it', async () => {
  const run = await killedRun()
  const [first, second] = (await waitFor('the list to show it', async () => {
    const text = await said('runs')
    return text.includes('stopped') && text.split('\n')
  })) as string[]
  expect(first).toMatch(new RegExp(`^${run} +stopped .*the process that ran it has ended`))
  expect(second).toContain(`signalbox resume ${run}`)
  const shown = await said('show', run)
  expect(shown).toContain('stopped: the process that ran it has ended')
  expect(shown).toContain(`signalbox resume ${run}`)
  const status = await said('status')
  expect(status).toContain(`stopped: the process that ran it has ended; resume it: signalbox resume ${run}`)
  expect(status).not.toContain('Nothing needs you')
  expect(JSON.parse(await said('show', run, '--json'))).toMatchObject({
    status: 'running',
    isUndriven: true,
    why: 'stopped: the process that ran it has ended',
    next: `signalbox resume ${run}`,
  })
  const followed = await inside(home, ['logs', '-f', run])
  expect(followed.stderr).toContain(`stopped: the process that ran it has ended; resume it: signalbox resume ${run}`)
  await said('cancel', run)
  expect(await said('status')).toContain('Nothing needs you')
})

test('the daemon shows a run whose driver died as stopped and needing you, and ends its processes', async () => {
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
    why: 'stopped: the process that ran it has ended',
    next: `signalbox resume ${run}`,
  })
  const { items } = await client.get<{ items: RunNode[] }>(`/runs/${run}/nodes`)
  expect(items.find(({ node }) => node === 'c')).toMatchObject({ status: 'stopped' })
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
