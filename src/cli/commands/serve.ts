import { systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { openHome } from '../home.js'
import { version } from '../version.js'

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  if (options.stop) return stop(context)
  if (options.background) return background(context, options.json === true)
  const { startDaemon } = await import('../../server/index.js')
  process.umask(0o077)
  const daemon = await startDaemon({
    settings: openHome(context).settings,
    clock: systemClock,
    version: version(),
    log: line => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`),
  })
  if (options.json) context.json({ socket: daemon.socketPath, pid: process.pid })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => daemon.stop())
  // A daemon outlives the terminal that happened to start it.
  process.on('SIGHUP', () => undefined)
  await daemon.stopped
  return EXIT.ok
}

async function background(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const health = await client.get<{ pid: number; version: string }>('/health')
  if (isJson) context.json({ socket: client.socketPath, ...health })
  else context.out(`daemon ${health.version} is running (pid ${health.pid})`)
  return EXIT.ok
}

async function stop(context: CommandContext): Promise<number> {
  const client = await DaemonClient.running(context)
  if (!client) {
    context.out('no daemon is running')
    return EXIT.ok
  }
  await client.post('/shutdown')
  context.out('the daemon stops; sessions live on in the keeper')
  return EXIT.ok
}
