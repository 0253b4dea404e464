import type { Run } from '../api/types'
import { sentence } from '../store/toasts'
import { stepName } from './step-name'

/** Why a run is in its status, in its own words; null if the status says everything. */
export function outcomeOf({ status, step, why, isUndriven }: Pick<Run, 'status' | 'step' | 'why' | 'isUndriven'>) {
  if (why === null) return null
  return status === 'failed' && step !== null && !isUndriven
    ? `Failed at “${sentence(stepName(step))}”: ${why}`
    : sentence(why)
}
