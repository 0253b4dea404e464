import { useState } from 'preact/hooks'
import { baseName } from '../api/format'
import type { ConversationList } from '../api/types'
import { startSession } from '../store/actions'
import { canDecide } from '../store/live'
import { go } from '../store/router'
import { attempt } from '../store/toasts'
import { getJson } from '../transport/request'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { TimeSince } from '../ui/time'
import { useLoad } from '../ui/use-load'

type Conversation = ConversationList['items'][number]

const SHOWN = 30

/** Conversations that Claude Code and Codex have on disk, to be continued as sessions. */
export function AdoptList() {
  const [words, setWords] = useState('')
  const [busy, setBusy] = useState<string | null>(null)
  const { value, error, reload } = useLoad('conversations', signal =>
    getJson<ConversationList>('/conversations', { signal }),
  )
  if (!value) return error ? <Problem error={error} retry={reload} /> : <Skeleton />
  const found = value.items.filter(({ prompt, cwd, agent }) =>
    `${prompt} ${cwd} ${agent}`.toLowerCase().includes(words.trim().toLowerCase()),
  )
  const adopt = async ({ id, agent, cwd, prompt }: Conversation) => {
    setBusy(id)
    const label = prompt.split('\n', 1)[0]!.slice(0, 60)
    const session = await attempt(() => startSession({ agent, cwd, args: [], resume: id, label }))
    setBusy(null)
    if (session) go(`/s/${session.id}`)
  }
  if (value.items.length === 0)
    return (
      <Empty title="No conversations found">
        <p>Conversations that Claude Code or Codex has on this machine appear here.</p>
      </Empty>
    )
  return (
    <div class="stack wide">
      <input
        class="input search"
        type="search"
        aria-label="Search conversations"
        placeholder="Search"
        value={words}
        onInput={event => setWords(event.currentTarget.value)}
      />
      <ul class="list">
        {found.slice(0, SHOWN).map(conversation => (
          <li key={conversation.id} class="line-item">
            <span class="what">
              <span class="cut strong block" dir="auto">
                {conversation.prompt}
              </span>
              <span class="small soft cut block" title={conversation.cwd}>
                {conversation.agent} · {baseName(conversation.cwd)}
              </span>
            </span>
            <span class="meta" style={{ alignItems: 'center' }}>
              <TimeSince at={conversation.at} suffix=" ago" />
              {conversation.session ? (
                <a class="btn" href={`/s/${conversation.session}`}>
                  Open
                </a>
              ) : (
                <button
                  type="button"
                  class="btn"
                  disabled={!canDecide.value || busy !== null}
                  onClick={() => void adopt(conversation)}
                >
                  {busy === conversation.id ? 'Starting…' : 'Continue'}
                </button>
              )}
            </span>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p class="small dim">{found.length - SHOWN} more: search to find them.</p>}
    </div>
  )
}
