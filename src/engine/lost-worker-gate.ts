import type { ApprovalRequest } from '../approvals/requests/index.js'
import { engineRequest } from './engine-request.js'
import type { RunState } from './run-state.js'

/** The gate at which a run waits whose worker is lost with files that were not saved. */
export const LOST_WORKER_GATE = 'worker-lost'

/** A worker that is gone with files of a run. */
export interface LostWorker {
  name: string
  /** Its last sign of life. */
  since: number
  /** It was not removed: its machine can come back. */
  mayReturn: boolean
}

/** More steps are counted. */
const STEPS_MAX = 10

/**
 * Asks what becomes of a run whose worker is gone. Its finished steps are not repeated, so a person
 * decides whether it continues without files that some of them have made.
 */
export function lostWorkerRequest(
  run: Pick<RunState, 'id' | 'cwd' | 'placed' | 'savedAt' | 'unsaved'>,
  { name, since, mayReturn }: LostWorker,
): ApprovalRequest {
  const { steps = [], reason = '' } = run.unsaved ?? {}
  const { savedAt } = run
  const title =
    `${name} is gone since ${minuteOf(since)}; ` +
    `${savedAt === null ? 'nothing was saved' : `the last save is from ${minuteOf(savedAt)}`}. ` +
    `Move${mayReturn ? ', wait,' : ''} or cancel?`
  const named = steps.slice(0, STEPS_MAX).join(', ')
  const more = steps.length > STEPS_MAX ? ` and ${steps.length - STEPS_MAX} more` : ''
  const state = savedAt === null ? 'that it started from' : 'of the last save'
  const text = [
    `Files that these steps changed are only on ${name}: ${named}${more}. They were not saved: ${reason}.`,
    `Move: the run continues on another worker with the files ${state}. Steps that have ended are not repeated, so what they changed since is missing there. A step in progress starts again.`,
    ...(mayReturn
      ? [
          `Wait: the run stays as it is until ${name} is back. You can still move it: signalbox runs move ${run.id} --lossy`,
        ]
      : []),
    `Cancel: the run ends. Its files on ${name} are not deleted.`,
  ].join('\n')
  return engineRequest(run, {
    kind: 'gate',
    gate: LOST_WORKER_GATE,
    about: `${run.placed?.worker ?? name} ${run.placed?.epoch ?? 0} ${since}`,
    title,
    text,
    input: { worker: name, since, savedAt, unsaved: steps },
    options: [
      { key: 'move', label: `Move, with the files ${state}`, meaning: 'choice' },
      ...(mayReturn ? [{ key: 'wait', label: `Wait for ${name}`, meaning: 'choice' as const }] : []),
      { key: 'cancel', label: 'Cancel the run', meaning: 'cancel' },
    ],
  })
}

function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
