import { systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import { pauseRun, soleRunOfDirectory } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'pause'>): Promise<number> {
  return withStore(context, async store => {
    const { id } =
      args.run === undefined
        ? await soleRunOfDirectory(store, context.cwd, 'pause')
        : await findRunFor(context, store, args.run)
    await pauseRun({ store, clock: systemClock }, id, { by: 'local', reason: options.reason ?? 'paused by a person' })
    if (options.json) context.json({ run: id, status: 'paused' })
    else {
      context.out(`${id} is paused`)
      context.note(`resume with: signalbox resume ${id}`)
    }
    return EXIT.ok
  })
}
