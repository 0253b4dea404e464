import type { AgentReport, AgentStatement } from '../../agents/index.js'
import type { StatusRecord } from '../../terminal/index.js'

/**
 * What an agent tells of its own work beside the conversation: how full its context is, what it has used, and which helpers work for
 * it. Everything here is the agent's word, folded; nothing is guessed, and what no agent tells is left out.
 */
export interface AgentStats {
  model: string | null
  /** Of the main conversation, as it was last sent to the model. `window` only where the agent names it. */
  context: { used: number; window: number | null } | null
  /** Since this session began, helpers included. */
  spent: { input: number; output: number; costUsd: number | null }
  /** Helpers in the order in which they were first heard of. */
  helpers: readonly SubAgent[]
}

export interface SubAgent {
  id: string
  /** Null: it works for the agent itself. */
  parent: string | null
  name: string | null
  task: string | null
  state: 'working' | 'blocked' | 'done' | 'failed'
  /** What it does now, in a few words. */
  doing: string | null
  /** Null where the agent does not tell. */
  since: number | null
  endedAt: number | null
  tools: number
  tokens: number
}

export const NO_AGENT_STATS: AgentStats = {
  model: null,
  context: null,
  spent: { input: 0, output: 0, costUsd: null },
  helpers: [],
}

const HELPERS_MAX = 64
const TEXT_MAX = 200

export function reduceAgentStats(crew: AgentStats, { statement, at }: AgentReport): AgentStats {
  const next = statement.is === 'usage' ? withUsage(crew, statement) : crew
  if (statement.subAgent !== undefined) return withHelper(next, statement.subAgent, statement, at)
  if (statement.is === 'session' && statement.model !== undefined) return { ...next, model: statement.model }
  return next
}

/**
 * Helpers as the agent told of them, and those that its terminal reports (OSC 7501 records below the root, named by their path). An agent
 * that does both tells of the same ones: the terminal's records then only add what the other way left out.
 */
export function subAgentsOf(crew: AgentStats, records: readonly StatusRecord[]): SubAgent[] {
  const shown = records.filter(({ id }) => id !== '').sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
  if (crew.helpers.length === 0) return shown.map(record => recordHelper(record, shown))
  const byEnd = new Map(shown.map(record => [record.id.slice(record.id.lastIndexOf('/') + 1), record]))
  return crew.helpers.map(helper => {
    const record = byEnd.get(helper.id)
    return record ? { ...helper, name: helper.name ?? record.title, task: helper.task ?? record.msg } : helper
  })
}

function recordHelper(record: StatusRecord, all: readonly StatusRecord[]): SubAgent {
  const state = record.state === 'error' ? 'failed' : record.state === 'idle' ? 'done' : record.state
  return {
    id: record.id,
    parent: ancestorOf(record.id, all),
    name: record.title,
    task: record.msg,
    state,
    doing: record.progress === null ? null : `${record.progress} %`,
    since: null,
    endedAt: null,
    tools: 0,
    tokens: 0,
  }
}

/** The nearest record above it: `agent/1/2` belongs to `agent/1` where that reports, too. */
function ancestorOf(id: string, all: readonly StatusRecord[]): string | null {
  for (let end = id.lastIndexOf('/'); end > 0; end = id.lastIndexOf('/', end - 1)) {
    const above = id.slice(0, end)
    if (all.some(record => record.id === above)) return above
  }
  return null
}

function withUsage(crew: AgentStats, usage: Extract<AgentStatement, { is: 'usage' }>): AgentStats {
  const { input, output, costUsd, contextWindow, model } = usage
  const { spent } = crew
  const isMain = usage.subAgent === undefined
  return {
    ...crew,
    ...(isMain && {
      // What was answered is part of what is asked next.
      context: { used: input + output, window: contextWindow ?? crew.context?.window ?? null },
      model: model ?? crew.model,
    }),
    spent: {
      input: spent.input + input,
      output: spent.output + output,
      costUsd: costUsd === undefined ? spent.costUsd : (spent.costUsd ?? 0) + costUsd,
    },
  }
}

function withHelper(crew: AgentStats, id: string, statement: AgentStatement, at: number): AgentStats {
  const known = crew.helpers.find(helper => helper.id === id)
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
  const after = { ...before, ...newsOf(before, statement, at) }
  const helpers = known
    ? crew.helpers.map(helper => (helper === known ? after : helper))
    : [...crew.helpers, after].slice(-HELPERS_MAX)
  return { ...crew, helpers }
}

function newsOf(helper: SubAgent, statement: AgentStatement, at: number): Partial<SubAgent> {
  const isOn = { state: 'working' as const, endedAt: null }
  switch (statement.is) {
    case 'working':
      return {
        ...isOn,
        ...(statement.name !== undefined && { name: short(statement.name) }),
        ...(statement.task !== undefined && { task: short(statement.task) }),
      }
    case 'prompt':
      return { ...isOn, task: helper.task ?? short(statement.text) }
    case 'tool':
      return statement.state === 'started'
        ? { ...isOn, doing: short(`${statement.tool} ${objectOf(statement.input)}`), tools: helper.tools + 1 }
        : {}
    case 'request':
    case 'waiting':
      return { state: 'blocked' }
    case 'answered':
      return isOn
    case 'said':
      return { doing: short(statement.markdown) }
    case 'usage':
      return { tokens: helper.tokens + statement.input + statement.output }
    case 'turn-ended':
      return { state: statement.outcome === 'done' ? 'done' : 'failed', doing: null, endedAt: at }
    case 'ended':
      return { state: 'done', doing: null, endedAt: helper.endedAt ?? at }
    default:
      return {}
  }
}

/** What a tool is used on: the first of its input's texts, which agents put first because it says most. */
function objectOf(input: unknown): string {
  if (typeof input === 'string') return input
  if (typeof input !== 'object' || input === null) return ''
  return Object.values(input).find((value): value is string => typeof value === 'string') ?? ''
}

function short(text: string): string {
  const line = text.trim().split('\n', 1)[0]!.trim()
  return line.length > TEXT_MAX ? `${line.slice(0, TEXT_MAX - 1)}…` : line
}
