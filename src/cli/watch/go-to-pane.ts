import { findExecutable, runCommand } from '../../process/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'

const TMUX_MS = 5_000

/** Puts the person in front of a pane: attached to a session of ours, or with the pane selected in their tmux. Says what happened. */
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
  // In the same tmux the person's own client goes there; from elsewhere it can only be prepared.
  const [socket] = (context.env.TMUX ?? '').split(',')
  if (socket !== pane.socket) return `selected ${pane.place}; tmux -S ${pane.socket} attach shows it`
  const switched = await tmux('switch-client', '-t', target)
  return switched.code === 0 ? `went to ${pane.place}` : `selected ${pane.place}`
}
