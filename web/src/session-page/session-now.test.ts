import { describe, expect, it } from 'vitest'
import type { Approval, Pane, Session } from '../api/types'
import { sessionNow } from './session-now'

const STARTED = '2026-03-01T10:00:00.000Z'
const LATER = '2026-03-01T10:05:00.000Z'
const session = (more: Partial<Session>) =>
  ({ id: 'ses_1', agent: 'claude', args: [], cwd: '/w', startedAt: STARTED, state: 'live', ...more }) as Session
const pane = (more: Partial<Pane>) => ({ doing: '', shown: 'running', since: LATER, ...more }) as Pane
const request = (id: string, command: string) =>
  ({
    id,
    kind: 'permission',
    requestedAt: LATER,
    subject: { agent: 'claude', project: '/w', cwd: '/w' },
    request: { tool: 'Bash', input: { command } },
    display: { title: '' },
  }) as unknown as Approval

describe('what a session does now', () => {
  it('is its oldest request, and how many more wait', () => {
    const pending = [request('apr_1', 'ls'), request('apr_2', 'pwd')]
    const now = sessionNow(session({ busy: true }), pane({ doing: 'thinking' }), pending)
    expect(now).toEqual({ text: 'Claude wants to run a command, and 1 more', since: LATER })
  })

  it('is what the agent works on', () => {
    expect(sessionNow(session({ busy: true }), pane({ doing: 'Running the tests' }), []).text).toBe('Running the tests')
    expect(sessionNow(session({ busy: true }), pane({}), []).text).toBe('The agent is working')
  })

  it('is the end of the last turn, or readiness', () => {
    const idle = session({ idle: true, activeAt: LATER })
    expect(sessionNow(idle, pane({ shown: 'done' }), [])).toEqual({ text: 'Finished', since: LATER })
    expect(sessionNow(idle, pane({ shown: 'idle' }), []).text).toBe('Ready for the next prompt')
    expect(sessionNow(session({ idle: true }), pane({ shown: 'idle' }), []).text).toBe('Ready for the first prompt')
  })

  it('is how it ended, with the exit code of a failure', () => {
    const end = (more: Partial<Session>) =>
      sessionNow(session({ state: 'ended', endedAt: LATER, ...more }), undefined, [])
    expect(end({ exit: { code: 3, signal: null } })).toEqual({ text: 'The agent exited with code 3', since: LATER })
    expect(end({ exit: { code: null, signal: 'SIGKILL' } }).text).toBe('The agent was ended by SIGKILL')
    expect(end({ exit: { code: 143, signal: null }, endReason: 'stopped' }).text).toBe('The session was stopped')
    expect(end({ exit: { code: 0, signal: null } }).text).toBe('The session ended')
    expect(end({ agent: 'generic', exit: { code: 1, signal: null } }).text).toBe('The program exited with code 1')
  })
})
