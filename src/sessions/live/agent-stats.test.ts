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
const hear = (...statements: AgentStatement[]): AgentStats =>
  statements.reduce(
    (crew, statement, index) => reduceAgentStats(crew, report(statement, 1_000 + index)),
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

describe('context and use', () => {
  it('context is what was last sent and answered, the window stays known, all of it is added up', () => {
    const crew = hear(
      { is: 'usage', input: 10_000, output: 500, contextWindow: 200_000, costUsd: 0.1, model: 'm' },
      { is: 'usage', input: 12_000, output: 700 },
    )
    expect(crew).toMatchObject({
      model: 'm',
      context: { used: 12_700, window: 200_000 },
      spent: { input: 22_000, output: 1_200, costUsd: 0.1 },
    })
  })

  it('what a helper uses is spent, and fills no context but its own', () => {
    const crew = hear(
      { is: 'usage', input: 5_000, output: 100 },
      { is: 'usage', input: 90_000, output: 900, subAgent: 'a1' },
    )
    expect(crew.context).toEqual({ used: 5_100, window: null })
    expect(crew.spent).toEqual({ input: 95_000, output: 1_000, costUsd: null })
    expect(crew.helpers).toMatchObject([{ id: 'a1', tokens: 90_900 }])
  })

  it('an agent that tells nothing has no context and has spent nothing', () => {
    expect(hear({ is: 'working' }, { is: 'said', id: '1', markdown: 'x' })).toBe(NO_AGENT_STATS)
  })
})

describe('helpers', () => {
  it('are told by name and task, do things, and end', () => {
    const crew = hear(
      { is: 'working', subAgent: 'a1', name: 'reviewer' },
      { is: 'prompt', subAgent: 'a1', text: 'Look at the cart\nand say more' },
      { is: 'tool', subAgent: 'a1', state: 'started', key: 't', tool: 'Read', input: { path: 'src/cart.js' } },
      { is: 'request', subAgent: 'a2', key: null, tool: 'Shell', input: {} },
    )
    expect(crew.helpers).toMatchObject([
      { id: 'a1', name: 'reviewer', task: 'Look at the cart', state: 'working', doing: 'Read src/cart.js', tools: 1 },
      { id: 'a2', state: 'blocked' },
    ])
    const later = [
      report({ is: 'turn-ended', subAgent: 'a1', outcome: 'done' }, 9_000),
      report({ is: 'turn-ended', subAgent: 'a2', outcome: 'failed' }, 9_500),
    ].reduce(reduceAgentStats, crew)
    expect(later.helpers).toMatchObject([
      { state: 'done', doing: null, since: 1_000, endedAt: 9_000 },
      { state: 'failed', endedAt: 9_500 },
    ])
  })

  it('stand below the one that called them, by the path that the terminal reports', () => {
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

  it('of an agent that tells of them twice are listed once', () => {
    const crew = hear({ is: 'working', subAgent: 'a1' })
    const shown = subAgentsOf(crew, [record('task/a1', { title: 'reviewer' }), record('task/unheard')])
    expect(shown).toMatchObject([{ id: 'a1', name: 'reviewer' }])
    expect(shown).toHaveLength(1)
  })

  it('are at most so many, the newest', () => {
    const many = Array.from({ length: 100 }, (_, index): AgentStatement => ({ is: 'working', subAgent: `a${index}` }))
    const { helpers } = hear(...many)
    expect(helpers).toHaveLength(64)
    expect(helpers.at(-1)?.id).toBe('a99')
  })
})
