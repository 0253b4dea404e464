import { createRun, type RunRecord } from '../../engine/index.js'
import type { Home } from '../../host/home/index.js'
import {
  builtInPipelines,
  type PipelineArgs,
  type PipelineRun,
  pipelineRun,
  readPipelineRun,
} from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import { runDirectory } from '../open-runs.js'
import { driverLabel, type RunOptions, type StartContext, type StartedRun } from '../start-context.js'
import type { ProfileOptions } from './read-profile.js'

/** The options that both pipelines take. */
export interface PipelineOptions extends RunOptions, ProfileOptions {
  /** Approves a valid plan, and the items that the Evaluator would implement, without a person. */
  autoApprove?: boolean | undefined
}

type Budget = Home['loaded']['config']['profiles'][string]['budget']

/** Writes `run.created` for a pipeline whose arguments are known. */
export async function createPipelineRun(
  { store, person }: StartContext,
  args: PipelineArgs,
  { title, budget, options }: { title: string; budget: Budget | null; options: PipelineOptions },
): Promise<Pick<StartedRun, 'id' | 'driver'>> {
  const driver = options.isDetached ? 'daemon' : 'caller'
  const costUsd = options.limits?.costUsd ?? budget?.run_usd ?? null
  const tokens = options.limits?.tokens ?? budget?.tokens ?? null
  const created = pipelineRun(builtInPipelines(), args, {
    title: title.slice(0, 200),
    limits: { ...options.limits, ...(costUsd !== null && { costUsd }), ...(tokens !== null && { tokens }) },
    labels: { ...options.labels, ...driverLabel(driver) },
    person,
  })
  const id = args.workflowId
  await createRun(store, created, Date.parse(args.createdAt), id)
  return { id, driver }
}

/**
 * The state of a pipeline's run.
 * @throws SignalboxError `E_CONFIG` for a run of an unknown pipeline or of a newer program.
 */
export function readPipeline(store: EventStore, dataDirectory: string, record: RunRecord): Promise<PipelineRun> {
  return readPipelineRun(store, record, {
    registry: builtInPipelines(),
    runDirectory: run => runDirectory(dataDirectory, run),
  })
}
