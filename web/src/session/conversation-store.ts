import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Approval, Conversation, Message, Page, Prompt } from '../api/types'
import { approvals, onEphemeral, onEvent } from '../store/live'
import { watch } from '../store/watching'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'
import { withArrived } from './with-arrived'

export interface Notice {
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
export function useConversation(session: string): LiveConversation {
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
      const at = messages.peek().findIndex(known => known.message === message.message)
      messages.value =
        at < 0
          ? [...messages.peek(), message]
          : messages.peek().map((known, index) => (index === at ? { ...message, at: known.at } : known))
    }
    const stopEvents = onEvent(({ type, at, subject, data }) => {
      if (subject !== `session/${session}` && data.session !== session) return
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
  }, [session, messages, prompts, notices])

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
