import { describe, expect, test } from 'vitest'
import { type EventData, type EventType, newEvent } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { type SessionRecord, sessionStream, sessionsProjection } from './session-record.js'

const STARTED: EventData<'session.started'> = {
  agent: 'demo',
  project: '/p',
  cwd: '/p/x',
  args: ['--fast'],
  pid: 4711,
  size: { cols: 120, rows: 40 },
  person: 'local',
  number: 1,
  recording: '/r/a.cast',
  owner: 'daemon',
}

function fold(...events: { [T in EventType]: [type: T, data: EventData<T>] }[EventType][]): SessionRecord | null {
  return events.reduce<SessionRecord | null>((record, [type, data], index) => {
    const stored: StoredEvent = {
      ...newEvent(type, data as never),
      at: 1000 + index,
      position: index + 1,
      version: index + 1,
      stream: sessionStream('ses_1'),
    }
    return sessionsProjection.evolve(record, stored)
  }, null)
}

describe('the record of a session', () => {
  test('starts with the start event', () => {
    expect(fold(['session.started', STARTED])).toEqual({
      ...STARTED,
      id: 'ses_1',
      startedAt: 1000,
      state: 'starting',
      version: 1,
    })
  })

  test('keeps the agent’s stats when it has ended', () => {
    const stats: EventData<'session.stats-final'> = {
      model: 'large',
      context: { used: 134_050, window: 200_000 },
      contextLeftPercent: null,
      spent: { input: 131_400, output: 2_650, costUsd: 0.43 },
      subAgents: [],
    }
    const ended: EventData<'session.ended'> = { exit: { code: 0, signal: null }, reason: 'stopped' }
    const record = fold(['session.started', STARTED], ['session.ended', ended], ['session.stats-final', stats])
    expect(record).toMatchObject({ state: 'ended', stats })
  })

  test('has only fields for what is known of the agent', () => {
    const record = fold([
      'session.started',
      { ...STARTED, agentSessionId: 'abc', label: 'tests', resumedFrom: 'ses_0' },
    ])
    expect(record).toMatchObject({ agentSessionId: 'abc', label: 'tests', resumedFrom: 'ses_0' })
    expect(record).not.toHaveProperty('agentVersion')
  })

  test('is live when ready, ended with its exit, lost without one', () => {
    expect(fold(['session.started', STARTED], ['session.ready', {}])).toMatchObject({ state: 'live', version: 2 })
    const exit = { code: 137, signal: null }
    expect(
      fold(['session.started', STARTED], ['session.ready', {}], ['session.ended', { exit, reason: 'crashed' }]),
    ).toMatchObject({ state: 'ended', endedAt: 1002, exit, endReason: 'crashed' })
    expect(fold(['session.started', STARTED], ['session.lost', { reason: 'its terminal is gone' }])).toMatchObject({
      state: 'lost',
      endedAt: 1001,
    })
  })

  test('of an ended session does not become live or lost', () => {
    const ended = ['session.ended', { exit: { code: 0, signal: null }, reason: 'exited' }] as const
    const started = ['session.started', STARTED] as const
    expect(fold([...started], [...ended], ['session.ready', {}])).toMatchObject({ state: 'ended' })
    expect(fold([...started], [...ended], ['session.lost', { reason: 'x' }])).toMatchObject({
      state: 'ended',
      endReason: 'exited',
      endedAt: 1001,
    })
    expect(fold([...started], ['session.lost', { reason: 'x' }], ['session.ready', {}])).toMatchObject({
      state: 'lost',
    })
  })

  test('can be renamed and unnamed', () => {
    expect(fold(['session.started', STARTED], ['session.renamed', { label: 'new', person: 'local' }])).toMatchObject({
      label: 'new',
    })
    expect(
      fold(['session.started', { ...STARTED, label: 'old' }], ['session.renamed', { label: null, person: 'local' }]),
    ).not.toHaveProperty('label')
  })

  test('is titled by its first prompt, and has the last one', () => {
    const turn = (prompt?: string) =>
      ['turn.opened', { session: 's', turn: 't', ...(prompt !== undefined && { prompt }) }] as const
    const started = ['session.started', STARTED] as const
    expect(fold([...started], [...turn('/context')])).not.toHaveProperty('title')
    const long = 'please fix the failing checkout test, and then have a look at the rounding of discounts'
    expect(fold([...started], [...turn()], [...turn(`\n${long}`)], [...turn('Now commit it.')])).toMatchObject({
      title: 'Fix the failing checkout test, and then have a look at the…',
      lastPrompt: 'Now commit it.',
    })
  })

  test('does not exist without a start event', () => {
    expect(fold(['session.ready', {}])).toBeNull()
    const misfit = fold(['session.started', STARTED], ['session.ended', { exit: 'gone' } as never])
    expect(misfit).toMatchObject({ state: 'starting', version: 2 })
  })
})
