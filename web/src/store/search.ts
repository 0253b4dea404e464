import type { SearchResult, SearchResults } from '../api/types'
import { getJson } from '../transport/request'
import { runs, sessions } from './live'
import { sessionName } from './session-name'

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

/** Messages and prompts have the name of their session. */
export function titleOf({ title, session }: SearchResult): string {
  const known = session === null ? undefined : sessions.peek(session)
  return title || (known ? sessionName(known) : 'An earlier session')
}

/** The project of a run is not the worktree that it works in. */
export function projectOf({ project, run }: SearchResult): string | null {
  return (run === null ? undefined : runs.peek(run)?.project) ?? project
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
