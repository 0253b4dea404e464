import { EXIT } from '../../errors/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { findRunFor, withStore } from '../runs/open-runs.js'
import { showRun } from '../runs/show-run.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async store => {
    const record = await findRunFor(context, store, String(args.run))
    if (options.events) {
      for (const event of await store.readStream(`run/${record.id}`)) context.json(event)
      return EXIT.ok
    }
    await showRun(context, store, record, { isJson: options.json === true })
    return EXIT.ok
  })
}
