import { EXIT } from '../../errors/index.js'
import type { Interrupted } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'interrupt'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const done = await client.post<Interrupted>(`${await sessionPath(client, args.id)}/interrupt`)
  if (options.json) context.json(done)
  else if (done.result === 'interrupted') context.out(`${done.session}: interrupted`)
  else if (done.result === 'idle') context.out(`${done.session}: nothing to interrupt`)
  else context.note(`signalbox: not interrupted: ${done.detail ?? done.result}`)
  if (done.result === 'interrupted' || done.result === 'idle') return EXIT.ok
  return done.reason === 'menu' ? EXIT.needsHuman : EXIT.failed
}
