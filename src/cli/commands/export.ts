import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { exportAttractor, oneshotFiles, runDirectory } from '../../runs/index.js'
import type { CommandContext } from '../context.js'
import { findRunFor, reportError, withStore } from '../runs/with-store.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'export'>): Promise<number> {
  const { run: word } = args
  if (options.all) {
    if (word !== undefined)
      throw new SignalboxError('E_INPUT', `--all exports everything; it cannot be combined with "${word}"`, {
        next: 'leave one of them out; -o names the directory',
      })
    const { exportAll } = await import('../export/export-all.js')
    return exportAll(context, options)
  }
  if (options.format === 'html' || options.format === 'asciicast') {
    const { exportSession } = await import('../export/export-session.js')
    return exportSession(context, word, { ...options, format: options.format })
  }
  if (word === undefined)
    throw new SignalboxError('E_INPUT', 'name a run, or add --all', { next: 'signalbox export latest' })
  return withStore(context, async (store, home) => {
    const { dataDirectory } = home.settings
    const record = await findRunFor(context, store, word)
    const output = options.output === undefined ? null : resolve(context.cwd, options.output)
    if (options.format === 'attractor' || (options.format === undefined && record.kind === 'graph')) {
      const made = await exportAttractor(store, record, { dataDirectory, output })
      if (options.json) context.json({ run: record.id, ...made })
      else context.out(`${made.directory}: ${made.nodes} nodes, ${made.checkpoints} checkpoints`)
      return EXIT.ok
    }
    if (record.kind !== 'oneshot')
      throw new SignalboxError('E_INPUT', `run ${record.id} is a ${record.kind}: it has no oneshot files`, {
        next: `signalbox show ${record.id} --events prints its journal`,
      })
    const files = oneshotFiles({ store, dataDirectory, onError: error => reportError(context, error) })
    await files.export(record.id, output ?? undefined)
    const directory = output ?? runDirectory(dataDirectory, record.id)
    if (options.json) context.json({ run: record.id, directory, files: ['oneshot.json', 'oneshot-log.json'] })
    else context.out(`${directory}/oneshot.json\n${directory}/oneshot-log.json`)
    return EXIT.ok
  })
}
