import type { AgentReport, AgentStatement } from '../../agents/index.js'
import type { StatusRecord } from '../../terminal/index.js'

/**
 * What an agent reports about its own work besides the conversation: how full its context is, what
 * it has used, and which sub-agents work for it. It is folded from the agent's reports alone;
 * nothing is guessed.
 */
export interface AgentStats {
  model: string | null
  /** The main conversation, as last sent to the model. `window`: null if unknown. */
  context: { used: number; window: number | null } | null
  /** Since the session's start, sub-agents included. */
  spent: Spent
  /** What was spent, by day (UTC), such as `2026-03-01`. */
  days: Readonly<Record<string, Spent>>
  /** Sub-agents in the order of their first report. */
  subAgents: readonly SubAgent[]
}

interface Spent {
  input: number
  output: number
  /** Null: the agent reports no cost. */
  costUsd: number | null
}

export interface SubAgent {
  id: string
  /** Null: the main agent. */
  parent: string | null
  name: string | null
  task: string | null
  state: 'working' | 'blocked' | 'done' | 'failed'
  /** Its current activity, in a few words. */
  doing: string | null
  /** Null if the agent does not report it. */
  since: number | null
  endedAt: number | null
  tools: number
  tokens: number
}

export const NO_AGENT_STATS: AgentStats = {
  model: null,
  context: null,
  spent: { input: 0, output: 0, costUsd: null },
  days: {},
  subAgents: [],
}

const SUB_AGENTS_MAX = 64
const TEXT_MAX = 200

export function reduceAgentStats(stats: AgentStats, { statement, at }: AgentReport): AgentStats {
  const next = statement.kind === 'usage' ? withUsage(stats, statement, at) : stats
  if (statement.subAgent !== undefined) return withSubAgent(next, statement.subAgent, statement, at)
  if (statement.kind === 'session' && statement.model !== undefined) return { ...next, model: statement.model }
  return next
}

/**
 * The sub-agents that the agent reports, or else those that its terminal reports (OSC 7501 records
 * below the root, named by their path). An agent that does both reports the same ones: then the
 * terminal's records only fill in missing fields.
 */
export function subAgentsOf(stats: AgentStats, records: readonly StatusRecord[]): SubAgent[] {
  const shown = records.filter(({ id }) => id !== '').sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
  if (stats.subAgents.length === 0) return shown.map(record => recordSubAgent(record, shown))
  const byEnd = new Map(shown.map(record => [record.id.slice(record.id.lastIndexOf('/') + 1), record]))
  return stats.subAgents.map(subAgent => {
    const record = byEnd.get(subAgent.id)
    return record ? { ...subAgent, name: subAgent.name ?? record.title, task: subAgent.task ?? record.msg } : subAgent
  })
}

function recordSubAgent(record: StatusRecord, all: readonly StatusRecord[]): SubAgent {
  const state = record.state === 'error' ? 'failed' : record.state === 'idle' ? 'done' : record.state
  return {
    id: record.id,
    parent: ancestorOf(record.id, all),
    name: record.title,
    task: record.msg,
    state,
    doing: record.progress === null ? null : `${record.progress}%`,
    since: null,
    endedAt: null,
    tools: 0,
    tokens: 0,
  }
}

/** The nearest record above it: `agent/1/2` belongs to `agent/1` if that one reports, too. */
function ancestorOf(id: string, all: readonly StatusRecord[]): string | null {
  for (let end = id.lastIndexOf('/'); end > 0; end = id.lastIndexOf('/', end - 1)) {
    const above = id.slice(0, end)
    if (all.some(record => record.id === above)) return above
  }
  return null
}

function withUsage(stats: AgentStats, usage: Extract<AgentStatement, { kind: 'usage' }>, at: number): AgentStats {
  const { input, output, contextWindow, model } = usage
  const day = new Date(at).toISOString().slice(0, 10)
  const isMain = usage.subAgent === undefined
  return {
    ...stats,
    ...(isMain && {
      // The answer is part of the next request.
      context: { used: input + output, window: contextWindow ?? stats.context?.window ?? null },
      model: model ?? stats.model,
    }),
    spent: addSpent(stats.spent, usage),
    days: { ...stats.days, [day]: addSpent(stats.days[day] ?? NO_AGENT_STATS.spent, usage) },
  }
}

function addSpent(
  spent: Spent,
  { input, output, costUsd }: { input: number; output: number; costUsd?: number },
): Spent {
  return {
    input: spent.input + input,
    output: spent.output + output,
    costUsd: costUsd === undefined ? spent.costUsd : (spent.costUsd ?? 0) + costUsd,
  }
}

function withSubAgent(stats: AgentStats, id: string, statement: AgentStatement, at: number): AgentStats {
  const known = stats.subAgents.find(subAgent => subAgent.id === id)
  const before: SubAgent = known ?? {
    id,
    parent: null,
    name: null,
    task: null,
    state: 'working',
    doing: null,
    since: at,
    endedAt: null,
    tools: 0,
    tokens: 0,
  }
  const after = { ...before, ...changesOf(before, statement, at) }
  const subAgents = known
    ? stats.subAgents.map(subAgent => (subAgent === known ? after : subAgent))
    : [...stats.subAgents, after].slice(-SUB_AGENTS_MAX)
  return { ...stats, subAgents }
}

function changesOf(subAgent: SubAgent, statement: AgentStatement, at: number): Partial<SubAgent> {
  const isWorking = { state: 'working' as const, endedAt: null }
  switch (statement.kind) {
    case 'working':
      return {
        ...isWorking,
        ...(statement.name !== undefined && { name: short(statement.name) }),
        ...(statement.task !== undefined && { task: short(statement.task) }),
      }
    case 'prompt':
      return { ...isWorking, task: subAgent.task ?? short(statement.text) }
    case 'tool':
      return statement.state === 'started'
        ? { ...isWorking, doing: short(`${statement.tool} ${objectOf(statement.input)}`), tools: subAgent.tools + 1 }
        : {}
    case 'request':
    case 'waiting':
      return { state: 'blocked' }
    case 'answered':
      return isWorking
    case 'said':
      return { doing: short(statement.markdown) }
    case 'usage':
      return { tokens: subAgent.tokens + statement.input + statement.output }
    case 'turn-ended':
      return { state: statement.outcome === 'done' ? 'done' : 'failed', doing: null, endedAt: at }
    case 'ended':
      return { state: 'done', doing: null, endedAt: subAgent.endedAt ?? at }
    default:
      return {}
  }
}

/** The first text of a tool's input: agents put the most important one first. */
function objectOf(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return ''
  return Object.values(input).find((value): value is string => typeof value === 'string') ?? ''
}

function short(text: string): string {
  const line = text.trim().split('\n', 1)[0]!.trim()
  return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX - 1)}…` : line
}
