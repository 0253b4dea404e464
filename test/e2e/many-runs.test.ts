import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome

beforeEach(() => {
  home = new InsideHome()
})

afterEach(() => home.close())

const demo = () => ({ SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'), SIGNALBOX_DEMO_SPEED: '0' })

interface Listed {
  id: string
  status: string
  createdAt: number
  startedAt: number | null
}

async function detach(count: number): Promise<void> {
  for (let run = 0; run < count; run++)
    await home.ok(['oneshot', `number ${run}`, '--agent', 'demo', '--detach', '--json'], { env: demo() })
}

const runs = () => home.json<Listed[]>(['runs', '--json', '--limit', '200'])

test('runs beyond the limit are queued, and all complete', async () => {
  mkdirSync(join(home.home, 'config'), { recursive: true })
  writeFileSync(join(home.home, 'config', 'config.toml'), '[runs]\nmax_concurrent = 2\n')
  await detach(6)
  await waitFor('all to be done', async () => (await runs()).every(({ status }) => status === 'completed'))
})

test('of two commands for one run one drives it, and the other names the first', async () => {
  const hang = join(home.directory, 'slow.json')
  writeFileSync(hang, JSON.stringify({ name: 'slow', turns: [], otherwise: { steps: [{ hang: {} }] } }))
  const child = home.start(['oneshot', 'x', '--agent', 'demo'], {
    env: { ...demo(), SIGNALBOX_DEMO_SCENARIO: hang },
  })
  child.stdout!.resume()
  await waitFor('the run', async () => (await runs()).some(({ status }) => status === 'running'))
  const second = await home.run(['oneshot', '--resume'], { env: demo() })
  expect([second.code === 0, second.stderr]).toEqual([false, expect.stringContaining('another process is running')])
  child.kill('SIGINT')
  const [ended] = await waitFor('the interrupt', async () => {
    const list = await runs()
    return list[0]?.status === 'paused' ? list : null
  })
  expect(ended!.status).toBe('paused')
  await waitFor('every agent to be gone', () => home.processes().others.length === 0)
})
