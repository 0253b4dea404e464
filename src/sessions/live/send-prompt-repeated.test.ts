import { afterEach, describe, expect, test } from 'vitest'
import { SessionFixture } from '../testing/session-fixture.js'

const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
const DONE = '◈ Finished in 5s · 1.2k tokens'

let fixture: SessionFixture
afterEach(() => fixture.close())

/** A first prompt that the agent has taken, without a sign of work yet. */
async function taken(): Promise<void> {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint([' Signalbox demo agent 1.0.0'])
  const sent = fixture.session.send('first')
  await fixture.pass(100)
  await fixture.paint([' Signalbox demo agent 1.0.0'], { draft: 'first', passMs: 500 })
  await fixture.paint(['▷ first', ''], { passMs: 50 })
  expect(await sent).toEqual({ result: 'delivered' })
}

const typed = () => fixture.keys.join('')

describe('a prompt that follows another one immediately', () => {
  test('is not typed before the turn of the first one has started', async () => {
    await taken()
    const second = fixture.session.send('second', { whenBusy: 'refuse' })
    await fixture.pass(300)
    expect(typed()).toBe('first\r')
    await fixture.paint(['▷ first', '', THINKING, ''])
    expect(await second).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(typed()).toBe('first\r')
  })

  test('is held if it may wait', async () => {
    await taken()
    const second = fixture.session.send('second', { whenBusy: 'hold' })
    await fixture.pass(300)
    await fixture.paint(['▷ first', '', THINKING, ''])
    expect(await second).toMatchObject({ result: 'held' })
    expect(typed()).toBe('first\r')
  })

  test('is typed at once if the first one has been answered', async () => {
    await taken()
    await fixture.paint(['▷ first', '', '◆ The answer.', '', DONE, ''], { passMs: 100 })
    const second = fixture.session.send('second', { whenBusy: 'refuse' })
    await fixture.pass(1_500)
    expect(typed()).toBe('first\rsecond')
    await fixture.paint(['▷ first', '', '◆ The answer.', '', DONE, ''], { draft: 'second', passMs: 500 })
    await fixture.paint(['▷ first', '', '◆ The answer.', '', DONE, '', '▷ second', '', THINKING, ''])
    expect(await second).toEqual({ result: 'delivered' })
  })

  test('does not wait forever for a first prompt that starts no work', async () => {
    await taken()
    const second = fixture.session.send('second', { whenBusy: 'refuse' })
    await fixture.pass(3_200)
    expect(typed()).toBe('first\rsecond')
    await fixture.exit(0)
    expect(await second).toMatchObject({ result: 'refused', reason: 'gone' })
  })
})
