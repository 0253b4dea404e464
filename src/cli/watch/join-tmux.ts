import { tmuxDirectory } from '../../panes/tmux/index.js'
import type { TmuxJoined } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'

/** The tmux servers that this terminal's environment knows; the daemon may have been started with another one. False: there are none. */
export async function joinTmux(
  context: CommandContext,
  client: DaemonClient,
  configured: string | null,
): Promise<boolean> {
  const uid = process.getuid?.() ?? 0
  const [inside] = (context.env.TMUX ?? '').split(',')
  const sockets = configured === null ? (inside ? [inside] : []) : [configured]
  const directories = configured === null ? [tmuxDirectory(context.env, uid)] : []
  const { joined } = await client.post<TmuxJoined>('/panes/sources/tmux', { sockets, directories })
  return joined
}
