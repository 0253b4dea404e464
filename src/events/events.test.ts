import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { StoredEvent } from '../store/index.js'
import { defineEvents, EVENT_GROUPS, type EventOf, isEvent, newEvent, parseEvent, validateEvent } from './index.js'

function stored(type: string, data: Record<string, unknown>): StoredEvent {
  return { position: 7, stream: 'session/ses_1', version: 2, type, at: 1000, data }
}

const STARTED = {
  agent: 'claude',
  project: '/p',
  cwd: '/p/src',
  args: ['--verbose'],
  pid: 42,
  size: { cols: 80, rows: 24 },
  person: 'me',
  number: 1,
  recording: '/r/1.rec',
  owner: 'daemon',
}

const ACTOR = { kind: 'person', id: 'me', name: 'Me', role: 'owner' } as const

describe('reading events', () => {
  it('gives a known event its type', () => {
    const reading = parseEvent(stored('session.started', STARTED))
    expect(reading.status).toBe('known')
    if (reading.status !== 'known' || reading.event.type !== 'session.started') throw new Error('not narrowed')
    expectTypeOf(reading.event.data.size.cols).toEqualTypeOf<number>()
    expect(reading.event.data.size.cols).toBe(80)
  })

  it('returns an event type of a newer version unchanged', () => {
    const event = stored('session.teleported', { where: 'moon' })
    expect(parseEvent(event)).toEqual({ status: 'unknown', event })
  })

  it.each(['constructor', '__proto__', 'toString', ''])('reads %j as an unknown type, not as a property', type => {
    expect(parseEvent(stored(type, {})).status).toBe('unknown')
  })

  it('keeps fields that a newer version added', () => {
    const event = stored('session.lost', { reason: 'reboot', shade: 'blue' })
    expect(parseEvent(event)).toEqual({ status: 'known', event })
  })

  it('reports the problem of a field instead of throwing', () => {
    const reading = parseEvent(stored('session.started', { ...STARTED, size: { cols: 'wide', rows: 24 } }))
    expect(reading).toMatchObject({ status: 'misfit', problem: expect.stringContaining('size.cols') })
  })

  it('narrows the type for projections', () => {
    const event = stored('turn.closed', { session: 's', turn: 't', outcome: 'done' })
    expect(isEvent(event, 'turn.closed')).toBe(true)
    expect(isEvent(event, 'turn.opened')).toBe(false)
    expect(isEvent(stored('turn.closed', {}), 'turn.closed')).toBe(false)
    expectTypeOf<EventOf<'turn.closed'>['data']['outcome']>().toEqualTypeOf<string>()
  })
})

describe('writing events', () => {
  it('accepts events that fit the catalogue', () => {
    const events = [
      newEvent('session.started', STARTED),
      newEvent('session.ended', { exit: { code: null, signal: 'SIGKILL' }, reason: 'stopped' }),
      newEvent('session.ended', { exit: null, reason: 'lost sight' }),
      newEvent('approval.refused', { actor: ACTOR, surface: 'cli', code: 'E_ROLE', reason: 'an agent asked' }),
      newEvent('host.started', { pid: 1, version: '0.1.0' }, 5),
    ]
    for (const { type, data } of events) expect(() => validateEvent(type, data)).not.toThrow()
    expect(events.at(-1)?.at).toBe(5)
  })

  it('refuses unknown types and data that do not fit, naming the field', () => {
    expect(() => validateEvent('session.teleported', {})).toThrow(expect.objectContaining({ code: 'E_EVENT' }))
    expect(() => validateEvent('host.started', { pid: 0, version: '1' })).toThrow(/host\.started.*pid/)
  })

  it('accepts a complete approval request as the ledger records it', () => {
    const hash = 'a'.repeat(64)
    const request = newEvent('approval.requested', {
      kind: 'permission',
      subject: { agent: 'claude', session: 'ses_1', project: '/p', cwd: '/p', hostName: 'box' },
      request: {
        tool: 'Bash',
        input: { command: 'npm test' },
        text: null,
        questions: [],
        options: [{ key: '1', label: 'Yes', meaning: 'allow-once', from: 'agent', danger: null }],
        freeText: 'none',
      },
      source: { channel: 'hook', requestKey: 'toolu_1', evidence: [] },
      fingerprint: hash,
      instance: 'toolu_1',
      risk: { level: 'low', reasons: [] },
      display: { title: 'Run npm test', blocks: [{ kind: 'code' }], findings: [], hash },
      deadline: { at: 5, owner: 'agent', onExpiry: 'nothing' },
    })
    expect(() => validateEvent(request.type, request.data)).not.toThrow()
    expect(() => validateEvent(request.type, { ...request.data, fingerprint: 'short' })).toThrow(/fingerprint/)
  })
})

describe('the catalogue of events', () => {
  it('lists every type once, with at least one sentence in one line', () => {
    const types = EVENT_GROUPS.flatMap(({ types }) => Object.entries(types))
    expect(new Set(types.map(([type]) => type)).size).toBe(types.length)
    for (const [type, { description }] of types) expect(description, type).toMatch(/^[A-Z].*\.$/)
  })

  it('refuses names and descriptions that the reference could not print', () => {
    const data = z.object({})
    expect(() => defineEvents({ Oops: { description: 'x', data } })).toThrow(/Oops/)
    expect(() => defineEvents({ 'a.b': { description: 'two\nlines', data } })).toThrow(/one line/)
  })
})
