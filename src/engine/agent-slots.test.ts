import { expect, test } from 'vitest'
import { AgentSlots } from './agent-slots.js'

const open = () => new AbortController()
const settled = async (work: Promise<unknown>) => {
  let is = false
  void work.then(
    () => {
      is = true
    },
    () => {
      is = true
    },
  )
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
  return is
}

test('an agent runs at most max_parallel steps at once, and the next waiting step starts when one ends', async () => {
  const slots = new AgentSlots({ claude: 2 })
  const { signal } = open()
  const [one, two] = [await slots.acquire('claude', signal), await slots.acquire('claude', signal)]
  const [third, fourth] = [slots.acquire('claude', signal), slots.acquire('claude', signal)]
  expect(slots.isFull('claude')).toBe(true)
  expect(await settled(third)).toBe(false)
  one()
  one()
  expect(await settled(third)).toBe(true)
  expect(await settled(fourth)).toBe(false)
  two()
  expect(await settled(fourth)).toBe(true)
  for (const release of [await third, await fourth]) release()
  expect(slots.isFull('claude')).toBe(false)
})

test('an agent without a limit does not wait, and the limit of one agent does not affect another', async () => {
  const slots = new AgentSlots({ claude: 1, codex: null })
  const { signal } = open()
  await slots.acquire('claude', signal)
  for (const agent of ['codex', 'codex', 'demo', 'demo']) expect(await settled(slots.acquire(agent, signal))).toBe(true)
})

test('a step that is stopped while it waits leaves the queue and takes no slot', async () => {
  const slots = new AgentSlots({ claude: 1 })
  const release = await slots.acquire('claude', open().signal)
  const stopped = open()
  const waiting = slots.acquire('claude', stopped.signal)
  stopped.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  release()
  expect(slots.isFull('claude')).toBe(false)
  await expect(slots.acquire('claude', stopped.signal)).rejects.toThrow('cancelled')
})
