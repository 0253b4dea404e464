import { useEffect, useMemo, useRef } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Approval, Message } from '../api/types'
import { ApprovalCard } from '../approval/card'
import { Blocks, blocksText } from '../blocks/blocks'
import { CopyButton } from '../ui/copy'
import { Empty, Problem, Skeleton } from '../ui/panel'
import { Clock } from '../ui/time'
import { type Conversation, useConversation } from './conversation-store'

interface Entry {
  at: number
  key: string
  message?: Message
  approval?: Approval
  notice?: string
  prompt?: string
}

/** What was said, with requests at their time. New things are announced when they are whole, not letter by letter. */
export function ConversationView({ session, asked }: { session: string; asked: readonly Approval[] }) {
  const conversation = useConversation(session)
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const entries = entriesOf(conversation, asked)
  const count = entries.length
  const lastSize = conversation.messages.at(-1)?.blocks.length ?? 0

  useEffect(() => {
    const element = box.current
    if (!element || !isAtEnd.current) return
    element.scrollTop = element.scrollHeight
    // A request is read from its beginning, also where it is taller than the place for it.
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
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48
      }}
    >
      {conversation.hasEarlier && (
        <button type="button" class="btn quiet" onClick={conversation.loadEarlier}>
          Earlier
        </button>
      )}
      {count === 0 && (
        <Empty title="Nothing said yet">
          <p class="small">Send the first prompt below, or type in the terminal.</p>
        </Empty>
      )}
      {entries.map(({ key, message, approval, notice, prompt, at }) => {
        if (approval) return <ApprovalCard key={key} approval={approval} isPicked={approval.state === 'pending'} />
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

function MessageView({ message, turn }: { message: Message; turn: number | null }) {
  // What was said before is not made again with every word that is added to the last of it.
  return useMemo(
    () => (
      <section class={`said ${message.provisional ? 'provisional' : ''}`} aria-busy={message.provisional}>
        <header>
          {turn !== null ? <h2>Turn {turn}</h2> : <span />}
          <span class="tiny dim">{message.provisional ? 'as it is written' : <Clock at={message.at} />}</span>
          <CopyButton text={() => message.markdown ?? blocksText(message.blocks)} label="Copy this message" />
        </header>
        <Blocks blocks={message.blocks} />
      </section>
    ),
    [message, turn],
  )
}

function entriesOf({ messages, prompts, notices }: Conversation, asked: readonly Approval[]): Entry[] {
  return [
    ...messages.map(message => ({ at: timeOf(message.at), key: message.message, message })),
    ...prompts.map(({ at, turn, text }) => ({ at: timeOf(at), key: `p${turn}`, prompt: text })),
    ...asked.map(approval => ({ at: timeOf(approval.requestedAt), key: approval.id, approval })),
    ...notices.map(({ at, text }) => ({ at, key: `n${at}${text}`, notice: text })),
  ].sort((a, b) => a.at - b.at)
}
