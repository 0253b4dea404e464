import type { Conversation, Message, RecordingIndex } from '../api/types'
import { getJson, request } from '../transport/request'
import { type Cast, parseCast } from './cast'

export interface Replayed {
  index: RecordingIndex
  cast: Cast
  messages: Message[]
}

/**
 * A recording with its index and its conversation, by the id of the recording or of its session.
 */
export async function loadReplay(id: string, signal: AbortSignal): Promise<Replayed> {
  const index = await getJson<RecordingIndex>(`/recordings/${id}/index`, { signal })
  const { session } = index.recording
  const [cast, conversation] = await Promise.all([
    request(`/recordings/${index.recording.id}.cast`, { signal }).then(response => response.text()),
    getJson<Conversation>(`/sessions/${session}/conversation?limit=200`, { signal }),
  ])
  return { index, cast: parseCast(cast), messages: conversation.messages }
}

export function lengthOf({ cast, index }: Replayed): number {
  return Math.max(cast.durationMs, index.durationMs, 1)
}
