import { afterEach, describe, expect, test } from 'vitest'
import { DONE, paintTurn, THINKING, TRANSCRIPT } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions } from '../testing/session-fixture.js'

let fixture: SessionFixture
afterEach(() => fixture.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  fixture = await SessionFixture.open(options)
  fixture.session.goLive()
}

describe('a turn', () => {
  test('is opened by its prompt, written once and closed', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await paintTurn(fixture, 'hello', ['◆ Hello there, I am here.'])
    expect(await fixture.messages()).toEqual(['Hello there, I am here.'])
    expect(await fixture.events('turn.closed')).toEqual([
      { session: 'ses_stage', turn: 'ses_stage.1', outcome: 'done' },
    ])
    expect((await fixture.written('message.final')).map(({ data }) => data.message)).toEqual(['ses_stage.1.1'])
    expect(fixture.session.isIdle).toBe(true)
    expect(fixture.errors).toEqual([])
  })

  test('keeps equal text that occurs three times', async () => {
    await open()
    await paintTurn(fixture, 'hello', ['◆ ok', '', '◆ ok', '', '◆ ok'])
    expect((await fixture.messages()).join().match(/ok/g)).toHaveLength(3)
  })

  test('is marked in its last line if it was interrupted or failed', async () => {
    await open()
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.paint([
      '▷ hello',
      '',
      '◆ Half of an answer',
      '',
      '◈ Stopped by you after 3s · what should I do instead?',
    ])
    expect(await fixture.messages()).toEqual(['Half of an answer\n\n*Interrupted.*'])
    expect(await fixture.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })

  test('is marked as crashed if the agent crashed during it', async () => {
    await open()
    await fixture.paint(['▷ hello', '', '◆ Half of an answer', '', THINKING, ''])
    await fixture.exit(137)
    expect(await fixture.messages()).toEqual(['Half of an answer\n\n*The agent ended in the middle of this.*'])
    expect(await fixture.events('turn.closed')).toMatchObject([{ outcome: 'exited' }])
  })
})

describe('the agent’s transcript', () => {
  test('replaces the text of the screen without doubling anything', async () => {
    await open({ agent: TRANSCRIPT })
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.paint(['▷ hello', '', '◆ See the docs for more of this', '', THINKING, ''])
    await fixture.report({ kind: 'said', id: 'm1', markdown: 'See the **docs** for [more](https://x.y) of this' })
    await fixture.paint(['▷ hello', '', '◆ See the docs for more of this', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['See the **docs** for [more](https://x.y) of this'])
    expect(await fixture.events('message.final')).toHaveLength(1)
  })

  test('appears in the open message at once', async () => {
    await open({ agent: TRANSCRIPT })
    await fixture.paint(['▷ hello', '', THINKING, ''])
    for (const part of ['See the', 'See the docs for', 'See the docs for more of this'])
      await fixture.paint(['▷ hello', '', `◆ ${part}`, '', '◆ and', '', THINKING, ''], { passMs: 150 })
    await fixture.report({ kind: 'said', id: 'm1', markdown: 'See the **docs** for more of this' })
    expect(fixture.session.blocks).toMatchObject([
      { source: 'transcript', runs: [{}, { text: 'docs', bold: true }, {}] },
    ])
  })

  test('is awaited at the end of a turn for at most the configured time', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 2_000 } })
    await fixture.paint(['▷ hello', '', '◆ It says this and that', '', THINKING, ''])
    fixture.session.output(
      new TextEncoder().encode(`\u001b[5;1H${DONE}\u001b[K`),
      (fixture.clock.now() - 1_000_000) / 1000,
      fixture.session.offset,
    )
    await fixture.pass(1_500)
    expect(fixture.session.phase).toBe('dormant')
    expect(fixture.session.isIdle).toBe(false)
    expect(await fixture.messages()).toEqual([])
    await fixture.report({ kind: 'said', id: 'm1', markdown: 'It says *this* and that' })
    await fixture.pass(50)
    expect(await fixture.messages()).toEqual(['It says *this* and that'])
    expect(fixture.session.isIdle).toBe(true)
  })

  test('corrects a message for a minute after its end', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await paintTurn(fixture, 'hello', ['◆ It says this and that'])
    expect(await fixture.messages()).toEqual(['It says this and that'])
    await fixture.pass(30_000)
    await fixture.report(
      { kind: 'said', id: 'm1', markdown: 'It says `this` and that' },
      { at: fixture.clock.now() - 30_000 },
    )
    await fixture.pass(50)
    expect(await fixture.events('message.final')).toMatchObject([
      { message: 'ses_stage.1.1', markdown: 'It says this and that' },
      { message: 'ses_stage.1.1', markdown: 'It says `this` and that', revision: 1 },
    ])
    await fixture.pass(40_000)
    await fixture.report({ kind: 'said', id: 'm2', markdown: 'Too late' }, { at: fixture.clock.now() - 70_000 })
    await fixture.pass(50)
    expect(await fixture.events('message.final')).toHaveLength(2)
  })

  test('restores text that scrolled away before it was read', async () => {
    await open({ agent: TRANSCRIPT })
    await fixture.paint(['▷ hello', '', THINKING, ''])
    await fixture.report({ kind: 'said', id: 'm1', markdown: 'First part of it, long gone.' })
    await fixture.report({ kind: 'said', id: 'm2', markdown: 'The part that is still there.' })
    await fixture.paint(['▷ hello', '', '◆ The part that is still there.', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['First part of it, long gone.\n\nThe part that is still there.'])
  })

  test('changes nothing if it concerns an older turn or repeats itself', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    const rows = await paintTurn(fixture, 'one', ['◆ The first answer is this one'])
    await fixture.pass(2_000)
    const old = fixture.clock.now() - 60_000
    await paintTurn(fixture, 'two', ['◆ The second answer is another'], rows)
    await fixture.report({ kind: 'said', id: 'old', markdown: 'From yesterday' }, { at: old })
    await fixture.report({ kind: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await fixture.report({ kind: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await fixture.report({ kind: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'other' })
    await fixture.pass(50)
    expect(await fixture.messages()).toEqual(['The first answer is this one', 'The second answer is **another**'])
    expect(await fixture.events('message.final')).toHaveLength(3)
  })

  test('does not add text of a sub-agent to the answer', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await fixture.paint(['▷ hello', '', '◆ Mine', '', THINKING, ''])
    await fixture.report({ kind: 'said', id: 's1', markdown: 'From a sub-agent', subAgent: 'a1' })
    await fixture.paint(['▷ hello', '', '◆ Mine', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['Mine'])
  })

  test('gives the conversation id, so that the session can be resumed', async () => {
    await open()
    await fixture.report({ kind: 'session', agentSession: 'abc-1', version: '2.0' }, { channel: 'hook' })
    await fixture.report({ kind: 'session', agentSession: 'abc-1' })
    await fixture.session.effectsDone()
    expect(await fixture.events('session.identified')).toEqual([
      { agentSessionId: 'abc-1', source: 'hook', agentVersion: '2.0' },
    ])
  })

  test('ends an interrupted turn if the screen does not show it', async () => {
    await open()
    await fixture.paint(['▷ hello', '', '◆ Half', '', THINKING, ''])
    await fixture.report({ kind: 'turn-ended', outcome: 'interrupted' })
    await fixture.pass(900)
    expect(fixture.session.phase).toBe('streaming')
    await fixture.pass(200)
    expect(fixture.session.phase).toBe('dormant')
    expect(await fixture.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })

  test('does not end the next turn', async () => {
    await open()
    await fixture.paint(['▷ hello', '', '◆ Half', '', THINKING, ''])
    await fixture.report({ kind: 'turn-ended', outcome: 'interrupted' })
    const rows = ['▷ hello', '', '◆ Half', '', DONE, '']
    await fixture.paint(rows, { passMs: 500 })
    await fixture.paint([...rows, '▷ again', '', '◆ More', '', THINKING, ''], { passMs: 300 })
    await fixture.pass(1_500)
    expect(fixture.session.phase).toBe('streaming')
    expect(await fixture.events('turn.closed')).toMatchObject([{ outcome: 'done' }])
  })
})

describe('output of an idle agent', () => {
  test('is a separate message, once', async () => {
    await open()
    const rows = await paintTurn(fixture, 'hello', ['◆ Hello there.'])
    const more = [...rows, '◆ A background command has completed with success.', '', '◈ Finished in 1s · 3 tokens', '']
    await fixture.paint(more)
    expect(await fixture.messages()).toEqual(['Hello there.'])
    await fixture.pass(1_000)
    await fixture.paint(more)
    expect(await fixture.messages()).toEqual(['Hello there.', 'A background command has completed with success.'])
  })

  test('is ignored if it is a hint that disappears', async () => {
    await open()
    const rows = await paintTurn(fixture, 'hello', ['◆ Hello there.'])
    await fixture.paint([...rows, '◆ Press ctrl-c again to exit.', '', '◈ Finished in 1s · 3 tokens'], { passMs: 700 })
    await fixture.paint(rows)
    await fixture.pass(5_000)
    expect(await fixture.messages()).toEqual(['Hello there.'])
  })

  test('opens the turn of a prompt that is answered at once', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ quick one', '', '◆ Done already.', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['Done already.'])
    expect(await fixture.events('turn.closed')).toHaveLength((await fixture.events('turn.opened')).length)
  })

  test('is ignored if it is a greeting, a redraw after a resize or a few characters', async () => {
    await open()
    await fixture.paint([' Signalbox demo agent 1.0.0', '', '◆ Welcome to the demo of this agent.'])
    const rows = await paintTurn(fixture, 'hello', ['◆ Hello there.'], ['', ''])
    await fixture.paint([...rows, '◆ x', ''])
    const t = (fixture.clock.now() - 1_000_000) / 1000
    fixture.session.resized(60, 30, t)
    await fixture.pass(400)
    await fixture.paint(['', '', '▷ hello', '', '◆ Hello', '  there.', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['Hello there.'])
  })
})
