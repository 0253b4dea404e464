import { describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { SilenceTimeout, withSilenceTimeout } from './silence-timeout.js'

/** A source whose items the test provides. */
class Speaker {
  #say: ((value: IteratorResult<string>) => void) | null = null
  isClosed = false

  say(word: string): void {
    this.#say!({ done: false, value: word })
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: () => new Promise(resolve => (this.#say = resolve)),
      return: async () => {
        this.isClosed = true
        return { done: true, value: undefined }
      },
    }
  }
}

async function settle(): Promise<void> {
  for (let n = 0; n < 10; n++) await Promise.resolve()
}

/** Advances in steps, so that a check every second happens. */
async function advance(clock: SimulatedClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    clock.advance(Math.min(left, 500))
    await settle()
  }
}

describe('a silence timeout', () => {
  test('throws with the duration when no item arrives for too long', async () => {
    const clock = new SimulatedClock()
    const speaker = new Speaker()
    const watched = withSilenceTimeout(speaker, { clock, threshold: () => 5_000 })
    const first = watched.next()
    await settle()
    await advance(clock, 4_900)
    speaker.say('a')
    expect(await first).toEqual({ done: false, value: 'a' })
    const second = watched.next()
    second.catch(() => undefined)
    await settle()
    await advance(clock, 5_500)
    await expect(second).rejects.toMatchObject({ name: 'Silence', ms: expect.any(Number) })
    await expect(second).rejects.toBeInstanceOf(SilenceTimeout)
    expect(speaker.isClosed).toBe(true)
  })

  test('does not count the time of a slow consumer', async () => {
    const clock = new SimulatedClock()
    const speaker = new Speaker()
    const watched = withSilenceTimeout(speaker, { clock, threshold: () => 5_000 })
    const first = watched.next()
    await settle()
    speaker.say('a')
    await first
    await advance(clock, 60_000)
    const second = watched.next()
    await settle()
    await advance(clock, 4_000)
    speaker.say('b')
    expect(await second).toEqual({ done: false, value: 'b' })
  })

  test('checks for activity elsewhere before it throws, once per activity', async () => {
    const clock = new SimulatedClock()
    const signs = [true, false]
    const watched = withSilenceTimeout(new Speaker(), {
      clock,
      threshold: () => 5_000,
      isAliveElsewhere: async () => signs.shift()!,
    })
    const next = watched.next()
    let isOver = false
    next.catch(() => (isOver = true))
    await settle()
    await advance(clock, 9_500)
    expect(isOver).toBe(false)
    await advance(clock, 1_500)
    expect(isOver).toBe(true)
  })

  test('waits without limit while the threshold is null, and continues counting afterwards', async () => {
    const clock = new SimulatedClock()
    let threshold: number | null = null
    const watched = withSilenceTimeout(new Speaker(), { clock, threshold: () => threshold })
    const next = watched.next()
    let isOver = false
    next.catch(() => (isOver = true))
    await settle()
    await advance(clock, 3_600_000 / 60)
    expect(isOver).toBe(false)
    threshold = 5_000
    await advance(clock, 4_000)
    expect(isOver).toBe(false)
    await advance(clock, 2_500)
    expect(isOver).toBe(true)
  })
})
