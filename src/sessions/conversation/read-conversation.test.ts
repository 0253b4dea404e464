import { afterEach, describe, expect, test } from 'vitest'
import { SessionFixture } from '../testing/session-fixture.js'
import { turnPrompts } from './read-conversation.js'

const GREETING = ' Signalbox demo agent 1.0.0'
const THINKING = '◜ Thinking… 3s · 10 tokens · esc to stop'
const DONE = '◈ Finished in 5s · 1.2k tokens'
const FIRST = ['▷ first', '', '◆ The first answer.', '', DONE, '']

let fixture: SessionFixture
afterEach(() => fixture.close())

async function open(): Promise<void> {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint([GREETING])
}

async function prompts(): Promise<string[]> {
  await fixture.session.effectsDone()
  const events = await fixture.store.readStream(`session/${fixture.session.id}`)
  return turnPrompts(events).map(({ prompt }) => prompt)
}

/** Types a prompt; the rows before it stay above. */
async function send(text: string, above: readonly string[], taken: readonly string[]): Promise<void> {
  const sent = fixture.session.send(text)
  await fixture.pass(100)
  await fixture.paint([...above], { draft: text, passMs: 500 })
  await fixture.paint([...above, ...taken], { passMs: 500 })
  expect(await sent).toEqual({ result: 'delivered' })
}

describe('the prompt of a turn', () => {
  test('is the echo that the agent shows when the turn starts', async () => {
    await open()
    await fixture.paint(['▷ first', '', THINKING, ''])
    await fixture.paint(FIRST)
    await fixture.paint([...FIRST, '▷ second', '', THINKING, ''])
    expect(await prompts()).toEqual(['first', 'second'])
  })

  test('is recorded when it appears after the work started', async () => {
    await open()
    await fixture.paint([GREETING, '', THINKING, ''])
    expect(await prompts()).toEqual([])
    await fixture.paint([GREETING, '', '▷ first', '', THINKING, ''])
    expect(await prompts()).toEqual(['first'])
    await fixture.paint([GREETING, '', ...FIRST])
    expect(await prompts()).toEqual(['first'])
  })

  test('is never an older prompt that is still on screen', async () => {
    await open()
    await fixture.paint(['▷ first', '', THINKING, ''])
    await fixture.paint(FIRST)
    await fixture.paint([...FIRST, THINKING, ''])
    expect(await fixture.events('turn.opened')).toHaveLength(2)
    expect(await prompts()).toEqual(['first'])
    await fixture.paint([...FIRST, '▷ second', '', THINKING, ''])
    expect(await prompts()).toEqual(['first', 'second'])
  })

  test('is the text that was sent if the screen shows work and no prompt', async () => {
    await open()
    await send('first', [GREETING], ['', THINKING, ''])
    expect(await prompts()).toEqual(['first'])
    await fixture.paint([GREETING, '', ...FIRST])
    expect(await prompts()).toEqual(['first'])
    expect(await fixture.events('turn.opened')).toHaveLength(1)
  })

  test('opens no turn if it is a command that the agent answers without work', async () => {
    await open()
    await send('/help', [GREETING], ['○ enter sends, esc stops', ''])
    await fixture.pass(5_000)
    expect(await fixture.events('turn.opened')).toEqual([])
    expect((await fixture.events('prompt.ended')).at(-1)).toMatchObject({ result: 'delivered' })
    await send('first', [GREETING, '○ enter sends, esc stops'], ['', ...FIRST])
    await fixture.pass(2_000)
    expect(await prompts()).toEqual(['first'])
  })

  test('is recorded once if the answer was complete before the delivery was proven', async () => {
    await open()
    await send('first', [GREETING], ['', ...FIRST])
    await fixture.pass(2_000)
    expect(await prompts()).toEqual(['first'])
    expect(await fixture.messages()).toEqual(['The first answer.'])
    expect(await fixture.events('prompt.ended')).toMatchObject([{ turn: 'ses_stage.1' }])
    await send('second', [GREETING, '', ...FIRST], ['▷ second', '', '◆ The second answer.', '', DONE, ''])
    await fixture.pass(2_000)
    expect(await prompts()).toEqual(['first', 'second'])
    expect(await fixture.messages()).toEqual(['The first answer.', 'The second answer.'])
    expect(await fixture.events('turn.closed')).toHaveLength((await fixture.events('turn.opened')).length)
  })

  test('is not reused for the next turn after its own turn was stopped before the first word', async () => {
    await open()
    await fixture.paint(['▷ first', '', THINKING, ''])
    await fixture.paint([
      '▷ first',
      '',
      '◈ Stopped by you after 1s',
      '',
      '▷ second',
      '',
      '◆ Second answer.',
      '',
      DONE,
      '',
    ])
    await fixture.pass(2_000)
    expect(await prompts()).toEqual(['first', 'second'])
    expect((await fixture.events('message.final')).map(({ turn, markdown }) => [turn, markdown])).toEqual([
      ['ses_stage.2', 'Second answer.'],
    ])
  })
})
