import { afterEach, expect, test } from 'vitest'
import { THINKING } from '../testing/demo-screens.js'
import { SessionFixture } from '../testing/session-fixture.js'
import { loggedPrompts } from './logged-prompts.js'

/*
 * A host may die at any point of a prompt's way to the agent: the log decides what the next host
 * does. Each test abandons the first host: from then on only the second one gets bytes and reports.
 */
let fixture: SessionFixture
afterEach(() => fixture.close())

const QUIET = [' Signalbox demo agent 1.0.0']
const types = async () =>
  (await fixture.store.readStream('session/ses_stage'))
    .map(({ type }) => type)
    .filter(type => type.startsWith('prompt.'))

async function open(): Promise<void> {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint(QUIET)
}

test('a prompt is logged before its first key, and its result afterwards', async () => {
  await open()
  const sending = fixture.session.send('hello there')
  await fixture.pass(100)
  expect(fixture.keys).toEqual(['hello there'])
  expect(await types()).toEqual(['prompt.accepted', 'prompt.started'])
  await fixture.paint(QUIET, { draft: 'hello there' })
  await fixture.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  expect(await sending).toEqual({ result: 'delivered' })
  await fixture.session.effectsDone()
  expect(await types()).toEqual(['prompt.accepted', 'prompt.started', 'prompt.ended'])
  expect(await fixture.events('prompt.ended')).toMatchObject([{ result: 'delivered', turn: 'ses_stage.1' }])
})

test('a prompt with the same id is not typed again', async () => {
  await open()
  const id = 'msg_0123456789abcdef'
  const both = [fixture.session.send('hello there', { id }), fixture.session.send('hello there', { id })]
  await fixture.pass(100)
  await fixture.paint(QUIET, { draft: 'hello there' })
  await fixture.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  expect(await Promise.all(both)).toEqual([{ result: 'delivered' }, { result: 'delivered' }])
  const keys = fixture.keys.length
  fixture = await fixture.takenOver()
  expect(await fixture.session.send('hello there', { id })).toEqual({ result: 'delivered' })
  expect([keys, fixture.keys]).toEqual([2, []])
})

test('a prompt that a host had not started to type is typed once by the next host', async () => {
  await open()
  await fixture.paint(['▷ first', '', THINKING, ''])
  const sent = fixture.session.send('second thing', { whenBusy: 'hold' })
  await fixture.pass(50)
  expect(await sent).toMatchObject({ result: 'held' })
  fixture = await fixture.takenOver()
  expect(fixture.session.heldPrompts).toMatchObject([{ text: 'second thing' }])
  await fixture.paint(['▷ first', '', '◆ The answer.', '', '◈ Finished in 5s · 1.2k tokens', ''])
  await fixture.pass(500)
  expect(fixture.keys).toEqual(['second thing'])
})

test('a prompt that a host was typing counts as delivered if the agent shows its turn', async () => {
  await open()
  const sending = fixture.session.send('hello there')
  await fixture.pass(100)
  await fixture.paint(QUIET, { draft: 'hello there' })
  const old = fixture
  fixture = await fixture.takenOver()
  await fixture.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  await fixture.pass(200)
  expect(fixture.keys).toEqual([])
  expect((await fixture.events('prompt.ended'))[0]).toMatchObject({ result: 'delivered', turn: 'ses_stage.1' })
  expect(await fixture.notices()).toEqual([])
  await old.pass(30_000)
  await sending
})

test('a prompt that a host was typing and that never appears is undelivered and not typed again', async () => {
  await open()
  const sending = fixture.session.send('hello there')
  await fixture.pass(100)
  const old = fixture
  fixture = await fixture.takenOver()
  await fixture.paint(QUIET, { draft: 'hello' })
  await fixture.pass(10_000)
  expect(fixture.keys).toEqual([])
  expect((await fixture.events('prompt.ended'))[0]).toMatchObject({ result: 'unconfirmed' })
  expect(await fixture.notices()).toMatchObject([
    { kind: 'undelivered', text: expect.stringContaining('while it typed the prompt') },
  ])
  await old.pass(30_000)
  await sending
})

test('a prompt that must not wait is not held for the next host', () => {
  const accepted = (whenBusy: string) => ({
    type: 'prompt.accepted',
    version: 3,
    data: { session: 'ses_1', prompt: `msg_${whenBusy}`, text: 'x', meaning: 'auto', whenBusy },
  })
  const kept = loggedPrompts([accepted('queue'), accepted('refuse')] as never)
  expect([kept.held.map(({ id }) => id), kept.unfinished.map(({ id }) => id)]).toEqual([['msg_queue'], ['msg_refuse']])
})

test('a paused session holds prompts, refuses those that may not wait, and sends the held ones later', async () => {
  let pause: string | null = 'The budget is used up.'
  fixture = await SessionFixture.open({ pause: () => pause })
  fixture.session.goLive()
  await fixture.paint(QUIET)
  expect(await fixture.session.send('later')).toMatchObject({ result: 'held', detail: 'The budget is used up.' })
  expect(await fixture.session.send('now', { whenBusy: 'refuse' })).toEqual({
    result: 'refused',
    reason: 'budget',
    detail: 'The budget is used up.',
  })
  await fixture.pass(5_000)
  expect(fixture.keys).toEqual([])
  pause = null
  fixture.session.releasePrompts()
  await fixture.pass(500)
  expect(fixture.keys).toEqual(['later'])
})
