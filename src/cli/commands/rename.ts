import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'rename'>): Promise<number> {
  const name = args.name.join(' ').trim()
  if (name === '') throw new SignalboxError('E_INPUT', 'the name is empty', { next: 'signalbox rename <id> <name>' })
  const client = await DaemonClient.connect(context)
  const { id, number } = await client.get<Session>(await sessionPath(client, args.id))
  const pane = await client.patch(`/panes/${id}`, { name })
  if (options.json) context.json(pane)
  else context.out(`session ${number} is now "${name}"`)
  return EXIT.ok
}
