import { SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'
import { joinTmux } from '../watch/tmux.js'

/** The API path of a session: the one that is named, else the active one. */
export async function sessionPath(client: DaemonClient, word: string | undefined): Promise<string> {
  if (word !== undefined) return `/sessions/${encodeURIComponent(word)}`
  const { id } = await client.get<Session>('/active-session')
  return `/sessions/${id}`
}

/** The API paths of a conversation, its screen and its pane: of a session, or of a tmux pane. */
export async function readablePath(
  context: CommandContext,
  client: DaemonClient,
  word: string | undefined,
): Promise<{ conversation: string; screen: string; pane: string }> {
  const session = await sessionPath(client, word)
  try {
    const { id } = await client.get<Session>(session)
    return { conversation: `${session}/conversation`, screen: `${session}/screen`, pane: `/panes/${id}` }
  } catch (error) {
    if (!isUnknown(error) || word === undefined || !isPaneName(word) || !(await isPane(context, client, word)))
      throw error
  }
  const pane = `/panes/${encodeURIComponent(word)}`
  return { conversation: `${pane}/conversation`, screen: `${pane}/frame`, pane }
}

/** A pane's id or its place in tmux (`main:1.0`). A mistyped number is not searched for in tmux. */
function isPaneName(word: string): boolean {
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
