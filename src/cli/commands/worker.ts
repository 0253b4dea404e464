import { hostname } from 'node:os'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
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
  const worker = await startWorker({
    home,
    env: context.env,
    clock: systemClock,
    version: version(),
    maxSteps: parseCount('--max-steps', options.maxSteps) ?? home.loaded.config.worker.max_steps,
    log: line => context.note(`${new Date(systemClock.now()).toISOString()} ${line}`),
  })
  if (options.json) context.json({ worker: worker.name, server: worker.server, pid: process.pid })
  else context.out(`worker ${worker.name} of ${worker.server}`)
  await new Promise<void>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
  await worker.stop()
  return EXIT.ok
}

async function join(
  context: CommandContext,
  link: string | undefined,
  { name, json }: InputOf<'worker'>['options'],
): Promise<number> {
  if (link === undefined)
    throw new SignalboxError('E_INPUT', 'worker join needs a link', { next: 'on the server: signalbox workers invite' })
  const { joinWorker } = await import('../../runs/index.js')
  const joined = await joinWorker(openHome(context), link, { name: name ?? hostname(), clock: systemClock })
  if (json) context.json(joined)
  else {
    context.out(`joined ${joined.server} as ${joined.name}`)
    context.out('Now start it: signalbox worker')
  }
  return EXIT.ok
}
