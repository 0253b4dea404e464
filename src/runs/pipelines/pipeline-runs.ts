import type { ApprovalRecord } from '../../approvals/index.js'
import { byQueueOrder, isEnded, listRuns, type RunRecord } from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import {
  builtInPipelines,
  isPipelineRun,
  type PipelineRun,
  readPipelineRun,
  setQueuedPlan,
} from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import { runDirectory } from '../run-directory.js'
import { ledgerOf } from '../run-gates.js'
import type { StartContext } from '../start-context.js'

/**
 * The state of a pipeline's run.
 * @throws SignalboxError `E_CONFIG` for a run of an unknown pipeline or of a newer program.
 */
export function readPipeline(
  store: EventStore,
  dataDirectory: string,
  record: Omit<RunRecord, 'text'>,
): Promise<PipelineRun> {
  return readPipelineRun(store, record, {
    registry: builtInPipelines(),
    runDirectory: run => runDirectory(dataDirectory, run),
  })
}

/**
 * The queued runs of pipelines in the order in which they start: by `priority` label, then by age.
 */
export async function queuedPipelines(store: EventStore): Promise<RunRecord[]> {
  const queued = (await listRuns(store)).filter(run => run.status === 'queued' && isPipelineRun(run))
  return queued.sort(byQueueOrder)
}

/**
 * The one pipeline run of this directory that can be resumed or cancelled.
 * @throws SignalboxError `E_INPUT` if there is none, or more than one.
 */
export async function soleRunOfDirectory(
  store: EventStore,
  cwd: string,
  verb: 'resume' | 'cancel' | 'pause',
): Promise<RunRecord> {
  const root = (await new Git(cwd).root()) ?? cwd
  const isCandidate = ({ status }: RunRecord) =>
    verb === 'resume' ? !['completed', 'rejected', 'cancelled'].includes(status) : !isEnded(status)
  const found = (await listRuns(store)).filter(run => isPipelineRun(run) && run.project === root && isCandidate(run))
  const [only] = found
  if (only && found.length === 1) return only
  if (!only)
    throw new SignalboxError('E_INPUT', 'no unfinished run in this directory', {
      next: `name one: signalbox ${verb} <id>; signalbox runs lists all`,
    })
  const listed = found.map(run => `${run.id} (${run.status}: ${run.title})`).join(', ')
  throw new SignalboxError('E_INPUT', `several unfinished runs in this directory: ${listed}`, {
    next: 'name one of them',
  })
}

/**
 * Gives a queued run a plan, or replaces the plan that waits for approval: it is validated, and the
 * person is asked again.
 * @param replace answers the gate of a plan that waits.
 * @returns whether the plan of a queued run is valid; null if a waiting plan was replaced.
 * @throws SignalboxError `E_STATE` for a run that is neither queued nor waits for a plan.
 */
export async function setPlan(
  context: Pick<StartContext, 'store' | 'home' | 'env' | 'clock'>,
  record: RunRecord,
  text: string,
  { by, replace }: { by: string; replace: (gate: ApprovalRecord, text: string) => Promise<void> },
): Promise<{ isValid: boolean; issues: readonly string[] } | null> {
  const { store } = context
  if (record.status === 'queued' && isPipelineRun(record) && record.labels.pipeline === 'implementation')
    return setQueuedPlan(store, record.id, { text, by })
  const ledger = ledgerOf(context)
  for (const approval of Object.values(record.gates)) {
    const gate = await ledger.get(approval)
    if (gate?.kind !== 'plan') continue
    await replace(gate, text)
    return null
  }
  throw new SignalboxError('E_STATE', `run ${record.id} is neither queued nor waiting for approval of a plan`, {
    next: `signalbox show ${record.id}`,
  })
}
