import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
import { parseLines, TestHome, waitFor } from './harness.js'
import { inside } from './inside.js'

let home: TestHome

/** One daemon for all tests; tests that kill it start the next one. */
beforeAll(async () => {
  home = new TestHome()
  const turns = [
    { match: '/verdict/', steps: [{ say: { markdown: '{"verdict":"DONE","feedback":"fine"}' } }] },
    {
      match: '/build the house/',
      steps: [
        { tool: { name: 'Write', kind: 'write', write: { path: 'house.txt', text: 'a house\n' }, permission: true } },
        { say: { markdown: '{"outcome":"built","notes":"with a roof"}' } },
      ],
    },
    {
      match: '/final message is the result/',
      steps: [
        { tool: { name: 'Write', kind: 'write', write: { path: 'made.txt', text: 'made\n' }, permission: true } },
        { usage: { input: 1000, output: 100, costUsd: 0.25 } },
        { say: { markdown: 'It is made.' } },
      ],
    },
  ]
  writeFileSync(scenarioOf().SIGNALBOX_DEMO_SCENARIO, JSON.stringify({ name: 'live', headless: { auto: true }, turns }))
  const scenario = scenarioOf()
  mkdirSync(join(home.home, 'config'), { recursive: true })
  const pass = Object.keys(scenario).map(name => `"${name}"`)
  writeFileSync(join(home.home, 'config', 'config.toml'), `[env]\npass = [${pass.join(', ')}]\n`)
  await home.ok(['serve', '--background'], { env: scenarioOf() })
})

afterAll(() => home.close())

const demo = () => ({ SIGNALBOX_DEMO_HOME: join(home.directory, 'demo') })
const scenarioOf = () => ({
  ...demo(),
  SIGNALBOX_DEMO_SCENARIO: join(home.directory, 'live.json'),
  SIGNALBOX_DEMO_SPEED: '5',
})
const json = async <T>(...args: string[]) => JSON.parse((await inside(home, args)).stdout) as T

/** The pending request of the session of this run's step, or null. */
async function requestOf(run: string): Promise<{ id: string; fingerprint: string } | null> {
  const sessions = await json<{ id: string; label: string | null }[]>('sessions', '--json')
  const session = sessions.find(({ label }) => label?.startsWith(`${run}/`))
  const open = await json<{ id: string; fingerprint: string; subject: { session?: string } }[]>('approvals', '--json')
  return open.find(({ subject }) => session !== undefined && subject.session === session.id) ?? null
}

interface Shown {
  status: string
  oneshot: { state: string }
  stepList: { step: string; status: string; usage?: { input: number; output: number; costUsd?: number } }[]
}

interface LoggedActivity {
  type: string
  tool?: string
  ok?: boolean
  text?: string
}

test('a worker in a terminal asks there, survives the daemon, and its answer reaches the auditor', async () => {
  const { run } = JSON.parse(
    (await inside(home, ['oneshot', 'make a file', '--agent', 'demo', '--live', '--detach', '--json'])).stdout,
  ) as { run: string }
  const asked = await waitFor('the question', () => requestOf(run))
  const follower = home.start(['oneshot', '--follow', run])
  let said = ''
  follower.stdout!.on('data', chunk => {
    said += String(chunk)
  })
  await waitFor('the follower to say so', () => said.includes(`signalbox approve ${asked.id}`), 30_000)
  expect(said).toContain('waits for you')
  follower.kill('SIGKILL')
  await home.kill(home.daemon)
  await home.ok(['serve', '--background'], { env: scenarioOf() })
  const approved = await waitFor('the answer to be taken', async () => {
    const result = await inside(home, ['approve', asked.id, '--fingerprint', asked.fingerprint])
    return result.code === 0 ? result : null
  })
  expect(approved.stdout).toContain('applied')
  const followed = await inside(home, ['oneshot', '--follow', run])
  expect([followed.code, followed.stdout]).toEqual([0, expect.stringContaining('It is made.')])
  const shown = await json<Shown>('show', run, '--json')
  expect(shown.stepList).toMatchObject([
    { step: 'worker@1#1', status: 'ok', usage: { input: 1000, output: 100, costUsd: 0.25 } },
    { step: 'auditor@1#1', status: 'ok' },
  ])
  // The log of the run has each of its actions once, though two daemons read its transcript.
  const lines = parseLines<{ type: string; data: LoggedActivity }>(
    (await inside(home, ['logs', run, 'worker@1#1', '--json'])).stdout,
  )
  const told = lines.flatMap(({ type, data }) => (type === 'activity' ? [data] : []))
  const of = (type: string) => told.filter(activity => activity.type === type)
  expect([of('tool_call'), of('tool_result')]).toMatchObject([[{ tool: 'Write' }], [{ ok: true }]])
  expect(of('text').map(({ text }) => text)).toEqual(['It is made.'])
  await waitFor('its terminal to be gone', async () => {
    const left = await json<{ label: string | null }[]>('sessions', '--json')
    return left.every(({ label }) => !label?.startsWith(`${run}/`))
  })
})

test('a node with live=true asks in its terminal, survives the daemon, and its report picks the edge', async () => {
  const dot = `digraph {
    start [shape=Mdiamond]; exit [shape=Msquare]
    build [live=true, prompt="Please build the house."]
    paint [shape=parallelogram, tool_command="cat house.txt"]
    start -> build; build -> paint [condition="outcome=built"]; build -> exit [condition="outcome=fail"]; paint -> exit
  }`
  writeFileSync(join(home.work, 'house.dot'), dot)
  const { hash } = await json<{ hash: string }>('trust', 'house.dot', '--json')
  const args = ['run', 'house.dot', '--agent', 'demo', '--detach', '--json', '--trust', hash]
  const { run } = JSON.parse((await inside(home, args)).stdout) as { run: string }
  const asked = await waitFor('the question', () => requestOf(run))
  await home.kill(home.daemon)
  await home.ok(['serve', '--background'], { env: scenarioOf() })
  await waitFor('the answer to be taken', async () => {
    const { code } = await inside(home, ['approve', asked.id, '--fingerprint', asked.fingerprint])
    return code === 0
  })
  const shown = await waitFor('its end', async () => {
    const now = await json<Shown>('show', run, '--json')
    return ['completed', 'failed', 'cancelled'].includes(now.status) ? now : null
  })
  expect(shown.status, JSON.stringify(shown)).toBe('completed')
  // The step that ran when the daemon was killed is the one that ended: no step started again.
  expect(shown.stepList.map(({ step, status }) => [step, status])).toEqual([
    ['build@1#1', 'ok'],
    ['paint@1#1', 'ok'],
  ])
  await waitFor('its terminal to be gone', async () => {
    const left = await json<{ label: string | null }[]>('sessions', '--json')
    return left.every(({ label }) => !label?.startsWith(`${run}/`))
  })
})

test('a run that is cancelled without a daemon ends its agent, and the next daemon ends its session', async () => {
  const { run } = JSON.parse(
    (await inside(home, ['oneshot', 'make a file', '--agent', 'demo', '--live', '--detach', '--json'])).stdout,
  ) as { run: string }
  await waitFor('the question', () => requestOf(run))
  await home.kill(home.daemon)
  await home.ok(['cancel', run])
  expect(markedProcesses().filter(found => isOfStepOfRun(found, run))).toEqual([])
  await home.ok(['serve', '--background'], { env: scenarioOf() })
  await waitFor('its terminal to be gone', async () => {
    const left = await json<{ label: string | null }[]>('sessions', '--json')
    return left.every(({ label }) => !label?.startsWith(`${run}/`))
  })
})
