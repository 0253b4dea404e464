import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { buildTime, reportStarted, reportStartFailure } from '../../process/index.js'
import type { Health, Lockdown, LoginLink, TokenFile } from '../../server/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { openHome } from '../home.js'
import { serverExtras } from '../serve/server-extras.js'
import { serverSettings } from '../serve/server-settings.js'
import { telegramSurface } from '../serve/telegram-surface.js'
import type { CommandInput } from '../specs/command-spec.js'
import { version } from '../version.js'

/** An end in good order takes a moment; whoever asked for it waits for twenty seconds. */
const STOP_LIMIT_MS = 15_000

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  const isJson = options.json === true
  if (options.stop) return stop(context, isJson)
  if (options.rotateToken) return rotateToken(context, isJson)
  if (options.link) return link(context, options, isJson)
  if (options.lockdown) return lockdown(context, isJson)
  if (options.background) return background(context, isJson)
  process.umask(0o077)
  // Started by a command that needs a daemon: nobody reads what is printed here.
  const isDetached = process.send !== undefined
  const daemon = await open(context, options, isDetached).catch(async error => {
    const { code, message, next, place } = toSignalboxError(error)
    await reportStartFailure({ code, message, next, place })
    throw error
  })
  reportStarted()
  const url = isDetached ? null : daemon.link()
  if (isJson) context.json({ address: daemon.address, link: url, socket: daemon.socketPath, pid: process.pid })
  else if (url !== null) {
    context.out(`Signalbox is at ${url}`)
    context.out(context.style('dim', 'The link works once, for five minutes; signalbox serve --link prints another.'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => daemon.stop())
  const limit = daemon.stopping.then(() => systemClock.setTimer(STOP_LIMIT_MS, () => cutOff(context)))
  // A daemon outlives the terminal that happened to start it.
  process.on('SIGHUP', () => undefined)
  await daemon.stopped
  const timer = await limit
  timer.cancel()
  return EXIT.ok
}

/** Something that the daemon waits for does not come. What it has acknowledged is in the log, and its agents are the keeper's. */
function cutOff(context: CommandContext): never {
  context.note(`error: not ended in good order within ${STOP_LIMIT_MS / 1000} s; ended all the same`)
  process.exit(EXIT.failed)
}

async function open(context: CommandContext, options: CommandInput['options'], isDetached: boolean) {
  const { startDaemon } = await import('../../server/index.js')
  const home = openHome(context)
  const server = serverSettings(home.loaded.config, home.directories, {
    ...(options.port !== undefined && { port: portOf(String(options.port)) }),
    isReadOnly: options.readOnly === true,
  })
  const log = (line: string) => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`)
  const telegram = telegramSurface(context, home, log)
  return startDaemon({
    settings: home.settings,
    server,
    extras: { ...serverExtras(context, home), ...telegram.extras },
    surface: parts => telegram.open(parts),
    isDetached,
    clock: systemClock,
    version: version(),
    buildTime: buildTime(),
    log,
  })
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && text.trim() !== '') return port
  throw new SignalboxError('E_INPUT', `"${text}" is no port`, { next: '0 chooses a free one' })
}

async function link(context: CommandContext, options: CommandInput['options'], isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const { url, address, role } = await client.post<LoginLink>('/auth/links', {
    ...(options.role !== undefined && { role: String(options.role) }),
    ...(options.as !== undefined && { name: String(options.as) }),
  })
  if (isJson) context.json({ address, link: url, role })
  else context.out(url)
  return EXIT.ok
}

async function rotateToken(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const { file } = await client.post<TokenFile>('/auth/token/rotate')
  if (isJson) context.json({ file })
  else context.out(`a new token is in ${file}; the one before is worth nothing any more`)
  return EXIT.ok
}

async function lockdown(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const done = await client.post<Lockdown>('/lockdown')
  if (isJson) context.json(done)
  else {
    context.out(`locked: ${plural(done.grants, 'grant')} ended, every login and the token are worth nothing any more`)
    context.out('Only denials are taken until signalbox serve --stop and a new start. Sessions go on.')
  }
  return EXIT.ok
}

async function background(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const health = await client.get<Health>('/health')
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
  const { pid } = await client.get<Health>('/health')
  await client.end(pid)
  if (isJson) context.json({ stopped: pid })
  else context.out('the daemon has stopped; sessions live on in the keeper')
  return EXIT.ok
}
