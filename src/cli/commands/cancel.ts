import { cancelRun } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { findRunFor, withStore } from '../runs/open-runs.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async store => {
    const record = await findRunFor(context, store, String(args.run))
    await cancelRun(store, record.id, { by: 'local', reason: String(options.reason ?? 'cancelled by a person') })
    if (options.json) context.json({ run: record.id, status: 'cancelled' })
    else context.out(`${record.id} is cancelled`)
    return EXIT.ok
  })
}
