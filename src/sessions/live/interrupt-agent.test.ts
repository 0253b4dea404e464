import { beforeEach, expect, test } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import { parsePack } from '../../screen/index.js'
import { composer, idle, ScriptedAgent } from '../testing/scripted-agent.js'
import { interruptAgent } from './interrupt-agent.js'

const packOf = (input: string, agent = 'demo') =>
  parsePack(`pack = 1\nagent = "${agent}"\ninput = { ${input} }\n`, 'test.toml')
const ONE = packOf('interrupt = ["\\u001b"]')
const TWO = packOf('interrupt = ["\\u001b", "\\u001b"]')
const BUSY = idle({ busy: true, view: 'thinking' })

let clock: SimulatedClock
beforeEach(() => {
  clock = new SimulatedClock()
})

function interrupt(agent: ScriptedAgent, pack = ONE, options = {}) {
  const port = {
    observation: () => agent.observation(),
    isExited: () => agent.isExited(),
    isAtWork: () => agent.seen.busy === true,
    press: (keys: string) => agent.press(keys),
    until: async (ms: number, holds: () => boolean) => {
      const end = clock.monotonic() + ms
      while (!holds() && clock.monotonic() < end) await agent.changed(end - clock.monotonic())
      return holds()
    },
  }
  return runToEnd(clock, interruptAgent(port, { pack, clock }, options))
}

function agentOf(seen = BUSY, onWrite: (agent: ScriptedAgent, presses: number) => void = () => undefined) {
  const agent: ScriptedAgent = new ScriptedAgent(clock, { onWrite: () => onWrite(agent, agent.writes.length) })
  agent.seen = seen
  return agent
}

test('interrupting presses the key and succeeds when the agent reports the interruption', async () => {
  const agent = agentOf(BUSY, self => self.show({ terminator: { row: 5, outcome: 'interrupted' }, busy: false }))
  expect(await interrupt(agent)).toEqual({ result: 'interrupted' })
  expect(agent.writes).toEqual(['\u001b'])
})

test('interrupting succeeds when the input box is idle', async () => {
  const agent = agentOf(BUSY, self => self.later(2_000, () => self.show({ busy: false, composer: composer('') })))
  expect(await interrupt(agent)).toEqual({ result: 'interrupted' })
})

test('interrupting presses twice within a second if the pack requires it', async () => {
  const times: number[] = []
  const agent = agentOf(BUSY, (self, presses) => {
    times.push(clock.monotonic())
    if (presses === 2) self.show({ busy: false, terminator: { row: 1, outcome: 'interrupted' } })
  })
  expect(await interrupt(agent, TWO)).toEqual({ result: 'interrupted' })
  expect(times).toHaveLength(2)
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(100)
  expect(times[1]! - times[0]!).toBeLessThan(1_000)
})

test('an agent that read several keys as one gets them again with longer gaps', async () => {
  const times: number[] = []
  const agent = agentOf(BUSY, (self, presses) => {
    times.push(clock.monotonic())
    if (presses === 4) self.show({ busy: false, terminator: { row: 1, outcome: 'interrupted' } })
  })
  expect(await interrupt(agent, TWO)).toEqual({ result: 'interrupted' })
  expect(times).toHaveLength(4)
  expect(times[3]! - times[2]!).toBeGreaterThan(times[1]! - times[0]!)
})

test('an agent that soon forgets the first key gets the keys with other gaps', async () => {
  const times: number[] = []
  const agent = agentOf(BUSY, self => {
    times.push(clock.monotonic())
    const apartMs = (times.at(-1) ?? 0) - (times.at(-2) ?? Number.NEGATIVE_INFINITY)
    if (apartMs > 200 && apartMs < 500) self.show({ busy: false, terminator: { row: 1, outcome: 'interrupted' } })
  })
  expect(await interrupt(agent, TWO)).toEqual({ result: 'interrupted' })
  expect(times).toHaveLength(6)
})

test('interrupting presses a single key only once', async () => {
  const agent = agentOf()
  await interrupt(agent)
  expect(agent.writes).toHaveLength(1)
})

test('interrupting presses no further key once the agent has stopped', async () => {
  const agent = agentOf(BUSY, self => self.show({ busy: false, terminator: { row: 1, outcome: 'interrupted' } }))
  expect(await interrupt(agent, TWO)).toEqual({ result: 'interrupted' })
  expect(agent.writes).toHaveLength(1)
})

test('interrupting is unconfirmed if the agent still works after five seconds', async () => {
  const agent = agentOf()
  expect(await interrupt(agent)).toMatchObject({ result: 'unconfirmed' })
  expect(clock.monotonic()).toBeGreaterThanOrEqual(5_000)
  expect(clock.monotonic()).toBeLessThan(6_000)
})

test('interrupting presses no key if the agent is idle, asks, has ended or is unknown', async () => {
  const ended = agentOf()
  ended.exit()
  const cases = [
    [agentOf(idle()), ONE, { result: 'idle' }],
    [
      agentOf(idle({ view: 'tool_menu', awaiting: 'permission', composer: null })),
      ONE,
      { result: 'refused', reason: 'menu' },
    ],
    [ended, ONE, { result: 'refused', reason: 'gone' }],
    [agentOf(), packOf('interrupt = ["\\u001b"]', 'generic'), { result: 'refused', reason: 'no-keys' }],
  ] as const
  for (const [agent, pack, expected] of cases) {
    expect(await interrupt(agent, pack)).toMatchObject(expected)
    expect(agent.writes).toEqual([])
  }
})

const stopsAtOnce = (self: ScriptedAgent) =>
  self.show({ busy: false, composer: composer(''), terminator: { row: 1, outcome: 'interrupted' } })

test('an agent that has just got an answer is interrupted when its menu has gone and it works again', async () => {
  const agent = agentOf(idle(), stopsAtOnce)
  agent.showMenu()
  agent.later(700, () => agent.show(idle()))
  agent.later(1_200, () => agent.show(BUSY))
  expect(await interrupt(agent, ONE, { isAnswered: true })).toEqual({ result: 'interrupted' })
  expect(agent.keysInMenu).toEqual([])
  expect(agent.writes).toEqual(['\u001b'])
})

test('an agent that stops or asks again after its answer gets no key', async () => {
  const stopped = agentOf(idle())
  stopped.showMenu()
  stopped.later(300, () => stopped.show(idle()))
  expect(await interrupt(stopped, ONE, { isAnswered: true })).toEqual({ result: 'idle' })
  const asking = agentOf(idle())
  asking.showMenu()
  expect(await interrupt(asking, ONE, { isAnswered: true })).toMatchObject({ result: 'refused', reason: 'menu' })
  expect([...stopped.writes, ...asking.writes]).toEqual([])
})
