import { runStream } from '../engine/index.js'
import { SignalboxError } from '../errors/index.js'
import { type EventData, isEvent, newEvent } from '../events/index.js'
import type { EventStore, StoredEvent } from '../store/index.js'
import { hashOf } from './nodes/text-file.js'
import { type PlanReport, validatePlan } from './plan/validate-plan.js'

/**
 * Gives a queued run a person's own plan: it starts with that instead of asking the Architect.
 * Appended at the version that was read, so a run that starts in between keeps its original input.
 * @throws SignalboxError `E_STATE`
 */
export async function setQueuedPlan(
  store: EventStore,
  run: string,
  { text, by }: { text: string; by: string },
): Promise<PlanReport> {
  const events = await store.readStream(runStream(run))
  const before = givenPlan(events)
  if (events.some(({ type }) => type === 'run.started' || type === 'run.cancelled'))
    throw new SignalboxError('E_STATE', `run ${run} has already started`, { next: `signalbox show ${run}` })
  const data = { before: before === null ? '' : hashOf(before), hash: hashOf(text), by, text }
  await store.append(runStream(run), events.length, [newEvent('plan.replaced', data)])
  return validatePlan(text)
}

/** The plan that a run was given before it started; the latest, if there were several. */
export function givenPlan(events: readonly StoredEvent[]): string | null {
  let found: string | null = null
  for (const event of events)
    if (isEvent(event, 'plan.replaced')) found = (event.data as EventData<'plan.replaced'>).text ?? found
  return found
}
