import type { Session } from '../../server/index.js'
import type { DaemonClient } from '../daemon-client.js'

/** The path of a session in the API: the one that is named, else the active one. */
export async function sessionPath(client: DaemonClient, word: unknown): Promise<string> {
  if (word !== undefined) return `/sessions/${encodeURIComponent(String(word))}`
  const { id } = await client.get<Session>('/active-session')
  return `/sessions/${id}`
}
