import { useEffect, useState } from 'preact/hooks'
import { timeOf, turnNumber } from '../api/format'
import type { Message, Prompt, Session, SharedSession } from '../api/types'
import { MessageView, PromptView } from '../session-page/conversation'
import { ApiError, request } from '../transport/request'
import { Logo } from '../ui/icons'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { isWorking, StatusBadge, sessionBadge } from '../ui/status'
import { Segments } from '../ui/tabs'
import { Clock, TimeLeft, TimeSince } from '../ui/time'

const ASKED_EVERY_MS = 2_500

/** One session, for a person with its link: they read, and can do nothing else. */
export function SharedPage() {
  const { shared, problem, loadEarlier } = useShared(location.hash.slice(1))
  const [view, setView] = useState<'conversation' | 'terminal'>('conversation')
  useEffect(() => {
    document.title = shared ? `${shared.name} · Signalbox` : 'Signalbox'
  }, [shared?.name])
  if (!shared)
    return (
      <main class="shared">
        <h1 class="sr">A shared session</h1>
        {problem ? <Problem error={problem} /> : <Skeleton lines={4} />}
      </main>
    )
  const { name, project, session, screen, expiresAt } = shared
  const badge = sessionBadge(session as Session)
  return (
    <main class="shared">
      <header class="page-head">
        <div class="grow">
          <div class="row wrap">
            <h1 dir="auto">{name}</h1>
            <StatusBadge badge={badge} isLive={isWorking(badge)} />
          </div>
          <p class="small dim facts dots">
            <span>{session.agent}</span>
            <span>{project}</span>
            <span>
              <TimeSince at={session.startedAt} prefix="started " suffix=" ago" />
            </span>
            <span>
              read-only, <TimeLeft until={expiresAt} />
            </span>
          </p>
        </div>
        <a class="brand" href="/">
          <Logo /> Signalbox
        </a>
      </header>
      {problem !== null && (
        <p class="settings-pending small" role="status">
          {(problem as Error).message}. This is the last state that was received.
        </p>
      )}
      {screen && (
        <Segments
          label="What is shown"
          value={view}
          choices={[
            { value: 'conversation', label: 'Conversation' },
            { value: 'terminal', label: 'Terminal' },
          ]}
          onChange={chosen => setView(chosen === 'terminal' ? chosen : 'conversation')}
        />
      )}
      {view === 'terminal' && screen ? (
        <pre class="terminal-plain shared-screen" tabIndex={0} role="region" aria-label="Terminal">
          {screen.lines.join('\n')}
        </pre>
      ) : (
        <Conversation shared={shared} onEarlier={loadEarlier} />
      )}
    </main>
  )
}

function Conversation({ shared, onEarlier }: { shared: SharedSession; onEarlier(): void }) {
  const { messages, prompts, requests, before } = shared
  const entries = [
    ...messages.map(message => ({ at: timeOf(message.at), key: message.message, message })),
    ...prompts
      .filter(({ turn }) => before === null || messages.some(message => message.turn === turn))
      .map(prompt => ({ at: timeOf(prompt.at), key: `p${prompt.turn}`, prompt })),
    ...requests
      .filter(({ requestedAt }) => before === null || timeOf(requestedAt) >= timeOf(messages[0]?.at ?? 0))
      .map(asked => ({ at: timeOf(asked.requestedAt), key: asked.id, asked })),
  ].sort((a, b) => a.at - b.at) as Entry[]
  let lastTurn = ''
  return (
    <div class="shared-talk" role="log" aria-label="Conversation">
      {before !== null && (
        <button type="button" class="btn quiet" onClick={onEarlier}>
          Show earlier messages
        </button>
      )}
      {entries.length === 0 && <Empty title="No messages yet" />}
      {entries.map(({ key, message, prompt, asked }) => {
        if (prompt) return <PromptView key={key} at={prompt.at} text={prompt.text} />
        if (asked) return <RequestLine key={key} asked={asked} />
        const isNewTurn = message!.turn !== lastTurn
        lastTurn = message!.turn
        return (
          <MessageView
            key={key}
            message={message!}
            agent={shared.session.agent}
            turn={isNewTurn ? turnNumber(message!.turn) : null}
          />
        )
      })}
    </div>
  )
}

interface Entry {
  at: number
  key: string
  message?: Message
  prompt?: Prompt
  asked?: SharedSession['requests'][number]
}

function RequestLine({ asked: { title, state, isDenied, requestedAt } }: { asked: SharedSession['requests'][number] }) {
  const word =
    state === 'pending' ? 'waits for a decision' : isDenied ? 'denied' : state === 'applied' ? 'allowed' : state
  return (
    <p class={`shared-request ${state === 'pending' ? 'waits' : ''}`}>
      <span class="grow">
        {title} · {word}
      </span>
      <span class="tiny dim">
        <Clock at={requestedAt} />
      </span>
    </p>
  )
}

/** Asks regularly: a reader has no stream. An answer without news costs no more than a tag. */
function useShared(code: string) {
  const [shared, setShared] = useState<SharedSession | null>(null)
  const [earlier, setEarlier] = useState<Pick<SharedSession, 'messages' | 'before'> | null>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const ask = (query = '', tag = '') =>
    request(`/shared${query}`, {
      isOpen: true,
      headers: { 'x-signalbox-share': code, ...(tag && { 'if-none-match': tag }) },
    })
  useEffect(() => {
    let timer = 0
    let isOver = false
    let tag = ''
    const again = async () => {
      try {
        const answer = await ask('', tag)
        if (answer.status !== 304) {
          tag = answer.headers.get('etag') ?? ''
          setShared((await answer.json()) as SharedSession)
        }
        setProblem(null)
      } catch (error) {
        setProblem(error)
        // A link that was revoked or has expired does not come back.
        if (error instanceof ApiError && error.status === 401) {
          setShared(null)
          return
        }
      }
      if (!isOver) timer = window.setTimeout(() => void again(), document.hidden ? ASKED_EVERY_MS * 4 : ASKED_EVERY_MS)
    }
    void again()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [code])
  const loadEarlier = async () => {
    const before = earlier?.before ?? shared?.before
    const page = (await (await ask(`?before=${before}`)).json()) as SharedSession
    setEarlier({ messages: [...page.messages, ...(earlier?.messages ?? [])], before: page.before })
  }
  const known = shared && {
    ...shared,
    messages: [...(earlier?.messages ?? []).filter(old => !isIn(shared, old)), ...shared.messages],
    before: earlier ? earlier.before : shared.before,
  }
  return { shared: known, problem, loadEarlier: () => void loadEarlier().catch(setProblem) }
}

function isIn({ messages }: SharedSession, { message }: Message): boolean {
  return messages.some(known => known.message === message)
}
