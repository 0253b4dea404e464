import { EXIT } from '../../errors/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { type SessionInfo, sessionState } from '../session-info.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const client = await DaemonClient.connect(context)
  const session = await client.post<SessionInfo>(`/sessions/${encodeURIComponent(String(args.id))}/stop`)
  if (options.json) context.json(session)
  else context.out(`${session.id}: ${sessionState(session)}`)
  return EXIT.ok
}
