import { setDeadline, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError, toSignalboxError } from '../../errors/index.js'
import { lockDaemon, openHome } from '../../host/home/index.js'
import { buildTime, reportStarted, reportStartFailure } from '../../process/index.js'
import type { Health, Lockdown, LoginLink, TokenFile } from '../../server/index.js'
import { plural } from '../../text/index.js'
import { refuseToServe } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

type Options = InputOf<'serve'>['options']

/** How long a clean stop may take. */
const STOP_LIMIT_MS = 4_000

export async function run(given: CommandContext, { options }: InputOf<'serve'>): Promise<number> {
  const stored = options.store === undefined ? given : await withStoreUrl(given, options.store)
  // The daemon, also one in the background, reads it from the environment.
  const context = { ...stored, env: { ...stored.env, ...engineVariables(options) } }
  if (options.stop) return stop(context, options)
  if (options.restart) return restart(context, options)
  if (options.rotateToken) return rotateToken(context, options)
  if (options.link) return printLink(context, options)
  if (options.lockdown) return lockdown(context, options)
  if (options.background) return background(context, options)
  return serve(context, options)
}

/** @throws SignalboxError `E_INPUT` */
function engineVariables({ engine, node, nodes }: Options): Record<string, string> {
  const isAddress = engine?.startsWith('restate+') === true
  if (engine !== undefined && !isAddress && !['embedded', 'store', 'restate'].includes(engine))
    throw new SignalboxError('E_INPUT', `unknown engine "${engine}"`, {
      next: 'use embedded, store, restate, or restate+http://host:8080',
    })
  return {
    ...(engine !== undefined && { SIGNALBOX_ENGINE_KIND: isAddress ? 'restate' : engine }),
    ...(isAddress && { SIGNALBOX_ENGINE_URL: engine }),
    ...(node !== undefined && { SIGNALBOX_ENGINE_NODE: node }),
    ...(nodes !== undefined && { SIGNALBOX_ENGINE_NODES: nodes }),
  }
}

/** The daemon, also one in the background, reads it from the environment. */
async function withStoreUrl(context: CommandContext, url: string): Promise<CommandContext> {
  const { parseStoreUrl } = await import('../../store/index.js')
  parseStoreUrl(url)
  const { loaded } = openHome(context)
  if (loaded.config.store.url !== url)
    context.note('note: commands that read the store themselves use store.url; set it to the same URL')
  return { ...context, env: { ...context.env, SIGNALBOX_STORE_URL: url } }
}

/** Runs the daemon in this process until it is stopped. */
async function serve(context: CommandContext, options: Options): Promise<number> {
  const { port, readOnly, json } = options
  refuseToServe(context)
  process.umask(0o077)
  // Started by a command that needs a daemon: its output is not read.
  const isDetached = process.send !== undefined
  const hasOptions = givenOptions(options).length > 0
  const starting = async () => {
    const lock = await lockDaemon(openHome(context))
    const { startDaemon } = await import('../../daemon/index.js')
    return startDaemon({
      env: context.env,
      lock,
      port: port === undefined ? undefined : parsePort(port),
      isReadOnly: readOnly === true,
      // For debuggers, and for tests that look for leftover processes.
      hidesMemory: !context.env.SIGNALBOX_TRACEABLE,
      // A daemon that a person gave options to is not replaced by one without them.
      isDetached: isDetached && !hasOptions,
      clock: systemClock,
      version: version(),
      buildTime: buildTime(),
      log: line => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`),
    })
  }
  const daemon = await starting().catch(async error => {
    const { code, message, next, place } = toSignalboxError(error)
    await reportStartFailure({ code, message, next, place })
    if (code === 'E_DAEMON_RUNNING' && !isDetached && !hasOptions) return null
    throw error
  })
  if (daemon === null) {
    context.note('Signalbox is already running. To stop it: signalbox serve --stop. A new link:')
    return printLink(context, { json })
  }
  reportStarted()
  const url = isDetached ? null : await daemon.link()
  if (json) context.json({ address: daemon.address, link: url, socket: daemon.socketPath, pid: process.pid })
  else if (url !== null) {
    context.out(`Signalbox is running: ${url}`)
    context.out(context.style('dim', 'The link works once, for 5 minutes. For a new one: signalbox serve --link'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => daemon.stop())
  void daemon.stopping.then(() => setDeadline(STOP_LIMIT_MS, () => forceExit(context)))
  // The daemon keeps running when its terminal closes.
  process.on('SIGHUP', () => undefined)
  await daemon.stopped
  return daemon.hasFailed() ? EXIT.failed : EXIT.ok
}

/**
 * Everything that the daemon has acknowledged is in the log, and its agents belong to the keeper.
 * The next daemon ends what the steps of its runs left running.
 */
function forceExit(context: CommandContext): never {
  context.note(`error: the daemon did not stop cleanly within ${STOP_LIMIT_MS / 1000} s; exiting`)
  process.exit(EXIT.failed)
}

function parsePort(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && text.trim() !== '') return port
  throw new SignalboxError('E_INPUT', `invalid port "${text}"`, { next: 'use 0 to 65535; 0 chooses a free one' })
}

async function printLink(context: CommandContext, { role, as: name, json }: Options): Promise<number> {
  const client = await DaemonClient.connect(context)
  const made = await client.post<LoginLink>('/auth/links', {
    ...(role !== undefined && { role }),
    ...(name !== undefined && { name }),
  })
  if (json) context.json({ address: made.address, link: made.url, role: made.role })
  else context.out(made.url)
  return EXIT.ok
}

async function rotateToken(context: CommandContext, { json }: Options): Promise<number> {
  const client = await DaemonClient.connect(context)
  const { file } = await client.post<TokenFile>('/auth/token/rotate')
  if (json) context.json({ file })
  else context.out(`a new token is in ${file}; the old one is no longer valid`)
  return EXIT.ok
}

async function lockdown(context: CommandContext, { json }: Options): Promise<number> {
  const client = await DaemonClient.connect(context)
  const done = await client.post<Lockdown>('/lockdown')
  if (json) context.json(done)
  else {
    context.out(`locked down: ${plural(done.grants, 'standing approval')}, every login and the token are revoked`)
    context.out('Only denials are accepted until signalbox serve --stop and a new start. Agents keep running.')
  }
  return EXIT.ok
}

/** The options that are passed to the started daemon. */
function givenOptions({ port, readOnly, store, engine, node, nodes }: Options): string[] {
  return [
    ...(port === undefined ? [] : ['--port', String(parsePort(port))]),
    ...(readOnly ? ['--read-only'] : []),
    ...Object.entries({ store, engine, node, nodes }).flatMap(([name, value]) => (value ? [`--${name}`, value] : [])),
  ]
}

async function background(context: CommandContext, options: Options): Promise<number> {
  const { json } = options
  const wanted = givenOptions(options)
  if (wanted.length > 0 && (await DaemonClient.running(context)))
    throw new SignalboxError('E_DAEMON_RUNNING', `a daemon is running: ${wanted.join(' ')} would have no effect`, {
      next: 'signalbox serve --stop, then start it again',
    })
  const client = await DaemonClient.connect(context, wanted)
  const health = await client.get<Health>('/health')
  if (json) context.json({ socket: client.socketPath, ...health })
  else context.out(`the daemon ${health.version} is running (pid ${health.pid})`)
  return EXIT.ok
}

async function stop(context: CommandContext, { json }: Options): Promise<number> {
  const client = await DaemonClient.running(context)
  if (!client) {
    if (json) context.json({ stopped: null })
    else context.out('the daemon is not running')
    return EXIT.ok
  }
  const { pid } = await client.get<Health>('/health')
  await client.end(pid)
  if (json) context.json({ stopped: pid })
  else context.out('Stopped. Your agents keep running. The next command that needs Signalbox starts it again.')
  return EXIT.ok
}

/** A new daemon takes over the sessions; agents keep running meanwhile. */
async function restart(context: CommandContext, options: Options): Promise<number> {
  const client = await DaemonClient.running(context)
  if (client) await client.end((await client.get<Health>('/health')).pid)
  return background(context, options)
}
