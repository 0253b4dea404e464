import { runStream } from '../../engine/index.js'
import type { EventData } from '../../events/index.js'
import type { StoredEvent } from '../../store/index.js'
import { type SpendingGatePayload, spendingQuestion } from '../gates.js'
import type { NodeContext, NodeResult } from '../node.js'

/** Asks before the next step of an agent where the budget of the task or of the day is used up; null: it may go on. */
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
  const exceeded = await findExceeded(context, events)
  return exceeded ? { question: spendingQuestion(exceeded) } : null
}

async function findExceeded(
  { args, services }: NodeContext,
  events: readonly StoredEvent[],
): Promise<SpendingGatePayload | null> {
  const { taskUsd, dayUsd } = args.profile
  const began = events.findLastIndex(({ type }) => type === 'task.started')
  if (taskUsd !== null && began >= 0) {
    const since = events.slice(began)
    const [spent, of] = [costOf(since), taskUsd * (1 + raises(since))]
    if (spent >= of) return { gate: 'spending', limit: 'task_usd', spent, of }
  }
  if (dayUsd !== null) {
    const midnight = Date.parse(new Date(services.clock.now()).toISOString().slice(0, 10))
    const spent = await spentSince(services.store, midnight)
    const of = dayUsd * (1 + raises(events.filter(({ at }) => at >= midnight)))
    if (spent >= of) return { gate: 'spending', limit: 'day_usd', spent, of }
  }
  return null
}

/** Of all runs: a budget of the day is a budget of the person. */
async function spentSince(store: NodeContext['services']['store'], since: number): Promise<number> {
  const runs = await store.documents<{ id: string; updatedAt: number }>('runs')
  let sum = 0
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
