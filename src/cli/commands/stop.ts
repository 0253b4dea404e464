import { EXIT } from '../../errors/index.js'
import type { StoppedSession } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionWord } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'stop'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = `/sessions/${encodeURIComponent(args.id)}/stop`
  const session = await client.post<StoppedSession>(path)
  if (options.json) {
    context.json(session)
    return EXIT.ok
  }
  context.out(`${session.id}: ${sessionWord(session)}`)
  const { nowActive } = session
  if (nowActive) context.out(`active now: ${nowActive.number}  ${nowActive.id}  ${nowActive.label ?? nowActive.agent}`)
  if (nowActive === null) context.out('you have no other running session')
  return EXIT.ok
}
