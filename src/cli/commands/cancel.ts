import { systemClock } from '../../clock/index.js'
import { RunDrivers } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { cancelRun, oneshotFiles, soleRunOfDirectory } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor, reportError, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'cancel'>): Promise<number> {
  return withStore(context, async (store, home) => {
    const record =
      args.run === undefined
        ? await soleRunOfDirectory(store, context.cwd, 'cancel')
        : await findRunFor(context, store, args.run)
    const isDriven = await new RunDrivers(store, systemClock).isHeld(record.id)
    await cancelRun({ store, clock: systemClock }, record.id, {
      by: 'local',
      reason: options.reason ?? 'cancelled by a person',
    })
    // The process that drives a run writes its files; without one this command does.
    if (record.kind === 'oneshot' && !isDriven)
      await oneshotFiles({
        store,
        dataDirectory: home.settings.dataDirectory,
        onError: error => reportError(context, error),
      }).export(record.id)
    if (options.json) context.json({ run: record.id, status: 'cancelled' })
    else context.out(`${record.id} is cancelled`)
    return EXIT.ok
  })
}
