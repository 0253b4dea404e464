import { EXIT } from '../../errors/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import type { CommandContext } from '../context.js'
import { readPipeline } from '../pipelines/drive-pipeline.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import { showRun } from '../runs/show-run.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, String(args.run))
    if (options.events) {
      for (const event of await store.readStream(`run/${record.id}`)) context.json(event)
      return EXIT.ok
    }
    const pipeline = isPipelineRun(record) ? await readPipeline(store, home, record) : null
    await showRun(context, store, record, { isJson: options.json === true, pipeline })
    return EXIT.ok
  })
}
