import { describe, expect, it } from 'vitest'
import type { AgentReport, AgentStatement } from '../../agents/index.js'
import type { StatusRecord } from '../../terminal/index.js'
import { type AgentStats, NO_AGENT_STATS, reduceAgentStats, subAgentsOf } from './agent-stats.js'

let count = 0
const report = (statement: AgentStatement, at = 1_000): AgentReport => ({
  id: `r${++count}`,
  channel: 'transcript',
  at,
  statement,
})
const reduce = (...statements: AgentStatement[]): AgentStats =>
  statements.reduce(
    (stats, statement, index) => reduceAgentStats(stats, report(statement, 1_000 + index)),
    NO_AGENT_STATS,
  )
const record = (id: string, more: Partial<StatusRecord> = {}): StatusRecord => ({
  id,
  state: 'working',
  kind: null,
  app: null,
  msg: null,
  title: null,
  progress: null,
  t: 0,
  ...more,
})

describe('context and usage of an agent', () => {
  it('usage is also summed per day', () => {
    const day = 24 * 3_600_000
    const usage = { kind: 'usage', input: 10, output: 1, costUsd: 0.5 } as const
    const stats = [0, 1, day].reduce((known, at) => reduceAgentStats(known, report(usage, at)), NO_AGENT_STATS)
    expect(stats.days).toEqual({
      '1970-01-01': { input: 20, output: 2, costUsd: 1 },
      '1970-01-02': { input: 10, output: 1, costUsd: 0.5 },
    })
  })

  it('context is the last request and answer; the window is remembered; usage is summed', () => {
    const stats = reduce(
      { kind: 'usage', input: 10_000, output: 500, contextWindow: 200_000, costUsd: 0.1, model: 'm' },
      { kind: 'usage', input: 12_000, output: 700 },
    )
    expect(stats).toMatchObject({
      model: 'm',
      context: { used: 12_700, window: 200_000 },
      spent: { input: 22_000, output: 1_200, costUsd: 0.1 },
    })
  })

  it('usage of a sub-agent counts as spent, but not towards the main context', () => {
    const stats = reduce(
      { kind: 'usage', input: 5_000, output: 100 },
      { kind: 'usage', input: 90_000, output: 900, subAgent: 'a1' },
    )
    expect(stats.context).toEqual({ used: 5_100, window: null })
    expect(stats.spent).toEqual({ input: 95_000, output: 1_000, costUsd: null })
    expect(stats.subAgents).toMatchObject([{ id: 'a1', tokens: 90_900 }])
  })

  it('an agent that reports nothing has no context and no usage', () => {
    expect(reduce({ kind: 'working' }, { kind: 'said', id: '1', markdown: 'x' })).toBe(NO_AGENT_STATS)
  })
})

describe('sub-agents of an agent', () => {
  it('have a name, a task, an activity and an end', () => {
    const stats = reduce(
      { kind: 'working', subAgent: 'a1', name: 'reviewer' },
      { kind: 'prompt', subAgent: 'a1', text: 'Look at the cart\nand say more' },
      { kind: 'tool', subAgent: 'a1', state: 'started', key: 't', tool: 'Read', input: { path: 'src/cart.js' } },
      { kind: 'request', subAgent: 'a2', key: null, tool: 'Shell', input: {} },
    )
    expect(stats.subAgents).toMatchObject([
      { id: 'a1', name: 'reviewer', task: 'Look at the cart', state: 'working', doing: 'Read src/cart.js', tools: 1 },
      { id: 'a2', state: 'blocked' },
    ])
    const later = [
      report({ kind: 'turn-ended', subAgent: 'a1', outcome: 'done' }, 9_000),
      report({ kind: 'turn-ended', subAgent: 'a2', outcome: 'failed' }, 9_500),
    ].reduce(reduceAgentStats, stats)
    expect(later.subAgents).toMatchObject([
      { state: 'done', doing: null, since: 1_000, endedAt: 9_000 },
      { state: 'failed', endedAt: 9_500 },
    ])
  })

  it('have the parent that the record path names', () => {
    const shown = subAgentsOf(NO_AGENT_STATS, [
      record(''),
      record('agent/1', { title: 'Harbour', msg: 'Check 77 signals' }),
      record('agent/1/1', { title: 'Sight lines', state: 'done' }),
      record('agent/2', { state: 'blocked' }),
    ])
    expect(shown).toMatchObject([
      { id: 'agent/1', parent: null, name: 'Harbour', task: 'Check 77 signals', state: 'working' },
      { id: 'agent/1/1', parent: 'agent/1', state: 'done' },
      { id: 'agent/2', parent: null, state: 'blocked' },
    ])
  })

  it('are listed once if the agent reports them in two ways', () => {
    const stats = reduce({ kind: 'working', subAgent: 'a1' })
    const shown = subAgentsOf(stats, [record('task/a1', { title: 'reviewer' }), record('task/unheard')])
    expect(shown).toMatchObject([{ id: 'a1', name: 'reviewer' }])
    expect(shown).toHaveLength(1)
  })

  it('are limited to the newest 64', () => {
    const many = Array.from({ length: 100 }, (_, index): AgentStatement => ({ kind: 'working', subAgent: `a${index}` }))
    const { subAgents } = reduce(...many)
    expect(subAgents).toHaveLength(64)
    expect(subAgents.at(-1)?.id).toBe('a99')
  })
})
