import { afterEach, describe, expect, test } from 'vitest'
import { DONE, MENU, paintTurn, THINKING } from '../testing/demo-screens.js'
import { SessionFixture } from '../testing/session-fixture.js'

let fixture: SessionFixture
afterEach(() => fixture.close())

/** A prompt, some text, and a pending request. */
async function asked(): Promise<string[]> {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint([' Signalbox demo agent 1.0.0'])
  const rows = ['▷ go', '', '◆ Before the question.', '']
  await fixture.paint([...rows, THINKING, ''])
  await fixture.paint([...rows, ...MENU], { isGone: true })
  expect(fixture.session.phase).toBe('tool-pending')
  return rows
}

async function order(): Promise<string[]> {
  const events = await fixture.store.readStream(`session/${fixture.session.id}`)
  return events.map(({ type }) => type).filter(type => /^(turn|message)\./.test(type))
}

describe('an agent whose turn has ended when its menu disappears', () => {
  test('tool-pending, idle_prompt: the answer is logged before its turn is closed', async () => {
    const rows = await asked()
    await fixture.paint([...rows, '◆ You said yes, and this is the answer.', '', DONE, ''])
    expect(await fixture.messages()).toEqual(['Before the question.', 'You said yes, and this is the answer.'])
    expect(await order()).toEqual(['turn.opened', 'message.final', 'message.final', 'turn.closed'])
    expect(fixture.session.isIdle).toBe(true)
  })

  test('tool-pending, idle_prompt: a tool result without text is a message', async () => {
    const rows = await asked()
    await fixture.paint([...rows, '◇ Shell echo hello', '  ┆ hello', '', DONE, ''])
    const [, last] = await fixture.messages()
    expect(last).toContain('echo hello')
    expect(await order()).toEqual(['turn.opened', 'message.final', 'message.final', 'turn.closed'])
  })

  test('tool-pending, idle_prompt: a turn without text has no message', async () => {
    const rows = await asked()
    await fixture.paint([...rows, DONE, ''])
    expect(await fixture.messages()).toEqual(['Before the question.'])
    expect(await order()).toEqual(['turn.opened', 'message.final', 'turn.closed'])
  })

  test('tool-pending, process-exit: the last text is a message', async () => {
    const rows = await asked()
    await fixture.print(`\u001b[H\u001b[J${[...rows, '◆ These were my last words.', '', DONE].join('\r\n')}`, 0)
    await fixture.exit(0)
    expect(await fixture.messages()).toEqual([
      'Before the question.',
      expect.stringContaining('These were my last words.'),
    ])
  })
})

describe('an agent that asks again before its first answer was read', () => {
  test('tool-pending, tool_menu:new: text between two requests is a message', async () => {
    const rows = await asked()
    const second = MENU.map(row => row.replace('this command', 'another command'))
    await fixture.paint([...rows, '◆ Said in between.', '', ...second], { isGone: true })
    await fixture.paint([...rows, '◆ Said in between.', '', '◆ And after both.', '', DONE, ''])
    expect((await fixture.messages()).join('\n')).toBe('Before the question.\nSaid in between.\nAnd after both.')
  })
})

describe('the request of a menu', () => {
  test('is raised when the store works again after an error', async () => {
    fixture = await SessionFixture.open()
    fixture.session.goLive()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ go', '', THINKING, ''])
    const append = fixture.store.appendAll.bind(fixture.store)
    let failures = 2
    fixture.store.appendAll = (...args) =>
      failures-- > 0 ? Promise.reject(new Error('the disk is full')) : append(...args)
    await fixture.paint(['▷ go', '', ...MENU], { isGone: true, passMs: 3_000 })
    expect(fixture.session.approval).toMatchObject({ state: 'pending' })
    expect(fixture.errors.map(String)).toContain('Error: the disk is full')
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })
})

describe('a frame that ends inside an update', () => {
  const BEGIN = '\u001b[?2026h'
  const END = '\u001b[?2026l'
  const painted = (rows: readonly string[]) => `\u001b[H\u001b[J${rows.join('\r\n')}`

  test('does not end the request of a menu that is redrawn', async () => {
    const rows = await asked()
    const first = fixture.session.approval!
    await fixture.print(`${BEGIN}\u001b[H\u001b[J`, 1_000)
    await fixture.print(`${painted([...rows, ...MENU])}${END}`)
    expect(fixture.session.approval).toMatchObject({ id: first.id, state: 'pending' })
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })

  test('raises no request for half a menu, and one for the complete menu', async () => {
    fixture = await SessionFixture.open()
    fixture.session.goLive()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ go', '', THINKING, ''])
    const menu = painted(['▷ go', '', ...MENU])
    const half = menu.indexOf('   2. No')
    await fixture.print(`${BEGIN}${menu.slice(0, half)}`, 200)
    await fixture.print(`${menu.slice(half)}${END}`)
    expect(fixture.session.approval?.request.options).toHaveLength(2)
    expect(await fixture.written('approval.requested')).toHaveLength(1)
  })

  test('raises the request if no other frame follows', async () => {
    fixture = await SessionFixture.open()
    fixture.session.goLive()
    await fixture.paint([' Signalbox demo agent 1.0.0'])
    await fixture.paint(['▷ go', '', THINKING, ''])
    await fixture.print(`${BEGIN}${painted(['▷ go', '', ...MENU])}`, 3_000)
    expect(fixture.session.approval?.request.options).toHaveLength(2)
  })
})

test('an agent that begins with a tool is at work before it thinks or writes', async () => {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint([' Signalbox demo agent 1.0.0'])
  await fixture.paint(['▷ run it', '', '◇ Shell  npm test', '  ┆ running…', '', THINKING, ''])
  expect(fixture.session.phase).toBe('streaming')
  await fixture.paint(['▷ run it', '', '◇ Shell  npm test', '  ┆ ok', '', DONE, ''])
  expect(await order()).toEqual(['turn.opened', 'message.final', 'turn.closed'])
})

test('the output of the agent’s own command is a message with its name, also without a turn', async () => {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  const turn = await paintTurn(fixture, 'go', ['◆ Gone.'])
  const rows = [...turn, '▷ /help', '', '  ┆ enter sends', '']
  await fixture.paint(rows, { passMs: 1_500 })
  await fixture.paint([...rows, '▷ /compact', '', '○ The conversation was made shorter.', ''], { passMs: 1_500 })
  const [, ...finals] = await fixture.events('message.final')
  expect(finals.map(({ command, markdown }) => [command, markdown])).toEqual([
    ['/help', '```\nenter sends\n```'],
    ['/compact', 'The conversation was made shorter.'],
  ])
})

test('text that the agent prints when it exits is not an answer', async () => {
  fixture = await SessionFixture.open()
  fixture.session.goLive()
  await fixture.paint([' Signalbox demo agent 1.0.0'])
  await fixture.paint(['▷ go', '', THINKING, ''])
  const farewell = ['▷ go', '', '◈ Goodbye. To continue this session:', '  signalbox-demo --resume 3dbfc738']
  await fixture.print(`\u001b[H\u001b[J${farewell.join('\r\n')}`, 0)
  await fixture.exit(0)
  expect(await fixture.messages()).toEqual([])
})
