import { resolve } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { restoreBackup } from '../../store/backup/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { backupPaths } from './backup.js'

export async function run(context: CommandContext, { args, options }: InputOf<'restore'>): Promise<number> {
  if (await DaemonClient.running(context))
    throw new SignalboxError('E_BACKUP', 'the daemon is running', { next: 'signalbox serve --stop' })
  const paths = backupPaths(context)
  const { version, store, files } = await restoreBackup(resolve(context.cwd, args.file), paths, systemClock)
  const count = Object.keys(files).length
  if (options.json) context.json({ store: paths.storeFile, version, events: store.events, files: count })
  else {
    context.out(`restored ${plural(store.events, 'event')} and ${plural(count, 'file')} (written by ${version})`)
    context.out('Sessions that ran when the backup was made are listed as lost: signalbox resume --lost')
  }
  return EXIT.ok
}
