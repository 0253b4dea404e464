import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SimulatedClock } from '../clock/index.js'
import { runThrough } from '../clock/testing/run-through.js'
import { type Observation, parsePack } from '../screen/index.js'
import { type SendResult, sendPrompt } from './send-gate.js'
import { type AgentScript, composer, idle, ScriptedAgent } from './testing/scripted-agent.js'

const packOf = (input: string, agent = 'demo') =>
  parsePack(`pack = 1\nagent = "${agent}"\ninput = { ${input} }\n`, 'test.toml')
const BULK = packOf('mode = "bulk", pace_ms = 0, settle_ms = 150, queue = true')
const TYPED = packOf('mode = "typed", pace_ms = 2, settle_ms = 250')
const GENERIC = packOf('mode = "typed", pace_ms = 2, settle_ms = 250', 'generic')
const TEXT = 'please fix the failing test'

let clock: SimulatedClock
let agents: ScriptedAgent[]

beforeEach(() => {
  clock = new SimulatedClock()
  agents = []
})

// What holds in every case, whatever the agent did.
afterEach(() => {
  for (const agent of agents) {
    expect(agent.keysInMenu).toEqual([])
    expect(agent.enters).toBeLessThanOrEqual(2)
    for (const keys of agent.writes) if (keys !== '\r') expect(keys).not.toContain('\r')
  }
})

function agentOf(script: AgentScript = {}, seen = idle()): ScriptedAgent {
  const agent = new ScriptedAgent(clock, script)
  agent.seen = seen
  agents.push(agent)
  return agent
}

function send(agent: ScriptedAgent, text = TEXT, pack = BULK): Promise<SendResult> {
  return runThrough(clock, sendPrompt(agent, text, { pack, clock }))
}

describe('a prompt that is taken', () => {
  test('is written once, then Enter as a write of its own after a pause', async () => {
    const times: number[] = []
    const agent = agentOf({ onWrite: () => times.push(clock.now()) })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual([TEXT, '\r'])
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(150)
    expect(agent.taken).toEqual([TEXT])
  })

  test('is typed character by character where the agent wants that', async () => {
    const agent = agentOf()
    expect(await send(agent, 'héy 👍', TYPED)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual(['h', 'é', 'y', ' ', '👍', '\r'])
  })

  test('waits for a slow echo before Enter', async () => {
    for (const echoMs of [1900, 2900]) {
      const agent = agentOf({ echoMs })
      expect(await send(agent)).toEqual({ result: 'delivered' })
      expect(agent.writes).toEqual([TEXT, '\r'])
    }
  })

  test('is queued by an agent at work that can', async () => {
    const agent = agentOf(
      { onTake: agent => agent.show({ composer: composer('') }) },
      idle({ busy: true, view: 'thinking' }),
    )
    expect(await send(agent)).toEqual({ result: 'queued' })
  })

  test('is proven by its echo, by work, or by a request that follows it', async () => {
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

  test('a paste mark in the box stands for the text', async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) =>
        keys !== '\r' && agent.show({ composer: composer('[Pasted text #1 +2 lines]', { pasted: 1 }) }),
    })
    expect(await send(agent, 'a\nb\nc')).toEqual({ result: 'delivered' })
  })

  test('a slash command waits for its list, and a picker is proof enough', async () => {
    const times: number[] = []
    const agent = agentOf({
      onWrite: () => times.push(clock.now()),
      onTake: agent => agent.show({ view: 'tool_menu', awaiting: 'picker', composer: null }),
    })
    expect(await send(agent, '/model')).toEqual({ result: 'delivered' })
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(250)
  })

  test('a command that the agent answers with a row of its own is taken; a prompt needs more', async () => {
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
      const port = Object.assign(agent, { lastRow: () => rows })
      expect((await send(port, text)).result).toBe(result)
    }
  })

  test('the same prompt again needs more than the old echo', async () => {
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

describe('how text is written', () => {
  test('several lines go as one bracketed paste', async () => {
    const agent = agentOf()
    await send(agent, 'one\r\ntwo\rthree', TYPED)
    expect(agent.writes).toEqual(['\u001b[200~one\ntwo\nthree\u001b[201~', '\r'])
  })

  test('so does text of more than 400 characters, or with a tab in it', async () => {
    for (const text of ['x'.repeat(401), 'a\tb']) {
      const agent = agentOf()
      await send(agent, text, TYPED)
      expect(agent.writes[0]).toBe(`\u001b[200~${text}\u001b[201~`)
    }
    const agent = agentOf()
    await send(agent, 'x'.repeat(400), TYPED)
    expect(agent.writes).toHaveLength(401)
  })

  test("without bracketed paste line breaks are the agent's own newline key, and a tab is blanks", async () => {
    const agent = agentOf({ isBracketedPaste: false })
    await send(agent, 'one\ntwo\tx', packOf('mode = "bulk", pace_ms = 0, settle_ms = 1, newline = "\\u001b\\n"'))
    expect(agent.writes[0]).toBe('one\u001b\ntwo    x')
  })

  test('a program that nobody knows and that takes no paste gets no line breaks', async () => {
    const agent = agentOf({ isBracketedPaste: false })
    expect(await send(agent, 'one\ntwo', GENERIC)).toMatchObject({ result: 'refused', reason: 'text' })
    expect(agent.writes).toEqual([])
    expect(await send(agentOf({ isBracketedPaste: false }), 'one line', GENERIC)).toEqual({ result: 'delivered' })
  })

  test('no control character and no paste marker ever leaves, whatever the text', async () => {
    const nasty = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '\u001b[201~',
          '\u001b[20\u001b[201~1~',
          '\u009b201~',
          '\u0003',
          '\r',
          '\r\n',
          '\u007f',
          '\u0000',
          'word',
        ),
      ),
      { maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(nasty, fc.boolean(), async (parts, isBracketedPaste) => {
        const agent = agentOf({ isBracketedPaste })
        await send(agent, parts.join(''))
        const text = agent.typed.replace(/^\u001b\[200~/, '').replace(/\u001b\[201~$/, '')
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['nothing', ''],
    ['blanks', '  \n\t '],
    ['keys alone', '\u0003\u001b'],
    ['too much', 'x'.repeat(100_001)],
  ])('%s is refused, and nothing is written', async (_, text) => {
    const agent = agentOf()
    expect(await send(agent, text)).toMatchObject({ result: 'refused', reason: 'text' })
    expect(agent.writes).toEqual([])
  })
})

describe('a box that is not ready', () => {
  test.each([
    ['a menu is up', idle({ view: 'tool_menu', awaiting: 'permission', composer: null }), 'menu'],
    ['a login is up', idle({ view: 'auth_required', awaiting: 'auth', composer: null }), 'menu'],
    ['a survey takes digits', idle({ facets: [{ name: 'survey', data: {} }] }), 'menu'],
    ['there is a draft', idle({ composer: composer('half a thought') }), 'draft'],
    ['there is no box', idle({ composer: null, view: 'unknown', payload: { recognised: false } }), 'no-composer'],
    [
      'a viewer covers it',
      idle({ composer: null, view: 'unknown', payload: { recognised: true, screen: 'help' } }),
      'overlay',
    ],
  ])('%s: refused, not a key is pressed', async (_, seen, reason) => {
    const agent = agentOf({}, seen)
    expect(await send(agent)).toMatchObject({ result: 'refused', reason })
    expect(agent.writes).toEqual([])
  })

  test('an agent at work that cannot queue is busy', async () => {
    const agent = agentOf({}, idle({ busy: true, view: 'thinking' }))
    expect(await send(agent, TEXT, TYPED)).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(agent.writes).toEqual([])
  })

  test('a session that has ended is gone', async () => {
    const agent = agentOf()
    agent.exit()
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'gone' })
  })

  test('a box that comes within three seconds is waited for, not one that comes later', async () => {
    for (const [ms, result] of [
      [2_900, 'delivered'],
      [3_200, 'refused'],
    ] as const) {
      const agent = agentOf({}, idle({ composer: null, view: 'startup', busy: null }))
      agent.later(ms, () => agent.show({ composer: composer(''), view: 'idle_prompt', busy: false }))
      expect(await send(agent)).toMatchObject({ result })
    }
  })

  test('a session that ends while its box is waited for is gone', async () => {
    const agent = agentOf({}, idle({ composer: null, view: 'startup' }))
    agent.later(500, () => agent.exit())
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'gone' })
  })

  test('a viewer, a list and shell mode are left with one key', async () => {
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

  test('and refused when that does not help; the key is pressed once', async () => {
    const agent = agentOf({}, idle({ composer: composer('', { shell: true }) }))
    expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'focus' })
    expect(agent.writes).toEqual(['\u001b'])
  })
})

describe('what goes wrong in between', () => {
  test('Enter swallowed once is pressed once more, the text is not', async () => {
    const agent = agentOf({ swallowed: 1 })
    expect(await send(agent)).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual([TEXT, '\r', '\r'])
  })

  test('Enter swallowed for good is unconfirmed after one retry', async () => {
    const agent = agentOf({ swallowed: 9 })
    expect(await send(agent)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('stands in the input box'),
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

  test('a menu at any moment never gets a key', async () => {
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

  test('text that never shows is not confirmed with Enter', async () => {
    const agent = agentOf({ isBlind: true })
    expect(await send(agent)).toMatchObject({
      result: 'unconfirmed',
      detail: expect.stringContaining('did not appear'),
    })
    expect(agent.writes).toEqual([TEXT])
  })

  test('text of which only a part shows is cleared again', async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) => keys === TEXT && agent.show({ composer: composer('please fix') }),
    })
    expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
    expect(agent.writes).toEqual([TEXT, '\u0015'])
  })

  test("someone else's text in the box is not cleared", async () => {
    const agent = agentOf({
      isBlind: true,
      onWrite: (agent, keys) => keys === TEXT && agent.show({ composer: composer('something else') }),
    })
    expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
    expect(agent.writes).toEqual([TEXT])
  })

  test('an empty box alone proves nothing: it is looked at for 15 seconds', async () => {
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

  test('a session that ends while text is typed is gone; after Enter nobody can tell', async () => {
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

describe('what stands in front of the agent', () => {
  test('a shell, an editor or a pager gets no prompt', async () => {
    for (const prompt of ['shell', 'editor', 'pager'] as const) {
      const agent = agentOf({}, idle({ payload: { fresh: false, prompt } } as Partial<Observation>))
      expect(await send(agent)).toMatchObject({ result: 'refused', reason: 'no-agent' })
      expect(agent.writes).toEqual([])
    }
  })

  test('a program of which nothing is known may show any prompt', async () => {
    const agent = agentOf({}, idle({ payload: { fresh: false, prompt: 'shell' } } as Partial<Observation>))
    expect(await send(agent, TEXT, GENERIC)).toMatchObject({ result: 'delivered' })
  })

  test('another program that has the terminal, or copy mode, is found before anything is typed', async () => {
    for (const reason of ['no-agent', 'copy-mode'] as const) {
      const agent = Object.assign(agentOf(), { absence: () => ({ reason, detail: 'away' }) })
      expect(await send(agent)).toEqual({ result: 'refused', reason, detail: 'away' })
      expect(agent.writes).toEqual([])
    }
  })
})

describe('a draft', () => {
  const DRAFT = idle({ composer: composer('half a thought') })
  const clearing = (agent: ScriptedAgent, options: { clearsDraft?: boolean }) =>
    runThrough(clock, sendPrompt(agent, TEXT, { pack: BULK, clock, ...options }))

  test('is left alone unless it may be cleared', async () => {
    const agent = agentOf({}, DRAFT)
    expect(await clearing(agent, {})).toMatchObject({
      reason: 'draft',
      detail: expect.stringContaining('half a thought'),
    })
    expect(agent.writes).toEqual([])
  })

  test('is cleared with the agent’s key, and that is looked at', async () => {
    const agent = agentOf({}, DRAFT)
    expect(await clearing(agent, { clearsDraft: true })).toEqual({ result: 'delivered' })
    expect(agent.writes).toEqual(['\u0015', TEXT, '\r'])
  })

  test('is never cleared while a person is typing it', async () => {
    const agent = Object.assign(agentOf({}, DRAFT), { quietMs: () => 4_000 })
    expect(await clearing(agent, { clearsDraft: true })).toMatchObject({
      reason: 'draft',
      detail: expect.stringContaining('someone is typing'),
    })
    expect(agent.writes).toEqual([])
  })

  test('that will not go is not typed behind', async () => {
    const agent = agentOf({ isBlind: true }, DRAFT)
    expect(await clearing(agent, { clearsDraft: true })).toMatchObject({ reason: 'draft' })
    expect(agent.writes).toEqual(['\u0015'])
  })

  test('that is the prompt of an interrupted turn, given back by the agent, is taken out', async () => {
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

describe('a text that begins like a command', () => {
  const typed = async (text: string, script: AgentScript = {}, meaning?: 'text' | 'command') => {
    const agent = agentOf(script)
    const result = await runThrough(clock, sendPrompt(agent, text, { pack: BULK, clock, ...(meaning && { meaning }) }))
    expect(result).toEqual({ result: 'delivered' })
    return agent.writes[0]
  }

  test.each(['/etc/hosts is wrong', '!important', '@everyone look', '# Title'])('%s goes as a paste', async text => {
    expect(await typed(text)).toBe(`\u001b[200~${text}\u001b[201~`)
  })

  test('or with a blank in front where nothing can be pasted', async () => {
    expect(await typed('!important', { isBracketedPaste: false })).toBe(' !important')
  })

  test('is typed when it is one, or is meant as one', async () => {
    expect(await typed('/model opus')).toBe('/model opus')
    expect(await typed('!ls', {}, 'command')).toBe('!ls')
    expect(await typed('/model', {}, 'text')).toBe('\u001b[200~/model\u001b[201~')
  })
})

describe('proof beside the screen', () => {
  const dropped: AgentScript = { onTake: agent => agent.show({ composer: composer('') }) }

  test('a hook or a transcript that names the text is proof enough', async () => {
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

  test('it is waited for twice as long where the agent calls hooks', async () => {
    for (const hasHooks of [false, true]) {
      const agent = Object.assign(agentOf(dropped), { hasHooks: () => hasHooks })
      const before = clock.monotonic()
      expect(await send(agent)).toMatchObject({ result: 'unconfirmed' })
      expect(clock.monotonic() - before).toBeGreaterThan(hasHooks ? 29_000 : 14_000)
      expect(clock.monotonic() - before).toBeLessThan(hasHooks ? 36_000 : 20_000)
    }
  })

  test('a queue that must not be used is refused before anything is typed', async () => {
    const agent = agentOf({}, idle({ busy: true, view: 'thinking' }))
    const result = await runThrough(clock, sendPrompt(agent, TEXT, { pack: BULK, clock, mayQueue: false }))
    expect(result).toMatchObject({ result: 'refused', reason: 'busy' })
    expect(agent.writes).toEqual([])
  })
})
