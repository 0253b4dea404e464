import { tmuxLocations } from '../../panes/tmux/index.js'
import { findExecutable, runCommand } from '../../process/index.js'
import type { TmuxJoined } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'

/**
 * Tells the daemon the tmux servers of this terminal's environment, which may differ from the
 * daemon's.
 * @returns whether there are any.
 */
export async function joinTmux(
  context: CommandContext,
  client: DaemonClient,
  configured: string | null,
): Promise<boolean> {
  const { joined } = await client.post<TmuxJoined>('/panes/sources/tmux', tmuxLocations(context.env, configured))
  return joined
}

const TMUX_MS = 5_000

/** Opens a pane: attaches to a session, or selects it in tmux. @returns what happened. */
export async function goToPane(context: CommandContext, client: DaemonClient, pane: PaneInfo): Promise<string> {
  if (pane.source === 'session') {
    const { attachTo } = await import('../attach/attach.js')
    await attachTo(context, client, pane.id, { isViewOnly: false })
    return `back from ${pane.place}`
  }
  const file = findExecutable('tmux', { path: context.env.PATH, cwd: '/' })
  if (!file || pane.socket === undefined || pane.tmuxPane === undefined) return 'tmux was not found'
  const target = pane.tmuxPane
  const tmux = (...args: string[]) =>
    runCommand(file, ['-S', pane.socket!, ...args], { cwd: '/', env: context.env, timeoutMs: TMUX_MS })
  const selected = await tmux('select-window', '-t', target, ';', 'select-pane', '-t', target)
  if (selected.code !== 0) return `tmux: ${selected.stderr.trim() || 'the pane is gone'}`
  // In the same tmux server the person's client switches; otherwise the pane is only selected.
  const [socket] = (context.env.TMUX ?? '').split(',')
  if (socket !== pane.socket) return `selected ${pane.place}; open it: tmux -S ${pane.socket} attach`
  const switched = await tmux('switch-client', '-t', target)
  return switched.code === 0 ? `switched to ${pane.place}` : `selected ${pane.place}`
}
