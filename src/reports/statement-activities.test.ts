import { expect, test } from 'vitest'
import { StatementActivities } from './statement-activities.js'

test('a call is reported when it starts and when it ends, once each', () => {
  const activities = new StatementActivities()
  const call = { kind: 'tool', key: 'a', tool: 'Bash', input: { command: 'ls' } } as const
  expect(activities.addStatement({ ...call, state: 'started' })).toEqual([
    { type: 'tool_call', callId: 'a', tool: 'Bash', kind: 'shell', input: { command: 'ls' } },
  ])
  expect(activities.addStatement({ ...call, state: 'done', output: 'x' })).toEqual([
    { type: 'tool_result', callId: 'a', ok: true, output: 'x' },
  ])
})

test('a call that is recorded only after its end is reported completely, and a denial is marked', () => {
  const activities = new StatementActivities()
  const told = activities.addStatement({ kind: 'tool', state: 'denied', key: 'a', tool: 'Write', input: {} })
  expect(told).toMatchObject([
    { type: 'tool_call', callId: 'a' },
    { type: 'tool_result', callId: 'a', ok: false, output: 'it was not allowed' },
  ])
})

test('calls without an id are matched by tool, oldest first', () => {
  const activities = new StatementActivities()
  const tell = (tool: string, state: 'started' | 'done') =>
    activities
      .addStatement({ kind: 'tool', state, key: null, tool, input: {} })
      .map(body => 'callId' in body && body.callId)
  expect([tell('a', 'started'), tell('b', 'started'), tell('a', 'started')]).toEqual([
    ['call-1'],
    ['call-2'],
    ['call-3'],
  ])
  expect([tell('b', 'done'), tell('a', 'done'), tell('a', 'done')]).toEqual([['call-2'], ['call-1'], ['call-3']])
  expect(tell('a', 'done')).toEqual(['call-4', 'call-4'])
})

test('usage is reported as a sum, with its model', () => {
  const activities = new StatementActivities()
  const spent = { kind: 'usage', input: 10, output: 1, cacheRead: 4, model: 'm' } as const
  activities.addStatement(spent)
  expect(activities.addStatement({ ...spent, costUsd: 0.5 })).toEqual([
    { type: 'usage', scope: 'run', input: 20, output: 2, cacheRead: 8, costUsd: 0.5, model: 'm' },
  ])
})

test('text and tools of a sub-agent carry its name and are not the answer', () => {
  const activities = new StatementActivities()
  activities.addStatement({ kind: 'said', id: '1', markdown: 'mine' })
  expect(activities.addStatement({ kind: 'said', id: '2', markdown: 'its', subAgent: 'h' })).toMatchObject([
    { parent: 'h' },
  ])
  expect(activities.addStatement({ kind: 'session', agentSession: 's', subAgent: 'h' })).toEqual([])
  expect(activities.said).toBe('mine')
})
