import { EXIT, SignalboxError } from '../../errors/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { SessionInfo } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'attach'>): Promise<number> {
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'attach needs a terminal', {
      next: 'signalbox read <id> --screen prints the screen as text',
    })
  const client = await DaemonClient.connect(context)
  const session = await client.get<SessionInfo>(`/sessions/${encodeURIComponent(args.id)}`)
  const { attachTo } = await import('../attach/attach.js')
  await attachTo(context, client, session.id, { isViewOnly: options.view === true })
  return EXIT.ok
}
