import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Approval, Message } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { Blocks, blocksText } from '../blocks/blocks'
import { CopyButton } from '../ui/copy'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { Clock } from '../ui/time'
import { type LiveConversation, useConversation } from './conversation-store'

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
export function ConversationView({ session, asked }: { session: string; asked: readonly Approval[] }) {
  const conversation = useConversation(session)
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const lastTop = useRef(0)
  const entries = entriesOf(conversation, asked)
  const count = entries.length
  const lastSize = conversation.messages.at(-1)?.blocks.length ?? 0

  // Before the browser paints: a later scroll event must not see the new height with the old
  // position.
  useLayoutEffect(() => {
    const element = box.current
    if (!element || !isAtEnd.current) return
    element.scrollTop = element.scrollHeight
    // A request that is taller than the conversation is shown from its start.
    const last = element.lastElementChild
    if (last?.matches('.card') && last.clientHeight > element.clientHeight) last.scrollIntoView({ block: 'start' })
  }, [count, lastSize, conversation.messages])

  if (conversation.error && count === 0) return <Problem error={conversation.error} retry={conversation.reload} />
  if (conversation.isLoading && count === 0) return <Skeleton />
  let turn = 0
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
        if (prompt !== undefined)
          return (
            <div key={key} class="asked">
              <p>{prompt}</p>
              <span class="tiny dim">
                <Clock at={at} />
              </span>
            </div>
          )
        if (notice !== undefined)
          return (
            <p key={key} class="talk-notice">
              {notice} · <Clock at={at} />
            </p>
          )
        const isNewTurn = message!.turn !== lastTurn
        if (isNewTurn) turn++
        lastTurn = message!.turn
        return <MessageView key={key} message={message!} turn={isNewTurn ? turn : null} />
      })}
    </div>
  )
}

/** A conversation may have hundreds of requests; new text does not draw them again. */
function RequestView({ approval }: { approval: Approval }) {
  return useMemo(() => <ApprovalCard approval={approval} isPicked={approval.state === 'pending'} />, [approval])
}

function MessageView({ message, turn }: { message: Message; turn: number | null }) {
  // New words of the last message do not draw the earlier messages again.
  return useMemo(
    () => (
      <section class={`said ${message.provisional ? 'provisional' : ''}`} aria-busy={message.provisional}>
        <header>
          {turn !== null ? <h2>Turn {turn}</h2> : <span />}
          <span class="tiny dim">{message.provisional ? 'in progress' : <Clock at={message.at} />}</span>
          <CopyButton text={() => message.markdown ?? blocksText(message.blocks)} label="Copy message" />
        </header>
        <Blocks blocks={message.blocks} />
      </section>
    ),
    [message, turn],
  )
}

function entriesOf({ messages, prompts, notices }: LiveConversation, asked: readonly Approval[]): Entry[] {
  return [
    ...messages.map(message => ({ at: timeOf(message.at), key: message.message, message })),
    ...prompts.map(({ at, turn, text }) => ({ at: timeOf(at), key: `p${turn}`, prompt: text })),
    ...asked.map(approval => ({ at: timeOf(approval.requestedAt), key: approval.id, approval })),
    ...notices.map(({ at, text }) => ({ at, key: `n${at}${text}`, notice: text })),
  ].sort((a, b) => a.at - b.at)
}
