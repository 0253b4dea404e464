import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isOfStepOfRun, markedProcesses } from '../../src/process/index.js'
import { isRunning, waitFor } from './harness.js'
import { InsideHome } from './inside.js'

let home: InsideHome
beforeEach(() => {
  home = new InsideHome()
  mkdirSync(home.path('config'), { recursive: true, mode: 0o700 })
})
afterEach(() => home.close())

const configure = (text: string) => writeFileSync(home.path('config', 'config.toml'), text, { mode: 0o600 })

/** The daemon ends in time, and not because its time was up. */
async function stopsCleanly(): Promise<void> {
  const { daemon } = home
  expect((await home.run(['serve', '--stop'])).code).toBe(0)
  expect(isRunning(daemon)).toBe(false)
  expect(readFileSync(home.path('state', 'daemon.log'), 'utf8')).not.toContain('did not stop cleanly')
}

test('a daemon stops while the Bot API accepts connections and never answers', async () => {
  let isCalled = false
  const deaf = createServer(() => {
    isCalled = true
  })
  await new Promise<void>(resolve => deaf.listen(0, '127.0.0.1', resolve))
  try {
    const file = home.path('config', 'telegram-token')
    configure(
      `[telegram]\ntoken_file = "${file}"\napi_root = "http://127.0.0.1:${(deaf.address() as AddressInfo).port}"\n`,
    )
    writeFileSync(file, `123456:${'a'.repeat(35)}\n`, { mode: 0o600 })
    await home.ok(['serve', '--background'])
    await waitFor('the bot to call', () => isCalled, 20_000)
    await stopsCleanly()
  } finally {
    deaf.close()
  }
})

test('a daemon stops while a step of its run ignores SIGTERM, and leaves no process of the step', async () => {
  const command = ['sh', '-c', 'trap "" TERM; echo up > up; while :; do sleep 0.1; done']
  const turns = [{ match: '/Your final/', steps: [{ tool: { name: 'Bash', kind: 'shell', command } }] }]
  const scenario = {
    SIGNALBOX_DEMO_SCENARIO: join(home.directory, 'deaf.json'),
    SIGNALBOX_DEMO_HOME: join(home.directory, 'demo'),
  }
  writeFileSync(scenario.SIGNALBOX_DEMO_SCENARIO, JSON.stringify({ name: 'deaf', headless: { auto: true }, turns }))
  configure(`[env]\npass = [${Object.keys(scenario).map(name => `"${name}"`)}]\n`)
  await home.ok(['serve', '--background'], { env: scenario })
  const { run } = await home.json<{ run: string }>([
    ...['oneshot', 'x', '--agent', 'demo', '--permissions', 'all', '--detach', '--json'],
  ])
  await waitFor(
    'the command to work',
    () => {
      try {
        return readFileSync(join(home.work, 'up'), 'utf8')
      } catch {
        return null
      }
    },
    30_000,
  )
  await stopsCleanly()
  expect(markedProcesses().filter(found => isOfStepOfRun(found, run))).toEqual([])
})

test('a daemon with working sessions stops, and none of their timers keeps it alive', async () => {
  for (const scenario of ['chat', 'chat', 'chat']) await home.startDemo(['--scenario', scenario])
  const [session] = await home.json<{ id: string }[]>(['sessions', '--json'])
  await home.ok(['send', session!.id, 'hello'])
  await stopsCleanly()
})
