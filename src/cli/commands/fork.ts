import { checkpointsOf, graphOf, graphWorkflow, type RunRecord, readRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import type { Home } from '../../host/home/index.js'
import { isPipelineRun, PIPELINE_LABEL } from '../../pipelines/index.js'
import type { EventStore } from '../../store/index.js'
import type { CommandContext } from '../context.js'
import { driveGraph } from '../graphs/drive-graph.js'
import { runFromCheckpoint } from '../graphs/resume-run.js'
import { drivePipeline } from '../pipelines/drive-pipeline.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, String(args.run))
    const { id, next } = await forkRun(context, store, home, record, {
      at: String(options.at ?? ''),
      isRewind: options.rewind === true,
    })
    if (options.run === false) {
      if (options.json) context.json({ run: id, next })
      else context.out(`${id}\ngo on with: signalbox resume ${id}`)
      return EXIT.ok
    }
    const drive = isPipelineRun(record) ? drivePipeline : driveGraph
    return drive(context, store, home, id, options)
  })
}

/** A fork of a pipeline is a run of it. */
function pipelineLabel({ labels }: RunRecord): Record<string, string> {
  const name = labels[PIPELINE_LABEL]
  return name === undefined ? {} : { [PIPELINE_LABEL]: name }
}

/** A new run that goes on after a checkpoint of this one; a rewound one takes its place. */
export async function forkRun(
  context: CommandContext,
  store: EventStore,
  home: Home,
  record: RunRecord,
  { at, isRewind, labels }: { at: string; isRewind: boolean; labels?: Record<string, string> },
): Promise<{ id: string; next: string | null }> {
  if (record.kind !== 'graph') throw new SignalboxError('E_INPUT', `run ${record.id} is no run of a graph`)
  if (isRewind && record.status === 'running')
    throw new SignalboxError('E_STATE', `run ${record.id} is running`, { next: `signalbox cancel ${record.id} first` })
  const found = checkpointsOf(await store.readStream(runStream(record.id)))
  const { node, visit } = placeOf(at)
  const chosen = found.findLast(entry => entry.node === node && (visit === null || entry.visit === visit))
  if (!chosen)
    throw new SignalboxError('E_INPUT', `run ${record.id} has no checkpoint after "${at}"`, {
      next: `it has: ${found.map(entry => `${entry.node}@${entry.visit}`).join(', ') || 'none'}`,
    })
  const { workspace, from: _, ...input } = (await readRun(store, record.id, graphWorkflow)).run.work.input
  const id = await runFromCheckpoint({ ...context, cwd: record.project }, store, home, chosen.checkpoint, {
    graph: graphOf({ ...input, workspace, from: null }),
    title: record.title,
    input,
    from: { run: record.id, as: isRewind ? 'rewind' : 'fork' },
    labels: { ...pipelineLabel(record), ...labels },
  })
  if (isRewind)
    await store.append(runStream(record.id), 'any', [newEvent('run.archived', { reason: `rewound as ${id}` })])
  return { id, next: chosen.checkpoint.next_node }
}

/** `review` is its last visit, `review@2` the second. */
function placeOf(text: string): { node: string; visit: number | null } {
  const match = /^(\w+)(?:@(\d+))?$/.exec(text)
  if (!match) throw new SignalboxError('E_INPUT', `--at takes node or node@visit, not "${text}"`)
  return { node: match[1]!, visit: match[2] === undefined ? null : Number(match[2]) }
}
