import { useEffect, useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { SearchResult } from '../api/types'
import { query, setQuery } from '../store/router'
import { addressOf, markWords, projectOf, searchFor, titleOf, wordOfKind } from '../store/search'
import { attempt } from '../store/toasts'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

const KINDS: readonly SearchResult['kind'][] = ['prompt', 'message', 'request', 'session', 'run']
/** A person who types pauses this long between words. */
const TYPING_MS = 200

/** Search in the prompts, answers, commands and requests of all sessions and runs. */
export function SearchPage() {
  const words = query.value.get('q') ?? ''
  const kind = KINDS.find(one => one === query.value.get('kind')) ?? null
  const [text, setText] = useState(words)
  useEffect(() => {
    if (text.trim() === words) return
    const timer = setTimeout(() => setQuery({ q: text.trim() || null }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, words])
  return (
    <div class="page">
      <div class="page-head">
        <h1>Search</h1>
      </div>
      <div class="stack wide">
        <input
          class="input"
          type="search"
          data-search
          autofocus
          aria-label="Search all conversations"
          placeholder="Words in prompts, answers, commands, file names and requests"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <div class="chips" role="group" aria-label="Kind">
          <button type="button" class="chip" aria-pressed={kind === null} onClick={() => setQuery({ kind: null })}>
            Everything
          </button>
          {KINDS.map(one => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={kind === one}
              onClick={() => setQuery({ kind: one })}
            >
              {wordOfKind(one)}s
            </button>
          ))}
        </div>
        {words === '' ? (
          <Empty title="Search prompts, answers, commands and requests">
            <p>
              “Words in quotes” occur together, <code>word*</code> is a beginning. In a terminal:{' '}
              <code>signalbox search</code>
            </p>
          </Empty>
        ) : (
          <Results key={`${words}/${kind}`} words={words} kind={kind} />
        )}
      </div>
    </div>
  )
}

/** A passage with the words that were searched for. */
function Marked({ text, words }: { text: string; words: string }) {
  return (
    <>
      {markWords(text, words).map(({ text: part, isFound }, index) =>
        isFound ? (
          <b key={index} class="found">
            {part}
          </b>
        ) : (
          <span key={index}>{part}</span>
        ),
      )}
    </>
  )
}

function Results({ words, kind }: { words: string; kind: SearchResult['kind'] | null }) {
  const [more, setMore] = useState<{ items: SearchResult[]; next: number | null } | null>(null)
  const { value, error, reload } = useLoad(`search/${words}/${kind}`, signal => searchFor(words, { kind, signal }))
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton />
  const items = [...value.items, ...(more?.items ?? [])]
  const next = more ? more.next : value.next
  const loadMore = async () => {
    const page = await attempt(() => searchFor(words, { kind, before: next! }))
    if (page) setMore({ items: [...(more?.items ?? []), ...page.items], next: page.next })
  }
  if (items.length === 0) return <Empty title={`Nothing was found for “${words}”`} />
  return (
    <>
      <ul class="list" aria-label="Results">
        {items.map(result => (
          <li key={result.id}>
            <a class="line-item" href={addressOf(result)}>
              <span class="small dim search-kind">{wordOfKind(result.kind)}</span>
              <span class="what">
                <span class="cut strong block" dir="auto">
                  {titleOf(result)}
                </span>
                <span class="small soft block search-excerpt" dir="auto">
                  <Marked text={result.excerpt} words={words} />
                </span>
              </span>
              <span class="meta">
                <span class="dim">{baseName(projectOf(result) ?? '')}</span>
                <TimeSince at={result.at} suffix=" ago" />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {next !== null && (
        <button type="button" class="btn" onClick={() => void loadMore()}>
          Show more
        </button>
      )}
    </>
  )
}
