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
export function addressOf({ approval, session, run }: SearchResult): string {
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

/** A passage in parts; those that the search looked for are found. */
export function markWords(text: string, words: string): { text: string; isFound: boolean }[] {
  const parts = words.match(/"[^"]+"|[^\s"]+/g) ?? []
  const wanted = parts
    .map(part => part.replaceAll('"', '').replace(/\*$/, ''))
    .filter(part => /[\p{L}\p{N}]/u.test(part))
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (wanted.length === 0) return [{ text, isFound: false }]
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${wanted.join('|')})[\\p{L}\\p{N}]*)`, 'giu')
  return text
    .split(pattern)
    .map((part, index) => ({ text: part, isFound: index % 2 === 1 }))
    .filter(part => part.text !== '')
}
