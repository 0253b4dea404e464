import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentReport, loadAgent } from '../agents/index.js'
import { SimulatedClock } from '../clock/index.js'
import type { HostSettings } from '../host/settings.js'
import type { SessionRecord } from '../sessions/index.js'
import { HeldRequests } from './held-requests.js'
import { HookInbox } from './hook-inbox.js'
import { HookTokens, unwireHooks, wireHooks } from './hook-wiring.js'

let directory: string
let clock: SimulatedClock
let tokens: HookTokens
let held: HeldRequests
let inbox: HookInbox
let delivered: { session: string; report: AgentReport }[]
let malformed: { source: string; session?: string; reason: string }[]
let running: SessionRecord[]
const open = new AbortController().signal

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'signalbox-inbox-'))
  clock = new SimulatedClock(1_000_000)
  tokens = new HookTokens()
  held = new HeldRequests()
  delivered = []
  malformed = []
  running = [session('ses_a'), session('ses_b', { cwd: '/q', agentSessionId: 'uuid-b' })]
  inbox = new HookInbox({
    clock,
    tokens,
    held,
    sessions: async () => running,
    deliver: (to, report) => delivered.push({ session: to, report }),
    onMalformed: about => malformed.push(about),
  })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function session(id: string, fields: Partial<SessionRecord> = {}): SessionRecord {
  return { id, agent: 'demo', cwd: '/p', state: 'live', ...fields } as SessionRecord
}

function settings(hooks: Partial<HostSettings['hooks']> = {}): HostSettings {
  return {
    runtimeDirectory: directory,
    daemonSocket: '/s',
    hooks: { isEnabled: true, offFor: [], hold: 'adapter', ...hooks },
  } as unknown as HostSettings
}

async function tokenOf(id: string): Promise<string> {
  const wired = wireHooks(id, await loadAgent('demo'), settings())!
  tokens.learn(id, settings())
  return wired.env.SIGNALBOX_HOOK_TOKEN!
}

const call = (body: unknown, token: string | null = null, source = 'demo', closed: AbortSignal = open) =>
  inbox.receive({ source, token, body, closed })
const tool = (id: string, event = 'PreToolUse') => ({
  event,
  data: { tool_name: 'Shell', tool_input: {}, tool_use_id: id, tool_response: { ok: true } },
})
const request = (id: string) => ({
  id,
  event: 'PermissionRequest',
  hold: true,
  data: { tool_name: 'Shell', tool_input: { command: 'ls' } },
})

it('an event has aliases', async () => {
  const token = await tokenOf('ses_a')
  const names = ['stop', 'after_agent', 'session-idle', 'permission_prompt', 'promptSubmit']
  for (const event of names)
    expect(await call({ event, data: { outcome: 'done', prompt: 'go' } }, token), event).toMatchObject({ status: 200 })
  expect(delivered.map(({ report }) => report.statement.kind)).toEqual([
    'turn-ended',
    'turn-ended',
    'turn-ended',
    'waiting',
    'prompt',
  ])
  expect(await call({ event: 'nonsense', data: {} }, token)).toMatchObject({ status: 202 })
})

describe('a hook that may be held', () => {
  it('is not held while a person is attached to its session, if so configured', async () => {
    const attended = new Set(['ses_a'])
    inbox = new HookInbox({
      clock,
      tokens,
      held,
      sessions: async () => running,
      deliver: (to, report) => delivered.push({ session: to, report }),
      mayWait: id => !attended.has(id),
      onMalformed: about => malformed.push(about),
    })
    const token = await tokenOf('ses_a')
    expect((await call(request('one'), token)).answer).toBeUndefined()
    attended.clear()
    expect((await call(request('two'), token)).answer).toBeInstanceOf(Promise)
    expect(delivered.map(({ report }) => report.statement.kind)).toEqual(['request', 'request'])
  })
})

describe('the session of a hook call', () => {
  it('is determined by its token, whatever the body says', async () => {
    const token = await tokenOf('ses_a')
    expect(await call({ ...tool('t1'), session: 'ses_b' }, token)).toEqual({ status: 200, pane: 'ses_a' })
    expect(delivered).toMatchObject([
      { session: 'ses_a', report: { channel: 'hook', statement: { kind: 'tool', key: 't1' } } },
    ])
  })

  it('is found only by the token if the call has one; an unknown token is refused', async () => {
    await tokenOf('ses_a')
    await expect(call({ ...tool('t1'), session: 'ses_a' })).rejects.toMatchObject({ code: 'E_LOGIN' })
    await expect(call(tool('t1'), 'wrong')).rejects.toMatchObject({ code: 'E_LOGIN' })
    expect(delivered).toEqual([])
  })

  it('is found without a token by name, agent id, or the only match of the directory', async () => {
    expect(await call({ ...tool('t1'), session: 'ses_a' })).toMatchObject({ pane: 'ses_a' })
    expect(await call({ event: 'PreToolUse', data: { ...tool('t2').data, session_id: 'uuid-b' } })).toMatchObject({
      pane: 'ses_b',
    })
    expect(await call({ ...tool('t3'), cwd: '/q' })).toMatchObject({ pane: 'ses_b' })
    running.push(session('ses_c', { cwd: '/q' }))
    expect(await call({ ...tool('t4'), cwd: '/q' })).toEqual({ status: 202, pane: null })
  })

  it('may start later: the call waits for it at most 30 s', async () => {
    const early = { event: 'PreToolUse', data: { ...tool('t1').data, session_id: 'uuid-new' } }
    expect(await call(early)).toEqual({ status: 202, pane: null })
    clock.advance(29_000)
    inbox.assign(session('ses_new', { agentSessionId: 'uuid-new' }))
    expect(delivered.map(({ session: to }) => to)).toEqual(['ses_new'])
    await call({ ...early, data: { ...early.data, tool_use_id: 't2', session_id: 'uuid-late' } })
    clock.advance(31_000)
    inbox.assign(session('ses_other', { agentSessionId: 'uuid-other' }))
    inbox.assign(session('ses_late', { agentSessionId: 'uuid-late' }))
    expect(delivered).toHaveLength(1)
  })

  it('revokes its token when it ends; another host knows the token from the directory', async () => {
    const token = await tokenOf('ses_a')
    const later = new HookTokens()
    later.learn('ses_a', settings())
    expect(later.sessionOf(token)).toBe('ses_a')
    later.forget('ses_a')
    expect(later.sessionOf(token)).toBeNull()
    unwireHooks('ses_a', settings())
    later.learn('ses_a', settings())
    expect(later.has('ses_a')).toBe(false)
  })
})

describe('a hook call', () => {
  it('is delivered once: repeated ids or tool uses are ignored for ten minutes', async () => {
    const token = await tokenOf('ses_a')
    for (let count = 0; count < 3; count++) await call({ id: 'x', event: 'Stop', data: { outcome: 'done' } }, token)
    for (let count = 0; count < 3; count++) await call({ id: `y${count}`, ...tool('t1') }, token)
    await call(tool('t1', 'PostToolUse'), token)
    expect(delivered).toHaveLength(3)
    clock.advance(600_001)
    await call({ id: 'x', event: 'Stop', data: { outcome: 'done' } }, token)
    expect(delivered).toHaveLength(4)
  })

  it('is counted and changes nothing if its source or event is unknown', async () => {
    expect(await call(tool('t1'), null, 'nobody')).toMatchObject({ status: 202 })
    expect(await call({ event: 'Unheard', session: 'ses_a', data: {} })).toMatchObject({ status: 202 })
    expect(inbox.counters).toEqual({ unknown: 2 })
    expect(delivered).toEqual([])
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['no event', { data: {} }],
    ['data that is not an object', { event: 'Stop', data: 'x' }],
    ['a payload without its tool', { event: 'PreToolUse', data: {} }],
  ])('is refused and recorded once a second if it is malformed (%s)', async (_, body) => {
    const token = await tokenOf('ses_a')
    await expect(call(body, token)).rejects.toMatchObject({ code: 'E_INPUT' })
    await expect(call(body, token)).rejects.toMatchObject({ code: 'E_INPUT' })
    expect(malformed).toMatchObject([{ source: 'demo', session: 'ses_a' }])
    expect(delivered).toEqual([])
  })

  it('is dropped beyond 20 a second, unless it must not be lost', async () => {
    const token = await tokenOf('ses_a')
    for (let count = 0; count < 30; count++) await call(tool(`t${count}`), token)
    expect(delivered).toHaveLength(20)
    expect(await call({ event: 'Stop', data: { outcome: 'done' } }, token)).toMatchObject({ status: 200 })
    expect(await call(request('r1'), token)).toMatchObject({ status: 200 })
    expect(delivered).toHaveLength(22)
    clock.advance(1_000)
    await call(tool('later'), token)
    expect(delivered).toHaveLength(23)
    expect(inbox.counters.dropped).toBe(10)
  })
})

describe('a held request', () => {
  it('is delivered while it can be answered, also to a relay that reconnects', async () => {
    const token = await tokenOf('ses_a')
    const gone = new AbortController()
    const first = await call(request('r1'), token, 'demo', gone.signal)
    const id = delivered[0]!.report.id
    expect(held.isHeld(id)).toBe(true)
    gone.abort()
    expect(await first.answer).toBeNull()
    expect(held.isHeld(id)).toBe(false)
    const second = await call(request('r1'), token)
    expect(delivered.map(({ report }) => report.id)).toEqual([id, id])
    expect(held.answer(id, '{"yes":true}')).toBe(true)
    expect(await second.answer).toBe('{"yes":true}')
    expect(held.answer(id, 'again')).toBe(false)
  })

  it('is only a report without --hold, or if 200 others wait', async () => {
    const token = await tokenOf('ses_a')
    expect((await call({ ...request('r1'), hold: false }, token)).answer).toBeUndefined()
    for (let count = 0; count < 200; count++) held.hold(`other${count}`, open)
    expect((await call(request('r2'), token)).answer).toBeUndefined()
    expect(delivered).toHaveLength(2)
    expect(inbox.counters['not-held']).toBe(1)
  })
})

describe('wireHooks', () => {
  it('configures nothing if hooks are off, for all or for this agent; `never` holds no hook', async () => {
    const demo = await loadAgent('demo')
    expect(wireHooks('ses_x', demo, settings({ isEnabled: false }))).toBeNull()
    expect(wireHooks('ses_x', demo, settings({ offFor: ['demo'] }))).toBeNull()
    expect(wireHooks('ses_x', demo, settings({ hold: 'never' }))!.wiring.mayHold).toBe(false)
    expect(wireHooks('ses_x', demo, settings())!.wiring).toMatchObject({
      mayHold: true,
      directory: join(directory, 'sessions', 'ses_x'),
    })
  })
})

describe('a hook of a foreign agent', () => {
  let panes: Map<string, AgentReport[]>
  const ofPane = (id: string, pane = '%3') => ({ ...tool(id), tmuxPane: pane, cwd: '/p' })

  beforeEach(() => {
    panes = new Map()
    inbox = new HookInbox({
      clock,
      tokens,
      held,
      sessions: async () => running,
      deliver: (to, report) => delivered.push({ session: to, report }),
      foreign: ({ tmuxPane }) => {
        const reports = panes.get(tmuxPane ?? '')
        return reports ? { id: `pan_${tmuxPane}`, receive: report => reports.push(report) } : null
      },
      onMalformed: about => malformed.push(about),
    })
  })

  it('waits for its pane, and is delivered once when that appears, in order and with its own time', async () => {
    expect(await call(ofPane('t1'))).toEqual({ status: 202, pane: null })
    clock.advance(2_000)
    await call(ofPane('t2'))
    inbox.assignPanes()
    const reports: AgentReport[] = []
    panes.set('%3', reports)
    inbox.assignPanes()
    inbox.assignPanes()
    expect(reports.map(({ at, statement }) => [at, 'key' in statement && statement.key])).toEqual([
      [1_000_000, 't1'],
      [1_002_000, 't2'],
    ])
    // Repeated by a relay that did not learn that it had arrived: a duplicate.
    await call(ofPane('t1'))
    expect(reports).toHaveLength(2)
  })

  it('is not assigned to one of our sessions in the same directory', async () => {
    await tokenOf('ses_a')
    expect(await call(ofPane('t1'))).toEqual({ status: 202, pane: null })
    expect(delivered).toEqual([])
  })

  it('is dropped after half a minute, or if a hundred newer ones wait', async () => {
    const reports: AgentReport[] = []
    await call(ofPane('old'))
    clock.advance(30_000)
    panes.set('%3', reports)
    inbox.assignPanes()
    expect(reports).toEqual([])
    panes.delete('%3')
    for (let index = 0; index <= 100; index++) await call({ ...ofPane(`n${index}`), event: 'Stop' })
    panes.set('%3', reports)
    inbox.assignPanes()
    expect(reports.length).toBe(100)
  })
})
