import { expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { ApiProblem, type BotApi } from '../bot-api.js'
import { UpdatePoller } from './update-poller.js'

/** A fake Bot API with scripted answers, which records the times of its calls. */
function polled(answer: (count: number) => unknown) {
  const clock = new SimulatedClock()
  const asked: number[] = []
  const health: string[] = []
  const taken: number[] = []
  const fields: Record<string, unknown>[] = []
  let open = 0
  const api: BotApi = {
    call: async <T>(_: string, given: Record<string, unknown>): Promise<T> => {
      expect(++open, 'one poll at a time').toBe(1)
      asked.push(clock.now())
      fields.push(given)
      try {
        const result = answer(asked.length)
        if (result instanceof Error) throw result
        return (await result) as T
      } finally {
        open -= 1
      }
    },
    download: async () => new Uint8Array(),
  }
  const poll = new UpdatePoller({
    api,
    clock,
    acceptUpdate: async ({ update_id }) => void taken.push(update_id),
    onHealth: (state, reason) => void health.push(`${state}: ${reason}`),
    onError: () => undefined,
  })
  /** Lets time pass until it has asked so often. */
  const until = async (count: number) => {
    for (let turn = 0; asked.length < count && turn < 10_000; turn++) {
      await new Promise(resolve => setImmediate(resolve))
      if (asked.length < count) clock.advance(1000)
    }
  }
  return { poll, clock, asked, health, taken, fields, until }
}

const forever = new Promise<never>(() => undefined)
const conflict = new ApiProblem('Conflict: terminated by other getUpdates request', { code: 409 })

it('after a 409 one poller waits longer and longer without an end, and its health is not-receiving', async () => {
  const { poll, asked, health, until } = polled(count => (count <= 9 ? conflict : count === 10 ? [] : forever))
  poll.start()
  await until(11)
  const waits = asked.slice(1, 10).map((at, index) => Math.round((at - asked[index]!) / 1000))
  // Longer than the 50 s for which a slot can be held, and no end after 36 s.
  expect(waits).toEqual([3, 6, 12, 24, 50, 60, 60, 60, 60])
  expect(health[0]).toBe('not-receiving: another program polls the updates of this bot')
  expect(health.at(-1)).toBe('connected: receiving updates again')
})

it('a webhook is named as the reason, and is not removed', async () => {
  const webhook = new ApiProblem("Conflict: can't use getUpdates method while webhook is active", { code: 409 })
  const { poll, health, until } = polled(count => (count === 1 ? webhook : forever))
  poll.start()
  await until(2)
  expect(health[0]).toBe('not-receiving: a webhook is set for this bot')
})

it('a revoked token is retried every ten minutes', async () => {
  const { poll, asked, health, until } = polled(count =>
    count <= 2 ? new ApiProblem('Unauthorized', { code: 401 }) : count === 3 ? [] : forever,
  )
  poll.start()
  await until(3)
  expect(asked.slice(1, 3).map((at, index) => (at - asked[index]!) / 60_000)).toEqual([10, 10])
  expect(health[0]).toBe('unauthorized: the bot token is no longer valid')
})

it('the wait doubles up to a minute after errors; from the third on the health is not-receiving', async () => {
  const { poll, asked, health, until } = polled(count =>
    count <= 8 ? new ApiProblem('Bad Gateway', { code: count % 2 ? 502 : 0 }) : forever,
  )
  poll.start()
  await until(9)
  expect(asked.slice(1).map((at, index) => (at - asked[index]!) / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(health).toEqual(['not-receiving: Bad Gateway'])
})

it('an update is confirmed only after it was stored, and none is skipped at the start', async () => {
  const { poll, taken, fields, until } = polled(count =>
    count === 1 ? [{ update_id: 70 }, { update_id: 71 }] : count === 2 ? [] : forever,
  )
  poll.start()
  await until(3)
  expect(taken).toEqual([70, 71])
  expect(fields.map(({ offset }) => offset)).toEqual([undefined, 72, undefined])
})
