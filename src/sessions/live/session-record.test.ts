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

  test('has only fields that are known of the agent', () => {
    const record = fold([
      'session.started',
      { ...STARTED, agentSessionId: 'abc', label: 'tests', resumedFrom: 'ses_0' },
    ])
    expect(record).toMatchObject({ agentSessionId: 'abc', label: 'tests', resumedFrom: 'ses_0' })
    expect(record).not.toHaveProperty('agentVersion')
  })

  test('is live when ready, ended with its exit, and lost without one', () => {
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

  test('does not become live or lost after the session has ended', () => {
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

  test('has the known details of where and how the session runs', () => {
    const agentVariables = { HOME: '/h' }
    const known = { agentVersion: '2.0', agentVariables, worker: 'w1', channel: 'acp' } as const
    expect(fold(['session.started', { ...STARTED, ...known }])).toMatchObject(known)
    const keys = Object.keys(fold(['session.started', STARTED])!)
    for (const key of ['agentSessionId', 'label', 'resumedFrom', ...Object.keys(known)]) expect(keys).not.toContain(key)
  })

  test('follows the agent’s usage, its budget and its pauses', () => {
    const started = ['session.started', STARTED] as const
    const spent = { model: 'large', days: { '2026-11-17': { input: 1, output: 2, costUsd: 0.5 } } } as never
    expect(fold([...started], ['session.spent', spent])).toMatchObject({ spent })
    expect(fold([...started], ['session.budget-set', { usd: 5, tokens: null, person: 'local' }])?.budget).toEqual({
      usd: 5,
      tokens: null,
    })
    const paused = ['session.paused', { limit: 'session-usd', of: 5, used: 5.1 }] as const
    expect(fold([...started], [...paused])?.paused).toEqual({ limit: 'session-usd', of: 5, used: 5.1, since: 1001 })
    expect(fold([...started], [...paused], ['session.unpaused', {}])).not.toHaveProperty('paused')
  })

  test('records the agent’s id, the owner’s choice, a resumption and a removal', () => {
    const started = ['session.started', { ...STARTED, agentVersion: '1.0' }] as const
    const identified = { agentSessionId: 'abc', source: 'hook' }
    expect(fold([...started], ['session.identified', identified])).toMatchObject({
      agentSessionId: 'abc',
      agentVersion: '1.0',
    })
    expect(fold([...started], ['session.identified', { ...identified, agentVersion: '1.1' }])).toMatchObject({
      agentVersion: '1.1',
    })
    const chosen = (person: string) => ['session.chosen', { person, surface: 'telegram' }] as const
    expect(fold([...started], [...chosen('local')])?.chosen).toEqual({ telegram: 1001 })
    expect(fold([...started], [...chosen('eve')])).not.toHaveProperty('chosen')
    expect(fold([...started], ['session.resumed', { by: 'ses_2' }])).toMatchObject({ resumedBy: 'ses_2' })
    expect(fold([...started], ['session.forgotten', { keptDays: 30 }])).toBeNull()
  })

  test('lists what its agent does without asking, until the agent asks again', () => {
    const started = ['session.started', STARTED] as const
    const allows = (label: string) =>
      ['session.allowance-made', { session: 'ses_1', tool: 'Bash', label, approval: `apr_${label}` }] as const
    const labels = (record: SessionRecord | null) => record?.allows?.map(({ label, since }) => [label, since])
    const two = (): Parameters<typeof fold> => [[...started], [...allows('npm')], [...allows('git')]]
    expect(labels(fold(...two()))).toEqual([
      ['npm', 1001],
      ['git', 1002],
    ])
    expect(labels(fold(...two(), [...allows('npm')]))).toEqual([
      ['git', 1002],
      ['npm', 1003],
    ])
    expect(labels(fold(...two(), ['session.allowance-ended', { session: 'ses_1', label: 'npm' }]))).toEqual([
      ['git', 1002],
    ])
  })

  test('has the parts of its recording in order, and the times of its last turn', () => {
    const started = ['session.started', STARTED] as const
    const part = (from: number) => ['recording.saved', { session: 'ses_1', from, bytes: 10, blob: `b${from}` }] as const
    expect(fold([...started], [...part(0)], [...part(10)])?.saved).toEqual([
      { from: 0, bytes: 10, blob: 'b0' },
      { from: 10, bytes: 10, blob: 'b10' },
    ])
    const opened = ['turn.opened', { session: 'ses_1', turn: 't' }] as const
    expect(fold([...started], [...opened])).toMatchObject({ activeAt: 1001 })
    const closed = ['turn.closed', { session: 'ses_1', turn: 't', outcome: 'done' }] as const
    expect(fold([...started], [...opened], [...closed])).toMatchObject({ activeAt: 1002 })
  })

  test.each([
    ['Fix it.', 'Fix it'],
    ['hello', undefined],
    ['hello world', 'Hello world'],
    ['  \n---\nhey, could you add a lamp;\nand a bell', 'Could you add a lamp'],
    ['Can you please add a lamp?', 'Add a lamp?'],
    [`${'word '.repeat(11)}words`, `W${'word '.repeat(11).slice(1)}words`],
    [`${'word '.repeat(12)}end`, `W${'word '.repeat(12).slice(1).trimEnd()}…`],
    ['!ls -l', undefined],
    ['#note this', undefined],
    ['!', undefined],
  ])('is titled by the prompt %j: %j', (prompt, title) => {
    const turn = ['turn.prompted', { session: 'ses_1', turn: 't', prompt }] as const
    const record = fold(['session.started', STARTED], [...turn])
    expect([record?.title, record?.lastPrompt]).toEqual([title, prompt.trim()])
  })

  test('keeps 400 characters of a prompt, and the last prompt with words', () => {
    const turn = (prompt: string) => ['turn.prompted', { session: 'ses_1', turn: 't', prompt }] as const
    const started = ['session.started', STARTED] as const
    expect(fold([...started], [...turn('x'.repeat(500))])?.lastPrompt).toHaveLength(400)
    expect(fold([...started], [...turn('one')], [...turn('  ')])?.lastPrompt).toBe('one')
  })

  test('is missing without a start event', () => {
    expect(fold(['session.ready', {}])).toBeNull()
    const misfit = fold(['session.started', STARTED], ['session.ended', { exit: 'gone' } as never])
    expect(misfit).toMatchObject({ state: 'starting', version: 2 })
  })
})
