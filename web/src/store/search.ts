import type { SearchResult, SearchResults } from '../api/types'
import { getJson } from '../transport/request'

interface SearchOptions {
  kind?: SearchResult['kind'] | null
  before?: number
  limit?: number
  signal?: AbortSignal
}

export function searchFor(words: string, { kind, before, limit, signal }: SearchOptions = {}): Promise<SearchResults> {
  const asked = new URLSearchParams({
    q: words,
    ...(kind && { kind }),
    ...(before !== undefined && { before: String(before) }),
    ...(limit !== undefined && { limit: String(limit) }),
  })
  return getJson<SearchResults>(`/search?${asked}`, signal ? { signal } : {})
}

/** The page that shows what was found. */
export function placeOf({ approval, session, run }: SearchResult): string {
  if (approval) return `/a/${approval}`
  return session ? `/s/${session}` : `/r/${run}`
}

const WORDS: Readonly<Record<SearchResult['kind'], string>> = {
  prompt: 'Prompt',
  message: 'Answer',
  request: 'Request',
  session: 'Session',
  run: 'Run',
}

export function wordOfKind(kind: SearchResult['kind']): string {
  return WORDS[kind]
}
