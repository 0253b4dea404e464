import { afterEach, expect, test } from 'vitest'
import { THINKING } from '../testing/demo-screens.js'
import { SessionFixture } from '../testing/session-stage.js'
import { loggedPrompts } from './logged-prompts.js'

/*
 * A host may die at any point of a prompt's way to the agent: the log decides what the next host
 * does. Each test abandons the first host: from then on only the second one gets bytes and reports.
 */
let stage: SessionFixture
afterEach(() => stage.close())

const QUIET = [' Signalbox demo agent 1.0.0']
const types = async () =>
  (await stage.store.readStream('session/ses_stage')).map(({ type }) => type).filter(type => type.startsWith('prompt.'))

async function open(): Promise<void> {
  stage = await SessionFixture.open()
  stage.session.goLive()
  await stage.paint(QUIET)
}

test('a prompt is in the log before its first key, and its result afterwards', async () => {
  await open()
  const sending = stage.session.send('hello there')
  await stage.pass(100)
  expect(stage.keys).toEqual(['hello there'])
  expect(await types()).toEqual(['prompt.accepted', 'prompt.begun'])
  await stage.paint(QUIET, { draft: 'hello there' })
  await stage.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  expect(await sending).toEqual({ result: 'delivered' })
  await stage.session.settled()
  expect(await types()).toEqual(['prompt.accepted', 'prompt.begun', 'prompt.released'])
  expect(await stage.events('prompt.released')).toMatchObject([{ result: 'delivered', turn: 'ses_stage.1' }])
})

test('a prompt with the same id is not typed again', async () => {
  await open()
  const id = 'msg_0123456789abcdef'
  const both = [stage.session.send('hello there', { id }), stage.session.send('hello there', { id })]
  await stage.pass(100)
  await stage.paint(QUIET, { draft: 'hello there' })
  await stage.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  expect(await Promise.all(both)).toEqual([{ result: 'delivered' }, { result: 'delivered' }])
  const keys = stage.keys.length
  stage = await stage.takenOver()
  expect(await stage.session.send('hello there', { id })).toEqual({ result: 'delivered' })
  expect([keys, stage.keys]).toEqual([2, []])
})

test('a prompt that a host had not begun is typed by the next host, once', async () => {
  await open()
  await stage.paint(['▷ first', '', THINKING, ''])
  const sent = stage.session.send('second thing', { whenBusy: 'hold' })
  await stage.pass(50)
  expect(await sent).toMatchObject({ result: 'held' })
  stage = await stage.takenOver()
  expect(stage.session.heldPrompts).toMatchObject([{ text: 'second thing' }])
  await stage.paint(['▷ first', '', '◆ The answer.', '', '◈ Finished in 5s · 1.2k tokens', ''])
  await stage.pass(500)
  expect(stage.keys).toEqual(['second thing'])
})

test('a prompt that a host was typing is delivered if the agent shows its turn', async () => {
  await open()
  const sending = stage.session.send('hello there')
  await stage.pass(100)
  await stage.paint(QUIET, { draft: 'hello there' })
  const old = stage
  stage = await stage.takenOver()
  await stage.paint([...QUIET, '▷ hello there', '', THINKING, ''])
  await stage.pass(200)
  expect(stage.keys).toEqual([])
  expect((await stage.events('prompt.released'))[0]).toMatchObject({ result: 'delivered', turn: 'ses_stage.1' })
  expect(await stage.notices()).toEqual([])
  await old.pass(30_000)
  await sending
})

test('a prompt that a host was typing and that never shows is reported as undelivered and not typed again', async () => {
  await open()
  const sending = stage.session.send('hello there')
  await stage.pass(100)
  const old = stage
  stage = await stage.takenOver()
  await stage.paint(QUIET, { draft: 'hello' })
  await stage.pass(10_000)
  expect(stage.keys).toEqual([])
  expect((await stage.events('prompt.released'))[0]).toMatchObject({ result: 'unconfirmed' })
  expect(await stage.notices()).toMatchObject([
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
