import type { EventData } from '../../events/index.js'
import { reasonText } from '../../runs/index.js'
import type { StoredEvent } from '../../store/index.js'
import type { InMilliseconds, RunStep as Step } from '../api-types.js'

/** A step of a run, assembled from its events: `node@visit#attempt`. */
export type RunStep = InMilliseconds<Step>

/**
 * `p@1.2/review@2#1` → branch `p@1.2`, node `review`, visit 2, attempt 1. The gate of a step has
 * its name with an addition: `review@2#1+ask`.
 */
export function partsOfStep(step: string): { branch: string | null; node: string; visit: number; attempt: number } {
  const slash = step.lastIndexOf('/')
  const match = /^(.*?)@(\d+)(?:#(\d+))?(?:\+.*)?$/.exec(step.slice(slash + 1))
  return {
    branch: slash < 0 ? null : step.slice(0, slash),
    node: match?.[1] ?? step.slice(slash + 1),
    visit: Number(match?.[2] ?? 1),
    attempt: Number(match?.[3] ?? 1),
  }
}

export function stepsOf(events: readonly StoredEvent[]): RunStep[] {
  const steps = new Map<string, RunStep>()
  for (const { type, data, at } of events) {
    if (type === 'step.started') {
      const { step, effect, input } = data as EventData<'step.started'>
      steps.set(step, {
        step,
        ...partsOfStep(step),
        effect,
        startedAt: at,
        endedAt: null,
        status: 'open',
        reason: null,
        input,
        result: null,
        pid: null,
        session: null,
        agentSession: null,
        usage: null,
        recovery: null,
      })
      continue
    }
    if (type === 'run.paused' || ENDS.has(type))
      for (const cut of steps.values()) if (cut.endedAt === null) Object.assign(cut, { endedAt: at, status: 'cut' })
    const step = steps.get(String(data.step ?? ''))
    if (step) change(step, type, data, at)
  }
  return [...steps.values()]
}

/** No step and no node of a run that has ended is still running. */
export const ENDS: ReadonlySet<string> = new Set(['run.cancelled', 'run.failed', 'run.rejected', 'run.completed'])

function change(step: RunStep, type: string, data: Record<string, unknown>, at: number): void {
  if (type === 'step.spawned') {
    const { pid, session, agentSession } = data as EventData<'step.spawned'>
    Object.assign(step, { pid, session: session ?? null, agentSession: agentSession ?? null })
  } else if (type === 'step.ended') {
    const { status, reason, usage, result } = data as EventData<'step.ended'>
    const why = reason === undefined ? null : reasonText(reason)
    Object.assign(step, { endedAt: at, status, reason: why, usage: usage ?? null, result: result ?? null })
  } else if (type === 'step.lost') Object.assign(step, { endedAt: at, status: 'lost' })
  else if (type === 'step.recovered') {
    const { verdict, evidence, usage } = data as EventData<'step.recovered'>
    Object.assign(step, { recovery: { verdict, evidence }, usage: step.usage ?? usage ?? null })
  }
}
