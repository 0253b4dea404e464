import { join } from 'node:path'
import { type Clock, delay } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import { ownProgram, startDetached } from '../process/index.js'
import { KeeperClient } from './keeper-client.js'

const START_TIMEOUT_MS = 10_000

/** Connects to the keeper of this runtime directory; starts it first if none runs. */
export async function startKeeper(options: {
  runtimeDirectory: string
  socketPath: string
  clock: Clock
  onLost: (error: Error) => void
}): Promise<KeeperClient> {
  const { socketPath } = options
  const running = await tryConnect(socketPath, options.onLost)
  if (running) return running
  const logFile = join(options.runtimeDirectory, 'keeper.log')
  startDetached(ownProgram('keeper/main'), [join(options.runtimeDirectory, 'keeper.lock'), socketPath], {
    logFile,
    cwd: '/',
    env: keeperEnvironment(),
  })
  const deadline = options.clock.monotonic() + START_TIMEOUT_MS
  while (options.clock.monotonic() < deadline) {
    await delay(options.clock, 20)
    const client = await tryConnect(socketPath, options.onLost)
    if (client) return client
  }
  throw new SignalboxError('E_KEEPER_START', `the keeper did not start within ${START_TIMEOUT_MS / 1000} s`, {
    next: `see ${logFile}`,
  })
}

async function tryConnect(path: string, onLost: (error: Error) => void): Promise<KeeperClient | null> {
  let isConnected = false
  try {
    const client = await KeeperClient.connect(path, error => isConnected && onLost(error))
    isConnected = true
    return client
  } catch (error) {
    // There is no socket, a dead keeper left it, or another daemon still uses the keeper.
    if (error instanceof SignalboxError && error.code !== 'E_KEEPER_LOST') throw error
    return null
  }
}

/** The keeper needs little: a session's environment comes with its spawn request. */
function keeperEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR, USER, SIGNALBOX_TRACEABLE } = process.env
  return Object.fromEntries(
    Object.entries({ PATH, HOME, LANG, TMPDIR, USER, SIGNALBOX_TRACEABLE }).filter(([, value]) => value !== undefined),
  )
}
