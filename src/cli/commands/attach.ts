import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  if (!context.isInteractive)
    throw new SignalboxError('E_NEEDS_HUMAN', 'attach needs a terminal', {
      next: 'signalbox read <id> --screen shows the screen as text',
    })
  const client = await DaemonClient.connect(context)
  const session = await client.get<Session>(`/sessions/${encodeURIComponent(String(args.id))}`)
  const { attachTo } = await import('../attach/attach.js')
  await attachTo(context, client, session.id, { isViewOnly: options.view === true })
  return EXIT.ok
}
