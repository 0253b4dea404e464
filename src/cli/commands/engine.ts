import { installEngine } from '../../daemon/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Engine } from '../../server/index.js'
import { plural } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'engine'>): Promise<number> {
  const { action = 'status' } = args
  if (action === 'install') return install(context, options.json === true)
  if (action === 'status') return status(context, options.json === true)
  if (action === 'rebuild') return rebuild(context, args.run, options.json === true)
  throw new SignalboxError('E_INPUT', `unknown action "${action}"`, {
    next: 'signalbox engine install, status or rebuild',
  })
}

async function install(context: CommandContext, isJson: boolean): Promise<number> {
  const path = await installEngine(context.env, () => {
    if (!isJson) context.note('getting Restate from npm (220 MB) …')
  })
  if (isJson) context.json({ installed: path })
  else context.out(`Restate is in ${path}. Use it with: signalbox serve --engine restate`)
  return EXIT.ok
}

async function status(context: CommandContext, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const found = await client.get<Engine>('/engine')
  const isAway = found.kind === 'restate' && !found.isAnswering
  if (isJson) context.json(found)
  else {
    const state = found.kind !== 'restate' ? '' : isAway ? ', does not answer: servers take turns' : ', answers'
    context.out(`${found.kind}${state}; this server runs ${plural(found.turns, 'run')}`)
    for (const { run } of found.failing) context.out(`  ${run}: its last turn failed, and is tried again`)
    for (const { id, address, version, isSelf } of found.servers)
      context.out(`  ${id}  ${address ?? 'starting'}  ${version}${isSelf ? '  this one' : ''}`)
  }
  return isAway ? EXIT.failed : EXIT.ok
}

async function rebuild(context: CommandContext, run: string | undefined, isJson: boolean): Promise<number> {
  const client = await DaemonClient.connect(context)
  const { runs } = await client.post<{ runs: number }>('/engine/rebuild', run === undefined ? {} : { run })
  if (isJson) context.json({ runs })
  else context.out(`the engine checks ${plural(runs, 'run')}`)
  return EXIT.ok
}
