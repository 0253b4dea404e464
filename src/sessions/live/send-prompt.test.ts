import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import type { Observation } from '../../screen/index.js'
import { type AgentScript, composer, idle, type ScriptedAgent } from '../testing/scripted-agent.js'
import { agentOf, BULK, clock, send, TEXT, TYPED, useSendFixture } from '../testing/send-fixture.js'
import { sendPrompt } from './send-prompt.js'

useSendFixture()

describe('a prompt that the agent accepts', () => {
  test('is written once, followed by Enter as a separate write after a pause', async () => {
    const times: number[] = []
    const agent = agentOf({ onWrite: () => times.push(clock.now()) })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual([TEXT, '\r'])
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(150)
    expect(agent.taken).toEqual([TEXT])
  })

  test('is typed character by character if the pack requires it', async () => {
    const agent = agentOf()
    expect(await send(agent, 'héy 👍', TYPED)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual(['h', 'é', 'y', ' ', '👍', '\r'])
  })

  test('waits for a slow echo before it presses Enter', async () => {
    for (const echoMs of [1900, 2900]) {
      const agent = agentOf({ echoMs })
      expect(await send(agent)).toEqual({ result: 'delivered' })
      expect(agent.writes).toEqual([TEXT, '\r'])
    }
  })

  test('is queued by an agent at work that can queue', async () => {
    const agent = agentOf(
      { onTake: agent => agent.show({ composer: composer('') }) },
      idle({ busy: true, view: 'thinking' }),
    )
    expect(await send(agent)).toEqual({ result: 'queued' })
  })

  test('is proven by its echo, by work or by a request', async () => {
    const ways: Partial<Observation>[] = [
      { composer: composer(''), user: TEXT },
      { composer: composer(''), busy: true, view: 'thinking' },
      { composer: null, busy: true, view: 'thinking' },
      { composer: null, user: TEXT, view: 'tool_menu', awaiting: 'permission' },
      { composer: composer('', { queued: [TEXT] }) },
    ]
    for (const shown of ways)
      expect(await send(agentOf({ onTake: agent => agent.show(shown) }))).toEqual({ result: 'delivered' })
  })

  test('a paste mark in the box counts as the text', async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) =>
        keys !== '\r' && agent.show({ composer: composer('[Pasted text #1 +2 lines]', { pasted: 1 }) }),
    })
    expect(await send(agent, 'a\nb\nc')).toEqual({ result: 'delivered' })
  })

  test('a slash command waits for its list, and a picker is sufficient proof', async () => {
    const times: number[] = []
    const agent = agentOf({
      onWrite: () => times.push(clock.now()),
      onTake: agent => agent.show({ view: 'tool_menu', awaiting: 'picker', composer: null }),
    })
    expect(await send(agent, '/model')).toEqual({ result: 'delivered' })
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(250)
  })

  test('a command is proven by a new row below it; a prompt is not', async () => {
    for (const [text, result] of [
      ['/help', 'delivered'],
      ['please help', 'unconfirmed'],
    ] as const) {
      let rows = 3
      const agent = agentOf({
        onTake: agent => {
          rows++
          agent.show({ composer: composer('') })
        },
      })
      const port = Object.assign(agent, { lastRowAboveBox: () => rows })
      expect((await send(port, text)).result).toBe(result)
    }
  })

  test('a repeated prompt needs more proof than the old echo', async () => {
    const said = idle({ user: TEXT, terminator: { row: 3, outcome: 'done' } })
    const dropped = agentOf({ onTake: agent => agent.show({ composer: composer('') }) }, said)
    expect(await send(dropped)).toMatchObject({ result: 'unconfirmed' })
    const quick = agentOf(
      { onTake: agent => agent.show({ composer: composer(''), terminator: { row: 7, outcome: 'done' } }) },
      said,
    )
    expect(await send(quick)).toEqual({ result: 'delivered' })
  })
})

describe('problems during sending of a prompt', () => {
  test('an Enter that the agent drops once is pressed again; the text is not typed again', async () => {
    const agent = agentOf({ swallowed: 1 })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual([TEXT, '\r', '\r'])
  })

  test('an Enter that the agent always drops is unconfirmed after one retry', async () => {
    const agent = agentOf({ swallowed: 9 })
    expect(await send(agent)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('the text is in the input box'),
    })
    expect(agent.writes).toEqual([TEXT, '\r', '\r'])
  })

  test('a menu that appears while the box settles gets no Enter', async () => {
    const agent = agentOf({ onWrite: (agent, keys) => keys === TEXT && agent.later(100, () => agent.showMenu()) })
    expect(await send(agent)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('Enter was not pressed'),
    })
    expect(agent.writes).toEqual([TEXT])
  })

  test('a menu that appears before the echo gets no Enter and no clearing key', async () => {
    const agent = agentOf({ isBlind: true, onWrite: agent => agent.later(50, () => agent.showMenu()) })
    expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
    expect(agent.writes).toEqual([TEXT])
  })

  test('a menu that appears while characters are typed stops the typing', async () => {
    const agent = agentOf()
    agent.later(20, () => agent.showMenu())
    expect(await send(agent, TEXT, TYPED)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringMatching(/typing stopped after \d+ characters/),
    })
    expect(agent.writes.length).toBeLessThan(TEXT.length)
    expect(agent.enters).toBe(0)
  })

  test('a menu that appears at any moment never gets a key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(4000),
        fc.constantFrom(0, 100, 1500),
        fc.nat(2),
        fc.boolean(),
        async (at, echoMs, swallowed, isTyped) => {
          const agent = agentOf({ echoMs, swallowed })
          agent.later(at, () => agent.showMenu())
          await send(agent, TEXT, isTyped ? TYPED : BULK)
          expect(agent.keysInMenu).toEqual([])
          expect(TEXT.startsWith(agent.typed)).toBe(true)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('text that never appears is not confirmed with Enter', async () => {
    const agent = agentOf({ isBlind: true })
    expect(await send(agent)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('did not appear'),
    })
    expect(agent.writes).toEqual([TEXT])
  })

  test('text of which a part appears is awaited, because the agent is slow', async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) => {
        if (keys !== TEXT) return agent.show({ busy: true, composer: composer('') })
        agent.show({ composer: composer(TEXT.slice(0, 3)) })
        agent.later(20_000, () => agent.show({ composer: composer(TEXT) }))
      },
    })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual([TEXT, '\r'])
  })

  test('text of which only a part ever appears is cleared again', async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) => keys === TEXT && agent.show({ composer: composer('please fix') }),
    })
    expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
    expect(agent.writes).toEqual([TEXT, '\u0015'])
  })

  test("another person's text in the box is not cleared", async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) => keys === TEXT && agent.show({ composer: composer('something else') }),
    })
    expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
    expect(agent.writes).toEqual([TEXT])
  })

  test('an empty box proves nothing within 15 seconds', async () => {
    const drops = (agent: ScriptedAgent) => agent.show({ composer: composer('') })
    const dropped = agentOf({ onTake: drops })
    const before = clock.now()
    expect(await send(dropped)).toMatchObject({ result: 'unconfirmed' })
    expect(clock.now() - before).toBeGreaterThanOrEqual(15_000)
    expect(dropped.writes).toEqual([TEXT, '\r'])
    const late = agentOf({
      onTake: agent => {
        drops(agent)
        agent.later(14_000, () => agent.show({ busy: true, view: 'thinking' }))
      },
    })
    expect(await send(late)).toEqual({ result: 'delivered' })
  })

  test('a session that ends while text is typed is refused as gone; after Enter it is unconfirmed', async () => {
    const before = agentOf({ isBlind: true, onWrite: agent => agent.later(20, () => agent.exit()) })
    expect(await send(before)).toMatchObject({ result: 'refused', reason: 'gone' })
    expect(before.enters).toBe(0)
    const after = agentOf({ onTake: agent => agent.exit() })
    expect(await send(after)).toMatchObject({ result: 'unconfirmed', detail: expect.stringContaining('ended') })
    expect(after.writes).toEqual([TEXT, '\r'])
  })

  test('the text is never written twice, whatever the agent does', async () => {
    const moods = fc.record({
      echoMs: fc.constantFrom(0, 500, 2000, 5000),
      swallowed: fc.nat(3),
      isBlind: fc.boolean(),
      isBracketedPaste: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        moods,
        fc.constantFrom(TEXT, 'one\ntwo', 'y'),
        fc.option(fc.nat(6000)),
        async (mood, text, exitAt) => {
          const agent = agentOf(mood)
          if (exitAt !== null) agent.later(exitAt, () => agent.exit())
          await send(agent, text)
          const written = agent.typed.replace(/\u001b\[20[01]~/g, '').replace('\u0015', '')
          expect([text, '']).toContain(written)
          expect(agent.taken.length).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('proof besides the screen', () => {
  const dropped: AgentScript = { onTake: agent => agent.show({ composer: composer('') }) }

  test('a hook or a transcript that names the text is sufficient proof', async () => {
    const asked: unknown[] = []
    const agent = Object.assign(agentOf(dropped), {
      proof: (text: string, since: number, wasBusy: boolean) => {
        asked.push([text, wasBusy])
        return clock.monotonic() > since + 500 ? 'hook' : null
      },
    })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(asked[0]).toEqual([TEXT, false])
  })

  test('a prompt that a hook proves is delivered when the box no longer shows it', async () => {
    const agent = agentOf({
      onTake: agent => {
        agent.show({})
        agent.later(2_000, () => agent.show({ composer: composer(''), user: TEXT }))
      },
    })
    const proof = (text: string) => (agent.taken.includes(text) ? 'hook' : null)
    const port = Object.assign(agent, { proof })
    expect(await send(port)).toEqual({ result: 'delivered' })
    expect(agent.seen.composer?.draft).toBe('')
  })

  test('sending a prompt waits twice as long for proof if the agent calls hooks', async () => {
    for (const hasHooks of [false, true]) {
      const agent = Object.assign(agentOf(dropped), { hasHooks: () => hasHooks })
      const before = clock.monotonic()
      expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
      expect(clock.monotonic() - before).toBeGreaterThan(hasHooks ? 29_000 : 14_000)
      expect(clock.monotonic() - before).toBeLessThan(hasHooks ? 36_000 : 20_000)
    }
  })

  test('a busy agent is refused if its queue must not be used', async () => {
    const agent = agentOf({}, idle({ busy: true, view: 'thinking' }))
    const result = await runToEnd(clock, sendPrompt(agent, TEXT, { pack: BULK, clock, mayQueue: false }))
    expect(result).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(agent.writes).toEqual([])
  })
})
