import { join } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { acquireLock, type Lock, noteStartProgress } from '../../process/index.js'
import type { Home } from './home.js'

/**
 * The right to be the daemon of a home directory. It is taken before the daemon's modules are
 * loaded: of several daemons that start at the same time, all but one end here, and commands that
 * come later see that one is starting.
 * @throws SignalboxError `E_DAEMON_RUNNING`
 */
export async function lockDaemon({ settings }: Home): Promise<Lock> {
  const lock = await acquireLock(join(settings.runtimeDirectory, 'daemon.lock'))
  if (!lock)
    throw new SignalboxError('E_DAEMON_RUNNING', 'Signalbox is already running for this home directory', {
      next: 'signalbox serve --link opens its dashboard; signalbox serve --stop stops it',
    })
  noteStartProgress(settings.runtimeDirectory, 'loading the program')
  return lock
}
