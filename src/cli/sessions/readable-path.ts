import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { joinTmux } from '../watch/join-tmux.js'
import { sessionPath } from './session-path.js'

/** What can be read: a session of ours, or a pane of tmux in which somebody else started an agent. */
export interface Readable {
  conversation: string
  screen: string
}

export async function readablePath(context: CommandContext, client: DaemonClient, word: unknown): Promise<Readable> {
  const session = await sessionPath(client, word)
  const ofSession = { conversation: `${session}/conversation`, screen: `${session}/screen` }
  if (word === undefined) return ofSession
  try {
    await client.get(session)
    return ofSession
  } catch (error) {
    if (!isUnknown(error) || !isPlace(String(word)) || !(await isPane(context, client, String(word)))) throw error
  }
  const pane = `/panes/${encodeURIComponent(String(word))}`
  return { conversation: `${pane}/conversation`, screen: `${pane}/frame` }
}

/** A pane by its id of ours or of tmux, or by its place (`main:1.0`). tmux is not looked for on behalf of a mistyped number. */
function isPlace(word: string): boolean {
  return word.startsWith('pan_') || word.startsWith('%') || word.includes(':')
}

async function isPane(context: CommandContext, client: DaemonClient, word: string): Promise<boolean> {
  const { config } = openHome(context).loaded
  await joinTmux(context, client, config.panes.tmux_socket)
  try {
    await client.get(`/panes/${encodeURIComponent(word)}`)
    return true
  } catch (error) {
    if (isUnknown(error)) return false
    throw error
  }
}

function isUnknown(error: unknown): boolean {
  return error instanceof SignalboxError && error.code === 'E_UNKNOWN'
}
