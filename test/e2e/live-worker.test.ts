import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseLines, TestHome, waitFor } from './harness.js'
import { inside } from './inside.js'

let home: TestHome

beforeAll(() => {
  home = new TestHome()
})

afterAll(() => home.close())

const demo = () => ({ SIGNALBOX_DEMO_HOME: join(home.directory, 'demo') })
const json = async <T>(...args: string[]) => JSON.parse((await inside(home, args)).stdout) as T

interface Shown {
  status: string
  oneshot: { state: string }
  stepList: { step: string; status: string; usage?: { input: number; output: number; costUsd?: number } }[]
}

interface Told {
  type: string
  tool?: string
  ok?: boolean
  text?: string
}

test('a worker in a terminal asks there, outlives the daemon, and its answer goes to the auditor', async () => {
  const turns = [
    { match: '/verdict/', steps: [{ say: { markdown: '{"verdict":"DONE","feedback":"fine"}' } }] },
    {
      match: '/final message is the result/',
      steps: [
        { tool: { name: 'Write', kind: 'write', write: { path: 'made.txt', text: 'made\n' }, permission: true } },
        { usage: { input: 1000, output: 100, costUsd: 0.25 } },
        { say: { markdown: 'It is made.' } },
      ],
    },
  ]
  const file = join(home.directory, 'live.json')
  writeFileSync(file, JSON.stringify({ name: 'live', headless: { auto: true }, turns }))
  const scenario = { ...demo(), SIGNALBOX_DEMO_SCENARIO: file, SIGNALBOX_DEMO_SPEED: '5' }
  mkdirSync(join(home.home, 'config'), { recursive: true })
  const pass = Object.keys(scenario).map(name => `"${name}"`)
  writeFileSync(join(home.home, 'config', 'config.toml'), `[env]\npass = [${pass.join(', ')}]\n`)
  await home.ok(['serve', '--background'], { env: scenario })
  const { run } = JSON.parse(
    (await inside(home, ['oneshot', 'make a file', '--agent', 'demo', '--live', '--detach', '--json'])).stdout,
  ) as { run: string }
  const [asked] = await waitFor('the question', async () => {
    const list = await json<{ id: string; fingerprint: string; subject: { session?: string } }[]>('approvals', '--json')
    return list.length > 0 ? list : null
  })
  await home.kill(home.daemon)
  await home.ok(['serve', '--background'], { env: scenario })
  const approved = await waitFor('the answer to be taken', async () => {
    const result = await inside(home, ['approve', asked!.id, '--fingerprint', asked!.fingerprint])
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
  // What it did stands in the log of the run, each thing once, though two daemons read its transcript.
  const lines = parseLines<{ type: string; data: Told }>(
    (await inside(home, ['logs', run, 'worker@1#1', '--json'])).stdout,
  )
  const told = lines.flatMap(({ type, data }) => (type === 'activity' ? [data] : []))
  const of = (type: string) => told.filter(activity => activity.type === type)
  expect([of('tool_call'), of('tool_result')]).toMatchObject([[{ tool: 'Write' }], [{ ok: true }]])
  expect(of('text').map(({ text }) => text)).toEqual(['It is made.'])
  await waitFor('its terminal to be gone', async () => (await json<object[]>('sessions', '--json')).length === 0)
})
