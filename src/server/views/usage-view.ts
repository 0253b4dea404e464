import { createHash } from 'node:crypto'
import { addUsage, NO_USAGE, type RunRecord, runStream, type Usage } from '../../engine/index.js'
import type { EventData } from '../../events/index.js'
import type { EventStore } from '../../store/index.js'
import { isUnpriced, type Unpriced } from '../../text/index.js'
import type { UsageReport } from '../api-types.js'
import { partsOfStep } from './run-steps.js'
import type { SessionDay } from './session-spending.js'

export type UsageRow = UsageReport['rows'][number]
export type Split = UsageReport['by'][number]

/** The pipeline of what sessions spend. */
const SESSIONS = 'sessions'

interface Spent {
  key: Partial<Record<Split, string>>
  run: string
  step: string
  usage: Usage | null
  ms: number
}

/** How steps that died or were interrupted were recovered, counted by verdict. */
export async function recoveryTally(
  store: EventStore,
  runs: readonly RunRecord[],
  { from, to }: { from: number; to: number },
): Promise<{ verdict: string; count: number }[]> {
  const counts = new Map<string, number>()
  for (const run of runs) {
    if (run.updatedAt < from || run.createdAt > to) continue
    for (const { type, data, at: time } of await store.readStream(runStream(run.id)))
      if (type === 'step.recovered' && time >= from && time <= to)
        counts.set(String(data.verdict), (counts.get(String(data.verdict)) ?? 0) + 1)
  }
  return [...counts].map(([verdict, count]) => ({ verdict, count })).sort((a, b) => b.count - a.count)
}

/**
 * The usage of runs and sessions between two times, split as requested. A step counts on the day of
 * its end. Sessions are one pipeline of their own.
 */
export async function usageRows(
  store: EventStore,
  runs: readonly RunRecord[],
  { from, to, by, sessions }: { from: number; to: number; by: readonly Split[]; sessions: readonly SessionDay[] },
): Promise<{ rows: UsageRow[]; unpriced: Unpriced }> {
  const spent: Spent[] = []
  for (const run of runs)
    if (run.updatedAt >= from && run.createdAt <= to) spent.push(...(await stepsOf(store, run, { from, to, by })))
  const byId = new Map(runs.map(run => [run.id, run]))
  const rows = new Map<string, FoundRow>()
  const unpriced = new UnpricedIds()
  for (const { key, run, step, usage, ms } of spent) {
    const name = JSON.stringify(by.map(split => key[split] ?? ''))
    const found = rows.get(name) ?? emptyRow(key)
    rows.set(name, found)
    // The parts of a step follow each other.
    if (found.last !== `${run} ${step}`) {
      found.row.steps++
      found.times.push(ms)
      found.last = `${run} ${step}`
    }
    found.runs.add(run)
    if (usage) {
      found.row.usage = addUsage(found.row.usage, usage)
      found.ofRuns = addUsage(found.ofRuns, usage)
    }
    if (usage && isUnpriced(usage)) for (const ids of [found.unpriced, unpriced]) ids.runs.add(run)
  }
  for (const { session, input, output, costUsd, ...known } of sessions) {
    const all: Record<Split, string> = { ...known, pipeline: SESSIONS, version: SESSIONS, node: '–' }
    const key = Object.fromEntries(by.map(split => [split, all[split]])) as Spent['key']
    const name = JSON.stringify(by.map(split => key[split] ?? ''))
    const found = rows.get(name) ?? emptyRow(key)
    rows.set(name, found)
    const usage = { input, output, ...(costUsd !== null && { costUsd }) }
    found.row.usage = addUsage(found.row.usage, usage)
    if (isUnpriced(usage)) for (const ids of [found.unpriced, unpriced]) ids.sessions.add(session)
  }
  const summed = [...rows.values()].map(({ row, ofRuns, times, runs: ids, unpriced: without }) => {
    const states = [...ids].map(id => byId.get(id)?.status)
    times.sort((a, b) => a - b)
    return {
      ...row,
      runCostUsd: ofRuns.costUsd ?? null,
      runs: ids.size,
      passed: states.filter(status => status === 'completed').length,
      failed: states.filter(status => status === 'failed' || status === 'rejected').length,
      medianMs: percentile(times, 0.5),
      p95Ms: percentile(times, 0.95),
      unpriced: without.count(),
    }
  })
  return { rows: summed, unpriced: unpriced.count() }
}

interface FoundRow {
  row: Omit<UsageRow, 'unpriced' | 'runCostUsd'>
  ofRuns: Usage
  times: number[]
  runs: Set<string>
  unpriced: UnpricedIds
  last: string
}

class UnpricedIds {
  readonly sessions = new Set<string>()
  readonly runs = new Set<string>()

  count(): Unpriced {
    return { sessions: this.sessions.size, runs: this.runs.size }
  }
}

async function stepsOf(
  store: EventStore,
  run: RunRecord,
  { from, to, by }: { from: number; to: number; by: readonly Split[] },
): Promise<Spent[]> {
  const started = new Map<string, { at: number; input: unknown }>()
  const spent: Spent[] = []
  const pipeline = run.labels.pipeline ?? (run.kind === 'graph' ? run.title : run.kind)
  let version = pipeline
  /** What agents used in the steps of pipelines, which do not name them otherwise. */
  const recorded = new Map<string, EventData<'usage.recorded'>[]>()
  for (const { type, data, at: time } of await store.readStream(runStream(run.id))) {
    if (type === 'run.created') version = versionOf(pipeline, data.input)
    if (type === 'step.started') started.set(String(data.step), { at: time, input: data.input })
    if (type === 'usage.recorded') {
      const record = data as EventData<'usage.recorded'>
      recorded.set(record.step, [...(recorded.get(record.step) ?? []), record])
    }
    if (type !== 'step.ended' && type !== 'step.recovered') continue
    const { step, usage, result } = data as Pick<EventData<'step.ended'>, 'step' | 'usage' | 'result'>
    const start = started.get(step)
    if (time < from || time > to || (type === 'step.recovered' && !usage)) continue
    const ms = Math.max(0, time - (start?.at ?? time))
    for (const { agent, model, usage: own } of partsOf(recorded.get(step) ?? [], roleOf(start?.input, result), usage)) {
      // A name that an agent's use does not have is unknown; another step has none.
      const nameOf = (name: string | null) => name ?? (own ? UNKNOWN : '–')
      const all: Record<Split, string> = {
        day: new Date(time).toISOString().slice(0, 10),
        agent: nameOf(agent),
        model: nameOf(model),
        project: run.project,
        pipeline,
        version,
        node: partsOfStep(step).node,
      }
      const key = Object.fromEntries(by.map(split => [split, all[split]])) as Spent['key']
      spent.push({ key, run: run.id, step, usage: own, ms })
    }
    recorded.delete(step)
  }
  return spent
}

const UNKNOWN = 'unknown'

interface PartOfStep {
  agent: string | null
  model: string | null
  usage: Usage | null
}

/** The use of a step by agent: several reviewers may work in one. */
function partsOf(
  recorded: readonly EventData<'usage.recorded'>[],
  role: Omit<PartOfStep, 'usage'>,
  usage: Usage | undefined,
): PartOfStep[] {
  const [first] = recorded
  if (!first) return [{ ...role, usage: usage ?? null }]
  if (recorded.length === 1) return [{ agent: first.agent, model: first.model, usage: usage ?? null }]
  return recorded.map(({ agent, model, usage: own }) => ({ agent, model, usage: own ?? null }))
}

/** The agent and model of a step: from its input, or from its result if defaults were used. */
function roleOf(input: unknown, result: unknown): { agent: string | null; model: string | null } {
  const { agent, model, role } = (input ?? {}) as {
    agent?: unknown
    model?: unknown
    role?: { agent?: unknown; model?: unknown }
  }
  const { session } = (result ?? {}) as { session?: { agent?: unknown; model?: unknown } | null }
  const text = (...values: unknown[]) => values.find((value): value is string => typeof value === 'string') ?? null
  return { agent: text(agent, role?.agent, session?.agent), model: text(model, role?.model, session?.model) }
}

/** A pipeline's version at creation: its name, and digits that change with its graph. */
function versionOf(pipeline: string, input: unknown): string {
  const { graph, dot } = (input ?? {}) as { graph?: unknown; dot?: unknown }
  const definition = graph ?? dot
  if (definition === undefined) return pipeline
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition)
  return `${pipeline} ${createHash('sha256').update(text).digest('hex').slice(0, 7)}`
}

function emptyRow(key: UsageRow['key']): FoundRow {
  const row = { key, usage: NO_USAGE, steps: 0, runs: 0, passed: 0, failed: 0, medianMs: 0, p95Ms: 0 }
  return { row, ofRuns: NO_USAGE, times: [], runs: new Set(), unpriced: new UnpricedIds(), last: '' }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
