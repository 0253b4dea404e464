import { hostname } from 'node:os'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { useCommandHelper } from '../../process/index.js'
import type { FoundServer } from '../../runs/index.js'
import { askYes } from '../ask.js'
import type { CommandContext } from '../context.js'
import { parseCount } from '../parse-options.js'
import type { InputOf } from '../specs/index.js'
import { version } from '../version.js'

export async function run(context: CommandContext, { args, options }: InputOf<'worker'>): Promise<number> {
  if (args.action === 'join') return join(context, args.link, options)
  if (args.action !== undefined)
    throw new SignalboxError('E_INPUT', `unknown action "${args.action}"`, { next: 'signalbox worker join <link>' })
  process.umask(0o077)
  const home = openHome(context)
  const { startWorker } = await import('../../runs/index.js')
  const { WorkerHost } = await import('../../daemon/index.js')
  const { max_steps: steps, max_sessions: sessions } = home.loaded.config.worker
  useCommandHelper()
  const log = (line: string) => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`)
  const onError = (error: unknown) => log(`error: ${error instanceof Error ? error.stack : String(error)}`)
  let failed = () => {}
  const failing = new Promise<typeof EXIT.failed>(resolve => {
    failed = () => resolve(EXIT.failed)
  })
  let drained = () => {}
  const draining = new Promise<typeof EXIT.ok>(resolve => {
    drained = () => resolve(EXIT.ok)
  })
  const worker = await startWorker({
    home,
    env: context.env,
    clock: systemClock,
    version: version(),
    maxSteps: parseCount('--max-steps', options.maxSteps) ?? steps,
    maxSessions: parseCount('--max-sessions', options.maxSessions) ?? sessions,
    isDraining: options.drain ?? false,
    onDrained: () => {
      log('nothing is left: the worker ends')
      drained()
    },
    openSessions: opened =>
      new WorkerHost({ ...opened, home, clock: systemClock, version: version(), onFailed: failed, onError }),
    log,
  })
  if (options.json) context.json({ worker: worker.name, server: worker.server, pid: process.pid })
  else context.out(`worker ${worker.name} of ${worker.server}`)
  const asked = new Promise<typeof EXIT.ok>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(EXIT.ok))
  })
  const code = await Promise.race([asked, failing, draining])
  await worker.stop()
  return code
}

async function join(
  context: CommandContext,
  link: string | undefined,
  { name, yes, json }: InputOf<'worker'>['options'],
): Promise<number> {
  if (link === undefined)
    throw new SignalboxError('E_INPUT', 'worker join needs a link', { next: 'on the server: signalbox workers invite' })
  const { joinWorker } = await import('../../runs/index.js')
  const joined = await joinWorker(openHome(context), link, {
    name: name ?? hostname(),
    clock: systemClock,
    mayTrust: found => mayTrust(context, found, { yes, json }),
  })
  if (joined === null) {
    context.out('Nothing was joined.')
    return EXIT.ok
  }
  if (json) context.json(joined)
  else {
    context.out(`joined ${joined.server} as ${joined.name}`)
    context.out('Now start it: signalbox worker')
  }
  return EXIT.ok
}

/**
 * A worker does what its server asks for, so a person confirms which server that is.
 * @throws SignalboxError `E_NEEDS_HUMAN` if nothing vouches for the server and no one can be asked.
 */
async function mayTrust(
  context: CommandContext,
  { server, fingerprint, isExpected }: FoundServer,
  { yes, json }: Pick<InputOf<'worker'>['options'], 'yes' | 'json'>,
): Promise<boolean> {
  const says = json ? context.note : context.out
  says(`server       ${server}`)
  says(`fingerprint  ${fingerprint ?? 'none: the connection is not encrypted'}${isExpected ? ' (as in the link)' : ''}`)
  if (yes) return true
  if (json || !context.isInteractive) {
    if (isExpected) return true
    throw new SignalboxError('E_NEEDS_HUMAN', 'nothing was joined: there is no terminal to ask in', {
      next:
        fingerprint === null
          ? 'add --yes if this is your server'
          : 'compare the fingerprint with the one that signalbox workers invite printed, then add --yes',
    })
  }
  if (fingerprint !== null) context.out('Compare it with the one that signalbox workers invite printed on the server.')
  return askYes('The server will start agents and commands here, as your user. Join it?')
}
