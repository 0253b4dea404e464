import { join } from 'node:path'
import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { storeName } from '../../host/index.js'
import type { CommandContext } from '../context.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { options }: InputOf<'paths'>): Promise<number> {
  const { directories, settings } = openHome(context)
  const paths: Record<string, string> = {
    ...directories,
    'config file': join(directories.config, 'config.toml'),
    store: storeName(settings),
    recordings: join(settings.dataDirectory, 'recordings'),
    'daemon socket': settings.daemonSocket,
    'keeper socket': settings.keeperSocket,
    'daemon log': join(directories.state, 'daemon.log'),
  }
  if (options.json) context.json(paths)
  else for (const [name, path] of Object.entries(paths)) context.out(`${context.style('dim', name.padEnd(14))} ${path}`)
  return EXIT.ok
}
