import { afterEach, describe, expect, test } from 'vitest'
import { SessionFixture } from '../testing/session-stage.js'

const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
const DONE = '◈ Finished in 5s · 1.2k tokens'

let stage: SessionFixture
afterEach(() => stage.close())

/** A first prompt that the agent has taken, without a sign of work yet. */
async function taken(): Promise<void> {
  stage = await SessionFixture.open()
  stage.session.goLive()
  await stage.paint([' Signalbox demo agent 1.0.0'])
  const sent = stage.session.send('first')
  await stage.pass(100)
  await stage.paint([' Signalbox demo agent 1.0.0'], { draft: 'first', passMs: 500 })
  await stage.paint(['▷ first', ''], { passMs: 50 })
  expect(await sent).toEqual({ result: 'delivered' })
}

const typed = () => stage.keys.join('')

describe('a prompt right after another one', () => {
  test('is not typed before the first one’s turn has begun', async () => {
    await taken()
    const second = stage.session.send('second', { whenBusy: 'refuse' })
    await stage.pass(300)
    expect(typed()).toBe('first\r')
    await stage.paint(['▷ first', '', THINKING, ''])
    expect(await second).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(typed()).toBe('first\r')
  })

  test('is held if it may wait', async () => {
    await taken()
    const second = stage.session.send('second', { whenBusy: 'hold' })
    await stage.pass(300)
    await stage.paint(['▷ first', '', THINKING, ''])
    expect(await second).toMatchObject({ result: 'held' })
    expect(typed()).toBe('first\r')
  })

  test('is typed at once if the first has been answered', async () => {
    await taken()
    await stage.paint(['▷ first', '', '◆ The answer.', '', DONE, ''], { passMs: 100 })
    const second = stage.session.send('second', { whenBusy: 'refuse' })
    await stage.pass(1_500)
    expect(typed()).toBe('first\rsecond')
    await stage.paint(['▷ first', '', '◆ The answer.', '', DONE, ''], { draft: 'second', passMs: 500 })
    await stage.paint(['▷ first', '', '◆ The answer.', '', DONE, '', '▷ second', '', THINKING, ''])
    expect(await second).toEqual({ result: 'delivered' })
  })

  test('does not wait forever for a prompt that begins no work', async () => {
    await taken()
    const second = stage.session.send('second', { whenBusy: 'refuse' })
    await stage.pass(3_200)
    expect(typed()).toBe('first\rsecond')
    await stage.exit(0)
    expect(await second).toMatchObject({ result: 'refused', reason: 'gone' })
  })
})
