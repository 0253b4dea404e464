import { EXIT } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { SessionInfo } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'use'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const session =
    args.id === undefined
      ? await client.get<SessionInfo>('/active-session')
      : await client.post<SessionInfo>('/active-session', { session: args.id })
  if (options.json) context.json(session)
  else context.out(`${session.number}  ${session.id}  ${session.agent}  ${session.label ?? session.cwd}`)
  return EXIT.ok
}
