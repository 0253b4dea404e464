import { resolve } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { storeFile } from '../../host/index.js'
import { type BackupPaths, verifyBackup, writeBackup } from '../../store/backup/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

export async function run(context: CommandContext, { args, options }: InputOf<'backup'>): Promise<number> {
  const day = new Date(systemClock.now()).toISOString().slice(0, 10)
  const file = resolve(context.cwd, args.file ?? `signalbox-${day}.tar.gz`)
  const manifest = options.verify
    ? await verifyBackup(file)
    : await writeBackup(file, backupPaths(context), {
        clock: systemClock,
        version: version(),
        replaces: options.replace ?? false,
      })
  const { store, files } = manifest
  const found = { file, created: manifest.created, events: store.events, files: Object.keys(files).length }
  if (options.json) context.json(found)
  else context.out(`${file}: ${plural(found.events, 'event')}, ${plural(found.files, 'file')}, verified`)
  return EXIT.ok
}

/**
 * What a backup keeps of this home directory. @throws SignalboxError `E_BACKUP` for a shared store.
 */
export function backupPaths(context: CommandContext): BackupPaths {
  const { directories, settings } = openHome(context)
  if (settings.sharedStore)
    throw new SignalboxError('E_BACKUP', `the events are in ${settings.sharedStore.url}`, {
      next: 'back up the database with pg_dump, and the data directory (signalbox paths) as files',
    })
  return {
    storeFile: storeFile(settings.dataDirectory),
    directories: { config: directories.config, data: directories.data },
  }
}
