import { describe, expect, test } from 'vitest'
import {
  nodeWord,
  type PaneFacts,
  paneState,
  runWord,
  type SessionFacts,
  sessionState,
  stateWord,
} from './status-word.js'

const live = (more: Partial<SessionFacts> = {}): SessionFacts => ({ state: 'live', agent: 'demo', ...more })
const pane = (more: Partial<PaneFacts> = {}): PaneFacts => {
  const { status = 'idle' } = more
  return { status, shown: status, stuck: null, isRecent: false, why: { claim: 'idle' }, ...more }
}

describe('the state of a session', () => {
  test('of a program other than an agent is that of its pane, or working if it has none', () => {
    const top = live({ agent: 'generic', busy: null, idle: false })
    expect(sessionState(top)).toBe('working')
    expect(sessionState(top, pane({ status: 'running' }))).toBe('working')
    expect(sessionState(top, pane({ status: 'waiting-approval' }))).toBe('needsYou')
    expect(sessionState({ ...top, idle: true }, pane({ status: 'running' }))).toBe('working')
    expect(sessionState({ ...top, idle: true })).toBe('idle')
  })

  test('says how a session ended', () => {
    const ended = (exit: SessionFacts['exit'], endReason?: string) =>
      sessionState(live({ state: 'ended', exit, endReason }))
    expect(ended({ code: 0, signal: null })).toBe('done')
    expect(ended({ code: 3, signal: null })).toBe('failed')
    expect(ended({ code: null, signal: 'SIGKILL' })).toBe('stopped')
    expect(ended({ code: 1, signal: null }, 'stopped')).toBe('stopped')
    expect(sessionState(live({ state: 'lost' }))).toBe('lost')
  })

  test('puts what needs the person before what the agent does', () => {
    expect(sessionState(live({ awaiting: 'approval', busy: true }))).toBe('needsYou')
    expect(sessionState(live({ paused: {}, busy: true }))).toBe('working')
    expect(sessionState(live({ paused: {}, idle: true }))).toBe('paused')
    expect(sessionState(live({ idle: true }), pane({ status: 'done' }))).toBe('done')
    expect(sessionState(live({}))).toBe('unknown')
  })
})

test('a pane of which nothing is known is unknown, one without progress is stuck', () => {
  expect(paneState(pane({ why: { claim: null } }))).toBe('unknown')
  expect(paneState(pane({ status: 'long-running' }))).toBe('working')
  expect(paneState(pane({ status: 'running', stuck: 'no-progress' }))).toBe('stuck')
})

test('sessions, panes and runs that do the same have the same word', () => {
  expect([stateWord(paneState(pane({ status: 'running' }))), runWord({ status: 'running' })]).toEqual([
    'working',
    'working',
  ])
  expect([stateWord('needsYou'), runWord({ status: 'waiting' })]).toEqual(['needs you', 'needs you'])
  expect([stateWord('done'), runWord({ status: 'completed' }), nodeWord('success')]).toEqual(['done', 'done', 'done'])
})

test('a run whose driver died is interrupted, not stopped as a session that a person ended', () => {
  expect(runWord({ status: 'running', isUndriven: true })).toBe('interrupted')
  expect(runWord({ status: 'running', isUndriven: true })).toBe(nodeWord('interrupted'))
  expect(runWord({ status: 'paused' })).toBe(nodeWord('paused'))
})
