import { cancelRun } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { oneshotFiles } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor, reportError, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const { onlyCandidate } = await import('../pipelines/resume-pipeline.js')
  const word = args.run === undefined ? await onlyCandidate(context, 'cancel') : String(args.run)
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, word)
    await cancelRun(store, record.id, { by: 'local', reason: String(options.reason ?? 'cancelled by a person') })
    // Whoever drives it writes its files; without a driver this does.
    if (record.kind === 'oneshot' && record.status !== 'running')
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
