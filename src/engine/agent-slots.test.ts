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

test('so many steps of one agent are at work at once; the next comes when one has ended, in order', async () => {
  const slots = new AgentSlots({ claude: 2 })
  const { signal } = open()
  const [one, two] = [await slots.take('claude', signal), await slots.take('claude', signal)]
  const [third, fourth] = [slots.take('claude', signal), slots.take('claude', signal)]
  expect(slots.isFull('claude')).toBe(true)
  expect(await settled(third)).toBe(false)
  one()
  one()
  expect(await settled(third)).toBe(true)
  expect(await settled(fourth)).toBe(false)
  two()
  expect(await settled(fourth)).toBe(true)
  for (const giveBack of [await third, await fourth]) giveBack()
  expect(slots.isFull('claude')).toBe(false)
})

test('an agent without a limit never waits, and limits of one agent are not those of another', async () => {
  const slots = new AgentSlots({ claude: 1, codex: null })
  const { signal } = open()
  await slots.take('claude', signal)
  for (const agent of ['codex', 'codex', 'demo', 'demo']) expect(await settled(slots.take(agent, signal))).toBe(true)
})

test('a step that is stopped while it waits leaves the line and takes no place', async () => {
  const slots = new AgentSlots({ claude: 1 })
  const giveBack = await slots.take('claude', open().signal)
  const stopped = open()
  const waiting = slots.take('claude', stopped.signal)
  stopped.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
  giveBack()
  expect(slots.isFull('claude')).toBe(false)
  await expect(slots.take('claude', stopped.signal)).rejects.toThrow('cancelled')
})
