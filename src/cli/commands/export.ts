import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { oneshotFiles, runDirectory } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { exportAttractor } from '../graphs/export-attractor.js'
import { findRunFor, reportError, withStore } from '../runs/open-runs.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  return withStore(context, async (store, home) => {
    const record = await findRunFor(context, store, String(args.run))
    if (options.format === 'attractor' || (options.format === undefined && record.kind === 'graph')) {
      const output = options.output === undefined ? null : resolve(context.cwd, String(options.output))
      const made = await exportAttractor(store, record, { dataDirectory: home.settings.dataDirectory, output })
      if (options.json) context.json({ run: record.id, ...made })
      else context.out(`${made.directory}: ${made.nodes} nodes, ${made.checkpoints} checkpoints`)
      return EXIT.ok
    }
    if (record.kind !== 'oneshot')
      throw new SignalboxError('E_INPUT', `run ${record.id} is a ${record.kind}: it has no oneshot files`, {
        next: `signalbox show ${record.id} --events prints its journal`,
      })
    const { dataDirectory } = home.settings
    const directory = options.output === undefined ? undefined : resolve(context.cwd, String(options.output))
    const files = oneshotFiles({ store, dataDirectory, onError: error => reportError(context, error) })
    await files.export(record.id, directory)
    const where = directory ?? runDirectory(dataDirectory, record.id)
    if (options.json) context.json({ run: record.id, directory: where, files: ['oneshot.json', 'oneshot-log.json'] })
    else context.out(`${where}/oneshot.json\n${where}/oneshot-log.json`)
    return EXIT.ok
  })
}
