import type { Message } from '../api/types'
import { getJson, request } from '../transport/request'
import { type Cast, parseCast } from './cast'
import type { Index } from './moments'

export interface Replayed {
  index: Index
  cast: Cast
  messages: Message[]
}

/** A recording with what happened in it and what was said, by its id or its session's. */
export async function loadReplay(id: string, signal: AbortSignal): Promise<Replayed> {
  const index = await getJson<Index>(`/recordings/${id}/index`, { signal })
  const { session } = index.recording
  const [cast, talk] = await Promise.all([
    request(`/recordings/${index.recording.id}.cast`, { signal }).then(response => response.text()),
    getJson<{ messages: Message[] }>(`/sessions/${session}/conversation?limit=200`, { signal }),
  ])
  return { index, cast: parseCast(cast), messages: talk.messages }
}

export function lengthOf({ cast, index }: Replayed): number {
  return Math.max(cast.durationMs, index.durationMs, 1)
}
