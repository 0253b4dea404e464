import { afterEach, describe, expect, test } from 'vitest'
import { DONE, paintTurn, THINKING, TRANSCRIPT } from '../testing/demo-screens.js'
import { SessionFixture, type SessionFixtureOptions } from '../testing/session-stage.js'

let stage: SessionFixture
afterEach(() => stage.close())

async function open(options: SessionFixtureOptions = {}): Promise<void> {
  stage = await SessionFixture.open(options)
  stage.session.goLive()
}

describe('a turn', () => {
  test('is opened by its prompt, written once and closed', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await paintTurn(stage, 'hello', ['◆ Hello there, I am here.'])
    expect(await stage.messages()).toEqual(['Hello there, I am here.'])
    expect(await stage.events('turn.closed')).toEqual([{ session: 'ses_stage', turn: 'ses_stage.1', outcome: 'done' }])
    expect((await stage.written('message.final')).map(({ data }) => data.message)).toEqual(['ses_stage.1.1'])
    expect(stage.session.isIdle).toBe(true)
    expect(stage.errors).toEqual([])
  })

  test('keeps equal text that occurs three times', async () => {
    await open()
    await paintTurn(stage, 'hello', ['◆ ok', '', '◆ ok', '', '◆ ok'])
    expect((await stage.messages()).join().match(/ok/g)).toHaveLength(3)
  })

  test('that was interrupted or failed says so in its last line', async () => {
    await open()
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.paint([
      '▷ hello',
      '',
      '◆ Half of an answer',
      '',
      '◈ Stopped by you after 3s · what should I do instead?',
    ])
    expect(await stage.messages()).toEqual(['Half of an answer\n\n*Interrupted.*'])
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })

  test('during which the agent crashed says so', async () => {
    await open()
    await stage.paint(['▷ hello', '', '◆ Half of an answer', '', THINKING, ''])
    await stage.exit(137)
    expect(await stage.messages()).toEqual(['Half of an answer\n\n*The agent ended in the middle of this.*'])
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'exited' }])
  })
})

describe('the agent’s transcript', () => {
  test('replaces the screen’s text, and nothing is doubled', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.paint(['▷ hello', '', '◆ See the docs for more of this', '', THINKING, ''])
    await stage.report({ is: 'said', id: 'm1', markdown: 'See the **docs** for [more](https://x.y) of this' })
    await stage.paint(['▷ hello', '', '◆ See the docs for more of this', '', DONE, ''])
    expect(await stage.messages()).toEqual(['See the **docs** for [more](https://x.y) of this'])
    expect(await stage.events('message.final')).toHaveLength(1)
  })

  test('is shown in the open message at once', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    for (const part of ['See the', 'See the docs for', 'See the docs for more of this'])
      await stage.paint(['▷ hello', '', `◆ ${part}`, '', '◆ and', '', THINKING, ''], { passMs: 150 })
    await stage.report({ is: 'said', id: 'm1', markdown: 'See the **docs** for more of this' })
    expect(stage.session.blocks).toMatchObject([{ source: 'transcript', runs: [{}, { text: 'docs', bold: true }, {}] }])
  })

  test('is awaited at the end of a turn, at most for the configured time', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 2_000 } })
    await stage.paint(['▷ hello', '', '◆ It says this and that', '', THINKING, ''])
    stage.session.output(
      new TextEncoder().encode(`\u001b[5;1H${DONE}\u001b[K`),
      (stage.clock.now() - 1_000_000) / 1000,
      stage.session.offset,
    )
    await stage.pass(1_500)
    expect(stage.session.phase).toBe('dormant')
    expect(stage.session.isIdle).toBe(false)
    expect(await stage.messages()).toEqual([])
    await stage.report({ is: 'said', id: 'm1', markdown: 'It says *this* and that' })
    await stage.pass(50)
    expect(await stage.messages()).toEqual(['It says *this* and that'])
    expect(stage.session.isIdle).toBe(true)
  })

  test('corrects a message for a minute after its end', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await paintTurn(stage, 'hello', ['◆ It says this and that'])
    expect(await stage.messages()).toEqual(['It says this and that'])
    await stage.pass(30_000)
    await stage.report(
      { is: 'said', id: 'm1', markdown: 'It says `this` and that' },
      { at: stage.clock.now() - 30_000 },
    )
    await stage.pass(50)
    expect(await stage.events('message.final')).toMatchObject([
      { message: 'ses_stage.1.1', markdown: 'It says this and that' },
      { message: 'ses_stage.1.1', markdown: 'It says `this` and that', revision: 1 },
    ])
    await stage.pass(40_000)
    await stage.report({ is: 'said', id: 'm2', markdown: 'Too late' }, { at: stage.clock.now() - 70_000 })
    await stage.pass(50)
    expect(await stage.events('message.final')).toHaveLength(2)
  })

  test('restores text that scrolled away unseen', async () => {
    await open({ agent: TRANSCRIPT })
    await stage.paint(['▷ hello', '', THINKING, ''])
    await stage.report({ is: 'said', id: 'm1', markdown: 'First part of it, long gone.' })
    await stage.report({ is: 'said', id: 'm2', markdown: 'The part that is still there.' })
    await stage.paint(['▷ hello', '', '◆ The part that is still there.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['First part of it, long gone.\n\nThe part that is still there.'])
  })

  test('about an older turn, or twice, changes nothing', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    const rows = await paintTurn(stage, 'one', ['◆ The first answer is this one'])
    await stage.pass(2_000)
    const old = stage.clock.now() - 60_000
    await paintTurn(stage, 'two', ['◆ The second answer is another'], rows)
    await stage.report({ is: 'said', id: 'old', markdown: 'From yesterday' }, { at: old })
    await stage.report({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await stage.report({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'same' })
    await stage.report({ is: 'said', id: 'm2', markdown: 'The second answer is **another**' }, { id: 'other' })
    await stage.pass(50)
    expect(await stage.messages()).toEqual(['The first answer is this one', 'The second answer is **another**'])
    expect(await stage.events('message.final')).toHaveLength(3)
  })

  test('of a sub-agent is not part of the answer', async () => {
    await open({ agent: TRANSCRIPT, times: { transcriptWaitMs: 100 } })
    await stage.paint(['▷ hello', '', '◆ Mine', '', THINKING, ''])
    await stage.report({ is: 'said', id: 's1', markdown: 'From a sub-agent', subAgent: 'a1' })
    await stage.paint(['▷ hello', '', '◆ Mine', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Mine'])
  })

  test('identifies the conversation, so that it can be resumed', async () => {
    await open()
    await stage.report({ is: 'session', agentSession: 'abc-1', version: '2.0' }, { channel: 'hook' })
    await stage.report({ is: 'session', agentSession: 'abc-1' })
    await stage.session.settled()
    expect(await stage.events('session.identified')).toEqual([
      { agentSessionId: 'abc-1', source: 'hook', agentVersion: '2.0' },
    ])
  })

  test('ends an interrupted turn if the screen does not show it', async () => {
    await open()
    await stage.paint(['▷ hello', '', '◆ Half', '', THINKING, ''])
    await stage.report({ is: 'turn-ended', outcome: 'interrupted' })
    await stage.pass(900)
    expect(stage.session.phase).toBe('streaming')
    await stage.pass(200)
    expect(stage.session.phase).toBe('dormant')
    expect(await stage.events('turn.closed')).toMatchObject([{ outcome: 'interrupted' }])
  })
})

describe('output while the agent is idle', () => {
  test('is a message of its own, once', async () => {
    await open()
    const rows = await paintTurn(stage, 'hello', ['◆ Hello there.'])
    const more = [...rows, '◆ A background command has completed with success.', '', '◈ Finished in 1s · 3 tokens', '']
    await stage.paint(more)
    expect(await stage.messages()).toEqual(['Hello there.'])
    await stage.pass(1_000)
    await stage.paint(more)
    expect(await stage.messages()).toEqual(['Hello there.', 'A background command has completed with success.'])
  })

  test('ignores a hint that comes and goes', async () => {
    await open()
    const rows = await paintTurn(stage, 'hello', ['◆ Hello there.'])
    await stage.paint([...rows, '◆ Press ctrl-c again to exit.', '', '◈ Finished in 1s · 3 tokens'], { passMs: 700 })
    await stage.paint(rows)
    await stage.pass(5_000)
    expect(await stage.messages()).toEqual(['Hello there.'])
  })

  test('opens the turn of a prompt that is answered at once', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0'])
    await stage.paint(['▷ quick one', '', '◆ Done already.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Done already.'])
    expect(await stage.events('turn.closed')).toHaveLength((await stage.events('turn.opened')).length)
  })

  test('ignores a greeting, a resize and a few characters', async () => {
    await open()
    await stage.paint([' Signalbox demo agent 1.0.0', '', '◆ Welcome to the demo of this agent.'])
    const rows = await paintTurn(stage, 'hello', ['◆ Hello there.'], ['', ''])
    await stage.paint([...rows, '◆ x', ''])
    const t = (stage.clock.now() - 1_000_000) / 1000
    stage.session.resized(60, 30, t)
    await stage.pass(400)
    await stage.paint(['', '', '▷ hello', '', '◆ Hello', '  there.', '', DONE, ''])
    expect(await stage.messages()).toEqual(['Hello there.'])
  })
})
