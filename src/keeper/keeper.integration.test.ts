import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock, systemClock } from '../clock/index.js'
import { isOfStep, markedProcesses, spawnGroup } from '../process/index.js'
import { SIZE_MAX as EMULATOR_SIZE_MAX } from '../terminal/index.js'
import { Keeper, KeeperClient, KeeperServer } from './index.js'
import { SIZE_MAX } from './keeper.js'
import { describeKeeper } from './testing/keeper-suite.js'
import { RecordingListener } from './testing/recording-listener.js'

describeKeeper('a keeper in this process', async () => {
  const keeper = new Keeper(systemClock)
  return { keeper, dispose: () => keeper.close() }
})

describeKeeper('a keeper behind a socket', async directory => {
  const keeper = new Keeper(systemClock)
  const server = new KeeperServer(keeper)
  await server.listen(join(directory, 'keeper.sock'))
  const client = await KeeperClient.connect(join(directory, 'keeper.sock'))
  return {
    keeper: client,
    async dispose() {
      await client.close()
      server.close()
      await keeper.close()
    },
  }
})

test('a keeper accepts the sizes that an emulator supports', () => {
  expect(SIZE_MAX).toBe(EMULATOR_SIZE_MAX)
})

describe('a deadline of a keeper', () => {
  let clock: SimulatedClock
  let keeper: Keeper
  beforeEach(() => {
    clock = new SimulatedClock(1_000_000)
    keeper = new Keeper(clock)
  })
  afterEach(() => keeper.close())

  let started = 0
  async function start(script: string): Promise<RecordingListener> {
    const id = `ses_${++started}`
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }
    const file = { file: '/bin/sh', args: ['-c', script] }
    await keeper.spawn({ id, ...file, cwd: '/', env, cols: 80, rows: 24, recording: null })
    const listener = new RecordingListener()
    await keeper.attach(id, 0, listener)
    return listener
  }

  test('is counted from its last renewal', async () => {
    const listener = await start('read line; echo "line $line"; exec sleep 600')
    await keeper.setDeadline({ ms: 1_000, steps: [] })
    clock.advance(999)
    await keeper.setDeadline({ ms: 1_000, steps: [] })
    clock.advance(999)
    // The earlier deadline would have ended it.
    await keeper.write('ses_1', Buffer.from('in time\n'))
    await listener.untilText('line in time')
    expect(keeper.isNeeded).toBe(true)
    clock.advance(1)
    expect(await listener.untilExit()).toMatchObject({ signal: 'SIGTERM' })
    expect(keeper.isNeeded).toBe(false)
  })

  test('kills a program that ignores its end', async () => {
    const listener = await start('trap "" TERM; echo ready; while :; do sleep 0.05; done')
    await listener.untilText('ready')
    await keeper.setDeadline({ ms: 1_000, steps: [] })
    clock.advance(1_000)
    await expect
      .poll(() => {
        clock.advance(100)
        return listener.exit
      })
      .toMatchObject({ signal: 'SIGKILL' })
  })

  test('ends the processes of steps too, also those that start after it', async () => {
    const mark = `run_${process.pid}/a@1#1`
    const options = { cwd: '/', env: { PATH: process.env.PATH! }, stdin: null, mark, clock: systemClock }
    const other = await spawnGroup('/bin/sh', ['-c', 'exec sleep 600'], { ...options, mark: `${mark}1` })
    const first = await spawnGroup('/bin/sh', ['-c', 'setsid sleep 600 & exec sleep 600'], options)
    const running = () => markedProcesses().filter(found => isOfStep(found, mark)).length
    await expect.poll(running).toBe(2)
    await keeper.setDeadline({ ms: 1_000, steps: [mark] })
    expect(keeper.isNeeded).toBe(true)
    clock.advance(1_000)
    expect(await first.exit).toMatchObject({ signal: 'SIGTERM' })
    await expect.poll(running).toBe(0)
    await expect
      .poll(() => {
        clock.advance(20)
        return keeper.isNeeded
      })
      .toBe(false)
    const second = await spawnGroup('/bin/sh', ['-c', 'exec sleep 600'], options)
    clock.advance(5_000)
    expect(await second.exit).toMatchObject({ signal: 'SIGTERM' })
    await keeper.setDeadline({ ms: 1_000, steps: [] })
    clock.advance(10_000)
    expect(markedProcesses().filter(found => isOfStep(found, `${mark}1`))).toMatchObject([{ pid: other.pid }])
    await other.kill(0)
  })
})
