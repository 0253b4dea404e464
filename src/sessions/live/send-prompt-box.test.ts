import { describe, expect, test } from 'vitest'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import type { Observation } from '../../screen/index.js'
import { composer, idle, type ScriptedAgent } from '../testing/scripted-agent.js'
import { agentOf, BULK, clock, GENERIC, send, TEXT, TYPED, useSendFixture } from '../testing/send-fixture.js'
import { sendPrompt } from './send-prompt.js'

useSendFixture()

describe('an input box that is not ready', () => {
  test.each([
    ['a menu is open', idle({ view: 'tool_menu', awaiting: 'permission', composer: null }), 'menu'],
    ['a login is open', idle({ view: 'auth_required', awaiting: 'auth', composer: null }), 'menu'],
    ['a survey takes digits', idle({ facets: [{ name: 'survey', data: {} }] }), 'menu'],
    ['the box has a draft', idle({ composer: composer('half a thought') }), 'draft'],
    ['the screen has no box', idle({ composer: null, view: 'unknown', payload: { recognised: false } }), 'no-composer'],
    [
      'a viewer covers the box',
      idle({ composer: null, view: 'unknown', payload: { recognised: true, screen: 'help' } }),
      'overlay',
    ],
  ])('refuses the prompt without a key: %s', async (_, seen, reason) => {
    const agent = agentOf({}, seen)
    expect(await send(agent)).toMatchObject({ result: 'refused', reason })
    expect(agent.writes).toEqual([])
  })

  test('an agent at work that cannot queue is busy', async () => {
    const agent = agentOf({}, idle({ busy: true, view: 'thinking' }))
    expect(await send(agent, TEXT, TYPED)).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(agent.writes).toEqual([])
  })

  test('a session that has ended is refused as gone', async () => {
    const agent = agentOf()
    agent.exit()
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'gone' })
  })

  test('sending waits three seconds for the box', async () => {
    for (const [ms, result] of [
      [2_900, 'delivered'],
      [3_200, 'refused'],
    ] as const) {
      const agent = agentOf({}, idle({ composer: null, view: 'startup', busy: null }))
      agent.later(ms, () => agent.show({ composer: composer(''), view: 'idle_prompt', busy: false }))
      expect(await send(agent)).toMatchObject({ result })
    }
  })

  test('a session that ends during the wait for the box is refused as gone', async () => {
    const agent = agentOf({}, idle({ composer: null, view: 'startup' }))
    agent.later(500, () => agent.exit())
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'gone' })
  })

  test('a draft of several lines is cleared line by line', async () => {
    const lines = ['one', 'two', 'three']
    const agent = agentOf(
      {
        onWrite: (self, keys) => {
          if (keys !== BULK.input.clear) return
          lines.pop()
          self.show({ composer: composer(lines.join('\n')) })
        },
      },
      idle({ composer: composer(lines.join('\n')) }),
    )
    await runToEnd(clock, sendPrompt(agent, TEXT, { pack: BULK, clock, clearsDraft: true }))
    expect(agent.writes.filter(keys => keys === BULK.input.clear)).toHaveLength(3)
    expect(lines).toEqual([])
  })

  test('a viewer, a list and shell mode are closed with one key', async () => {
    const viewer = agentOf(
      { onWrite: (agent, keys) => keys === 'q' && agent.show(idle()) },
      idle({ composer: null, view: 'unknown', payload: { recognised: true, screen: 'help', close: 'q' } }),
    )
    const list = agentOf(
      { onWrite: (agent, keys) => keys === '\u001b' && agent.show({ composer: composer('') }) },
      idle({ composer: composer('', { completion: { items: ['/a'], selected: 0 } }) }),
    )
    const shell = agentOf(
      { onWrite: (agent, keys) => keys === '\u001b' && agent.show({ composer: composer('') }) },
      idle({ composer: composer('', { shell: true }) }),
    )
    expect(await send(list)).toEqual({ result: 'delivered' })
    expect(await send(shell)).toEqual({ result: 'delivered' })
    expect(list.writes).toEqual(['\u001b', TEXT, '\r'])
    const result = await send(viewer)
    expect(viewer.writes[0]).toBe('q')
    expect(viewer.writes.filter(keys => keys === 'q')).toHaveLength(1)
    expect(result).toEqual({ result: 'delivered' })
  })

  test('a viewer that stays open is refused after one key', async () => {
    const agent = agentOf({}, idle({ composer: composer('', { shell: true }) }))
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'shell-mode' })
    expect(agent.writes).toEqual(['\u001b'])
  })
})

describe('another program in front of the agent', () => {
  test('a shell, an editor or a pager gets no prompt', async () => {
    for (const prompt of ['shell', 'editor', 'pager'] as const) {
      const agent = agentOf({}, idle({ payload: { fresh: false, prompt } } as Partial<Observation>))
      expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'no-agent' })
      expect(agent.writes).toEqual([])
    }
  })

  test('an unknown program may show any prompt sign', async () => {
    const agent = agentOf({}, idle({ payload: { fresh: false, prompt: 'shell' } } as Partial<Observation>))
    expect(await send(agent, TEXT, GENERIC)).toMatchObject({ result: 'delivered' })
  })

  test('another program in the foreground, or copy mode, is detected before any key', async () => {
    for (const reason of ['no-agent', 'copy-mode'] as const) {
      const agent = Object.assign(agentOf(), { absence: () => ({ reason, detail: 'away' }) })
      expect(await send(agent)).toEqual({ result: 'refused', reason, detail: 'away' })
      expect(agent.writes).toEqual([])
    }
  })
})

describe('a draft in the input box', () => {
  const DRAFT = idle({ composer: composer('half a thought') })
  const clearing = (agent: ScriptedAgent, options: { clearsDraft?: boolean }) =>
    runToEnd(clock, sendPrompt(agent, TEXT, { pack: BULK, clock, ...options }))

  test('is left unchanged unless it may be cleared', async () => {
    const agent = agentOf({}, DRAFT)
    expect(await clearing(agent, {})).toMatchObject({
      reason: 'draft',
      detail: expect.stringContaining('half a thought'),
    })
    expect(agent.writes).toEqual([])
  })

  test('is cleared with the agent’s key, and the result is verified', async () => {
    const agent = agentOf({}, DRAFT)
    expect(await clearing(agent, { clearsDraft: true })).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual(['\u0015', TEXT, '\r'])
  })

  test('is never cleared while a person is typing it', async () => {
    const agent = Object.assign(agentOf({}, DRAFT), { quietMs: () => 4_000 })
    expect(await clearing(agent, { clearsDraft: true })).toMatchObject({
      reason: 'draft',
      detail: expect.stringContaining('a person is typing'),
    })
    expect(agent.writes).toEqual([])
  })

  test('gets no text appended if it cannot be cleared', async () => {
    const agent = agentOf({ isBlind: true }, DRAFT)
    expect(await clearing(agent, { clearsDraft: true })).toMatchObject({ reason: 'draft' })
    expect(agent.writes).toEqual(['\u0015'])
  })

  test('is cleared if the agent restored it from an interrupted turn', async () => {
    const given = (fields: object) =>
      agentOf({}, idle({ composer: composer('the old one'), user: 'the old  one', ...fields }))
    const interrupted = { terminator: { row: 3, outcome: 'interrupted' as const } }
    const back = given(interrupted)
    expect(await clearing(back, {})).toEqual({ result: 'delivered' })
    expect(back.taken).toEqual([TEXT])
    const done = given({ terminator: { row: 3, outcome: 'done' } })
    expect(await clearing(done, {})).toMatchObject({ reason: 'draft' })
    const other = given({ ...interrupted, user: 'another' })
    expect(await clearing(other, {})).toMatchObject({ reason: 'draft' })
  })
})
