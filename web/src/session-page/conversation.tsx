import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { agentName } from '../../../src/approvals/request-title'
import { type Time, timeOf, turnNumber } from '../api/format'
import type { Approval, Conversation, Message, Page, Prompt } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { Blocks, blocksText } from '../blocks/blocks'
import { withArrived } from '../store/collection'
import { approvals, onEphemeral, onEvent } from '../store/live'
import { watch } from '../store/watching'
import { getJson } from '../transport/request'
import { CopyButton } from '../ui/copy'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { Clock } from '../ui/time'
import { Unchanged } from '../ui/unchanged'
import { useLoad } from '../ui/use-load'
import { newestOf, withMessage } from './message-list'

interface Entry {
  at: number
  key: string
  message?: Message
  approval?: Approval
  notice?: string
  prompt?: string
}

/**
 * Messages, prompts and requests in order of time. Screen readers announce messages when they are
 * complete.
 */
export function ConversationView(props: { session: string; agent: string; asked: readonly Approval[] }) {
  const { session, agent, asked } = props
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const conversation = useConversation(session, isAtEnd)
  const lastTop = useRef(0)
  const entries = entriesOf(conversation, asked)
  const count = entries.length
  const lastSize = conversation.messages.at(-1)?.blocks.length ?? 0

  const stayAtEnd = () => {
    const element = box.current
    if (!element || !isAtEnd.current) return
    element.scrollTop = element.scrollHeight
    // A request that is taller than the conversation is shown from its start.
    const last = element.lastElementChild
    if (last?.matches('.card') && last.clientHeight > element.clientHeight) last.scrollIntoView({ block: 'start' })
  }
  // Before the browser paints: a later scroll event must not see the new height with the old
  // position.
  useLayoutEffect(stayAtEnd, [count, lastSize, conversation.messages])
  // A request grows when the lines around its change are loaded, and the composer changes its
  // height while a request waits.
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(stayAtEnd)
    observer.observe(element)
    if (element.lastElementChild) observer.observe(element.lastElementChild)
    return () => observer.disconnect()
  }, [count])

  if (conversation.error && count === 0) return <Problem error={conversation.error} retry={conversation.reload} />
  if (conversation.isLoading && count === 0) return <Skeleton />
  let lastTurn = ''
  return (
    <div
      class="talk"
      ref={box}
      role="log"
      aria-label="Conversation"
      aria-live="polite"
      tabIndex={0}
      onScroll={event => {
        const { scrollTop, clientHeight, scrollHeight } = event.currentTarget
        const isNear = scrollHeight - scrollTop - clientHeight < 48
        // Only scrolling up leaves the end; new content below does not.
        isAtEnd.current = isNear || (isAtEnd.current && scrollTop >= lastTop.current)
        lastTop.current = scrollTop
      }}
    >
      {conversation.hasEarlier && (
        <button type="button" class="btn quiet" onClick={conversation.loadEarlier}>
          Show earlier messages
        </button>
      )}
      {count === 0 && (
        <Empty title="No messages yet">
          <p class="small">Send the first prompt below, or type in the terminal.</p>
        </Empty>
      )}
      {entries.map(({ key, message, approval, notice, prompt, at }) => {
        if (approval) return <RequestView key={key} approval={approval} />
        if (prompt !== undefined) return <PromptView key={key} at={at} text={prompt} />
        if (notice !== undefined)
          return (
            <p key={key} class="talk-notice">
              {notice} · <Clock at={at} />
            </p>
          )
        const isNewTurn = message!.turn !== lastTurn
        lastTurn = message!.turn
        return (
          <MessageView key={key} message={message!} agent={agent} turn={isNewTurn ? turnNumber(message!.turn) : null} />
        )
      })}
    </div>
  )
}

/** A conversation may have hundreds of requests; new text does not draw them again. */
function RequestView({ approval }: { approval: Approval }) {
  return (
    <Unchanged by={[approval]}>
      {() => <ApprovalCard approval={approval} takesKeys={approval.state === 'pending'} />}
    </Unchanged>
  )
}

/** A prompt of a person. */
export function PromptView({ at, text }: { at: Time; text: string }) {
  return (
    <div class="asked">
      <p dir="auto">{text}</p>
      <span class="tiny dim">
        <Clock at={at} />
      </span>
    </div>
  )
}

/** `turn`: the number of the turn that this message begins. */
export function MessageView(props: { message: Message; agent: string; turn: number | null }) {
  const { message, agent, turn } = props
  // New words of the last message do not draw the earlier messages again.
  return (
    <Unchanged by={[message, turn]}>
      {() => (
        <section class={`said ${message.provisional ? 'provisional' : ''}`} aria-busy={message.provisional}>
          <header>
            {turn ? (
              <h2>
                {agentName(agent)}
                <span class="sr">, turn {turn}</span>
              </h2>
            ) : (
              <span />
            )}
            <span class="tiny dim">{message.provisional ? 'in progress' : <Clock at={message.at} />}</span>
            <CopyButton text={() => message.markdown ?? blocksText(message.blocks)} label="Copy message" />
          </header>
          <Blocks blocks={message.blocks} />
        </section>
      )}
    </Unchanged>
  )
}

function asFinal(message: Message, turn: string): Message {
  if (!message.provisional || message.turn !== turn) return message
  const blocks = message.blocks.map(block => ({ ...block, provisional: false }))
  return { ...message, blocks, provisional: false }
}

/** What belongs to messages that are not loaded is not shown either, except requests that wait. */
function entriesOf(conversation: LiveConversation, asked: readonly Approval[]): Entry[] {
  const { messages, prompts, notices, hasEarlier } = conversation
  const first = hasEarlier ? messages[0] : undefined
  const isShown = ({ at, key, approval }: Entry) =>
    !first || at >= timeOf(first.at) || key === `p${first.turn}` || approval?.state === 'pending'
  const entries: Entry[] = [
    ...messages.map(message => ({ at: timeOf(message.at), key: message.message, message })),
    ...prompts.map(({ at, turn, text }) => ({ at: timeOf(at), key: `p${turn}`, prompt: text })),
    ...asked.map(approval => ({ at: timeOf(approval.requestedAt), key: approval.id, approval })),
    ...notices.map(({ at, text }) => ({ at, key: `n${at}${text}`, notice: text })),
  ]
  return entries.filter(isShown).sort((a, b) => a.at - b.at)
}

interface Notice {
  at: number
  text: string
}

export interface LiveConversation {
  prompts: readonly Prompt[]
  messages: readonly Message[]
  notices: readonly Notice[]
  hasEarlier: boolean
  isLoading: boolean
  error: unknown
  reload(): void
  loadEarlier(): void
}

/**
 * The conversation of a session: a snapshot, then the stream. A final message replaces its
 * provisional text.
 */
function useConversation(session: string, isAtEnd: { current: boolean }): LiveConversation {
  const messages = useSignal<readonly Message[]>([])
  const prompts = useSignal<readonly Prompt[]>([])
  const notices = useSignal<readonly Notice[]>([])
  const before = useSignal<string | null>(null)
  const { error, isLoading, reload } = useLoad(session, async signal => {
    const known = { messages: messages.peek(), prompts: prompts.peek() }
    const [conversation, asked] = await Promise.all([
      getJson<Conversation>(`/sessions/${session}/conversation`, { signal }),
      getJson<Page<Approval>>(`/approvals?session=${session}&all=true&limit=200`, { signal }).catch(() => null),
    ])
    messages.value = withArrived(conversation.messages, messages.peek(), known.messages, ({ message }) => message)
    prompts.value = withArrived(conversation.prompts, prompts.peek(), known.prompts, ({ turn }) => turn)
    before.value = conversation.before
    approvals.put(...(asked?.items ?? []))
  })

  useEffect(() => {
    const put = (message: Message) => {
      const all = withMessage(messages.peek(), message)
      // What a person reads does not move.
      const kept = isAtEnd.current ? newestOf(all) : all
      if (kept.length < all.length) before.value = kept[0]!.message
      messages.value = kept
    }
    const stopEvents = onEvent(({ type, at, subject, data }) => {
      if (subject !== `session/${session}` && data.session !== session) return
      // Provisional text that no final message replaced becomes final when its turn is closed.
      if (type === 'turn.closed') messages.value = messages.peek().map(known => asFinal(known, String(data.turn)))
      if (type === 'message.final') put({ ...(data as unknown as Message), at, provisional: false })
      const isPrompt = type === 'turn.opened' || type === 'turn.prompted'
      if (isPrompt && typeof data.prompt === 'string' && prompts.peek().every(({ turn }) => turn !== data.turn))
        prompts.value = [...prompts.peek(), { at, turn: String(data.turn), text: data.prompt }]
      if (type === 'session.noticed') notices.value = [...notices.peek(), { at: timeOf(at), text: String(data.text) }]
    })
    const stopEphemeral = onEphemeral(({ event, data }) => {
      if (event !== 'message.update' || data.session !== session) return
      const { turn, message, blocks } = data
      const known = messages.peek().find(candidate => candidate.message === message)
      if (known && !known.provisional) return
      const at = known?.at ?? new Date().toISOString()
      put({ at, session, turn, message, blocks, provisional: true })
    })
    const stopWatching = watch({ sessions: [session] })
    return () => {
      stopWatching()
      stopEvents()
      stopEphemeral()
    }
  }, [session, messages, prompts, notices, before, isAtEnd])

  const loadEarlier = async () => {
    const earlier = await getJson<Conversation>(`/sessions/${session}/conversation?before=${before.value}`)
    messages.value = [...earlier.messages, ...messages.peek()]
    before.value = earlier.before
  }
  return {
    messages: messages.value,
    prompts: prompts.value,
    notices: notices.value,
    hasEarlier: before.value !== null,
    isLoading,
    error,
    reload,
    loadEarlier: () => void loadEarlier(),
  }
}
