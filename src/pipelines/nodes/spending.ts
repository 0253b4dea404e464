import { runStream } from '../../engine/index.js'
import { type EventData, newEvent } from '../../events/index.js'
import { dayOf, isOfRun, type SessionRecord, sessionsProjection, spentDays } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'
import { type SpendingGatePayload, spendingQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'

/** From this share on, a budget is reported as nearly used up. */
const WARN_SHARE = 0.8

/** Asks before an agent step if the task's or day's budget is used up; null: continue. */
export async function askSpending(context: NodeContext): Promise<NodeResult | null> {
  const { args, call, services, reply } = context
  const { taskUsd, dayUsd } = args.profile
  if (taskUsd === null && dayUsd === null) return null
  const events = await services.store.readStream(runStream(call.run))
  if (reply?.option === 'cancel')
    return {
      update: { outcome: 'cancelled' },
      end: { status: 'cancelled', reason: 'budget', text: 'the budget was not raised' },
    }
  if (reply?.option === 'stop')
    return { end: { status: 'failed', reason: 'budget', text: 'stopped: the budget is used up' } }
  const budgets = await spendingOf(context, events)
  const exceeded = budgets.find(({ spent, of }) => spent >= of)
  if (exceeded) return { question: spendingQuestion(exceeded) }
  for (const budget of budgets) warn(context, budget, events)
  return null
}

/** Once for each budget; again after it was raised and is nearly used up again. */
function warn({ call }: NodeContext, { limit, spent, of }: SpendingGatePayload, events: readonly StoredEvent[]): void {
  if (spent < of * WARN_SHARE) return
  const since = limit === 'task_usd' ? events.findLastIndex(({ type }) => type === 'task.started') : 0
  const isReported = events
    .slice(since)
    .some(({ type, data }) => type === 'budget.warned' && data.limit === limit && data.of === of)
  if (!isReported) call.record(newEvent('budget.warned', { limit, spent, of }))
}

/** How much of each budget is used. */
async function spendingOf(
  { args, services }: NodeContext,
  events: readonly StoredEvent[],
): Promise<SpendingGatePayload[]> {
  const { taskUsd, dayUsd } = args.profile
  const found: SpendingGatePayload[] = []
  const began = events.findLastIndex(({ type }) => type === 'task.started')
  if (taskUsd !== null && began >= 0) {
    const since = events.slice(began)
    const [spent, of] = [costOf(since), taskUsd * (1 + raises(since))]
    found.push({ gate: 'spending', limit: 'task_usd', spent, of })
  }
  if (dayUsd !== null) {
    const midnight = Date.parse(new Date(services.clock.now()).toISOString().slice(0, 10))
    const spent = await spentSince(services.store, midnight)
    const of = dayUsd * (1 + raises(events.filter(({ at }) => at >= midnight)))
    found.push({ gate: 'spending', limit: 'day_usd', spent, of })
  }
  return found
}

/** Over all runs and sessions: the daily budget belongs to the person. */
async function spentSince(store: NodeContext['services']['store'], since: number): Promise<number> {
  const runs = await store.documents<{ id: string; updatedAt: number }>('runs')
  const day = dayOf(since)
  let sum = 0
  for (const { state } of await store.documents<SessionRecord>(sessionsProjection.name))
    if (!isOfRun(state)) sum += spentDays(state)[day]?.costUsd ?? 0
  for (const { state } of runs) {
    if (state.updatedAt < since) continue
    sum += costOf((await store.readStream(runStream(state.id))).filter(({ at }) => at >= since))
  }
  return sum
}

function costOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, { type, data }) => {
    if (type !== 'step.ended' && type !== 'step.recovered') return sum
    return sum + ((data as EventData<'step.ended'>).usage?.costUsd ?? 0)
  }, 0)
}

function raises(events: readonly StoredEvent[]): number {
  return events.filter(({ type, data }) => type === 'gate.answered' && data.option === 'raise').length
}
