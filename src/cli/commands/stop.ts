import { EXIT } from '../../errors/index.js'
import type { StoppedSession } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionState } from '../sessions/session-info.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = `/sessions/${encodeURIComponent(String(args.id))}/stop`
  const session = await client.post<StoppedSession>(path)
  if (options.json) {
    context.json(session)
    return EXIT.ok
  }
  context.out(`${session.id}: ${sessionState(session)}`)
  const { nowActive } = session
  if (nowActive) context.out(`active now: ${nowActive.number}  ${nowActive.id}  ${nowActive.label ?? nowActive.agent}`)
  if (nowActive === null) context.out('no other session of yours is running')
  return EXIT.ok
}
