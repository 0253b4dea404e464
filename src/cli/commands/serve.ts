import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { isAlive, reportStarted, reportStartFailure } from '../../process/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { openHome } from '../home.js'
import { version } from '../version.js'

const STOP_TIMEOUT_MS = 20_000

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  if (options.stop) return stop(context, options.json === true)
  if (options.background) return background(context, options.json === true)
  process.umask(0o077)
  const daemon = await open(context).catch(async error => {
    const { code, message, next, place } = toSignalboxError(error)
    await reportStartFailure({ code, message, next, place })
    throw error
  })
  reportStarted()
  if (options.json) context.json({ socket: daemon.socketPath, pid: process.pid })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => daemon.stop())
  // A daemon outlives the terminal that happened to start it.
  process.on('SIGHUP', () => undefined)
  await daemon.stopped
  return EXIT.ok
}

async function open(context: CommandContext) {
  const { startDaemon } = await import('../../server/index.js')
  return startDaemon({
    settings: openHome(context).settings,
    clock: systemClock,
    version: version(),
    log: line => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`),
  })
}

async function background(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const health = await client.get<{ pid: number; version: string }>('/health')
  if (isJson) context.json({ socket: client.socketPath, ...health })
  else context.out(`daemon ${health.version} is running (pid ${health.pid})`)
  return EXIT.ok
}

async function stop(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.running(context)
  if (!client) {
    if (isJson) context.json({ stopped: null })
    else context.out('no daemon is running')
    return EXIT.ok
  }
  const { pid } = await client.get<{ pid: number }>('/health')
  await client.post('/shutdown')
  const deadline = systemClock.monotonic() + STOP_TIMEOUT_MS
  while (isAlive(pid)) {
    if (systemClock.monotonic() > deadline)
      throw new SignalboxError('E_TIMEOUT', `the daemon (pid ${pid}) has not ended within ${STOP_TIMEOUT_MS / 1000} s`)
    await delay(systemClock, 20)
  }
  if (isJson) context.json({ stopped: pid })
  else context.out('the daemon has stopped; sessions live on in the keeper')
  return EXIT.ok
}
