import { join } from 'node:path'
import {
  type Directories,
  ensureDirectories,
  type LoadedConfig,
  loadConfig,
  parseSize,
  resolveDirectories,
  socketPath,
} from '../config/index.js'
import type { HostSettings } from '../host/index.js'
import type { CommandContext } from './context.js'

export interface Home {
  directories: Directories
  loaded: LoadedConfig
  settings: HostSettings
}

/** The directories and settings in force, checked. Everything that is wrong with them is said here, before anything is started. */
export function openHome(context: CommandContext, options: { home?: string } = {}): Home {
  const environment = options.home ? { ...context.env, SIGNALBOX_HOME: options.home } : context.env
  const directories = resolveDirectories(environment, context.env.HOME)
  ensureDirectories(directories)
  const loaded = loadConfig({ environment, userFile: join(directories.config, 'config.toml') })
  const { config } = loaded
  return {
    directories,
    loaded,
    settings: {
      dataDirectory: directories.data,
      runtimeDirectory: directories.runtime,
      daemonSocket: socketPath(directories, 'signalbox.sock'),
      keeperSocket: socketPath(directories, 'keeper.sock'),
      packDirectory: join(directories.config, 'packs'),
      size: parseSize(config.terminal.size),
      scrollback: config.terminal.scrollback,
      maxSessions: config.sessions.max_total,
      minFreeMb: config.store.min_free_mb,
      envPass: config.env.pass,
    },
  }
}
