import { runStream } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import { readPipeline } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { showRun } from '../runs/show-run.js'
import { findRunFor, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'show'>): Promise<number> {
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, args.run)
    if (options.events) {
      for (const event of await store.readStream(runStream(record.id))) context.json(event)
      return EXIT.ok
    }
    const pipeline = isPipelineRun(record) ? await readPipeline(store, home.settings.dataDirectory, record) : null
    await showRun(context, store, record, { isJson: options.json === true, pipeline })
    return EXIT.ok
  })
}
