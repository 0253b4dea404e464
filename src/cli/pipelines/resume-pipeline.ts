import { byTurn, isEnded, listRuns, type RunRecord, resumeRun } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import type { Home } from '../../host/home/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/open-runs.js'
import { drivePipeline, readPipeline } from './drive-pipeline.js'

/** Goes on with a run of a pipeline, or starts a queued one. Which pipeline it is its own state says. */
export async function resumePipeline(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  options: Record<string, unknown>,
): Promise<number> {
  if (['completed', 'rejected', 'cancelled'].includes(record.status))
    throw new SignalboxError('E_INPUT', `run ${record.id} is ${record.status}: there is nothing to resume`, {
      next: 'start a new one',
    })
  // Read before anything is written: a run that cannot be read is left as it is.
  await readPipeline(store, home, record)
  await resumeRun(store, record.id, { by: 'local' })
  return drivePipeline(context, store, home, record.id, options)
}

/** One after the other: those with a `priority` label first, then the oldest. The exit code is the first that is not 0. */
export async function resumeQueued(context: CommandContext, options: Record<string, unknown>): Promise<number> {
  return withStore(context, async (store, home) => {
    const queued = (await listRuns(store)).filter(run => run.status === 'queued' && isPipelineRun(run))
    if (queued.length === 0 && !options.json) context.out('nothing is queued')
    let exit: number = EXIT.ok
    for (const record of queued.sort(byTurn)) {
      const code = await resumePipeline(context, store, home, record, options)
      if (exit === EXIT.ok) exit = code
    }
    return exit
  })
}

/** The one run of a pipeline in this directory that can go on. @throws SignalboxError `E_INPUT` where there is none, or several. */
export async function onlyCandidate(context: CommandContext, verb: 'resume' | 'cancel' = 'resume'): Promise<string> {
  return withStore(context, async store => {
    const root = (await new Git(context.cwd).root()) ?? context.cwd
    const found = (await listRuns(store)).filter(
      run =>
        isPipelineRun(run) &&
        run.project === root &&
        (verb === 'cancel' ? !isEnded(run.status) : !['completed', 'rejected', 'cancelled'].includes(run.status)),
    )
    const [only] = found
    if (only && found.length === 1) return only.id
    const says = found.map(run => `${run.id} (${run.status}: ${run.title})`).join(', ')
    throw new SignalboxError(
      'E_INPUT',
      only ? `there are several runs here: ${says}` : 'there is no run here that has not ended',
      {
        next: only ? 'name one of them' : `signalbox ${verb} <id>; signalbox runs lists all`,
      },
    )
  })
}
