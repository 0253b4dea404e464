import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { timeOf } from '../api/format'
import type { Approval, Block, Message, Time } from '../api/types'
import { approvals, onEvent, onPassing } from '../store/live'
import { watch } from '../store/watching'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'
import { withArrived } from './with-arrived'

export interface Notice {
  at: number
  text: string
}

export interface Prompt {
  at: Time
  turn: string
  text: string
}

export interface Conversation {
  prompts: readonly Prompt[]
  messages: readonly Message[]
  notices: readonly Notice[]
  hasEarlier: boolean
  isLoading: boolean
  error: unknown
  reload(): void
  loadEarlier(): void
}

interface Answer {
  messages: Message[]
  prompts?: Prompt[]
  before: string | null
}

/** What was said in a session: a snapshot, then what the stream adds; provisional text is replaced by what is kept. */
export function useConversation(session: string): Conversation {
  const messages = useSignal<readonly Message[]>([])
  const prompts = useSignal<readonly Prompt[]>([])
  const notices = useSignal<readonly Notice[]>([])
  const before = useSignal<string | null>(null)
  const { error, isLoading, reload } = useLoad(session, async signal => {
    const known = { messages: messages.peek(), prompts: prompts.peek() }
    const [answer, asked] = await Promise.all([
      getJson<Answer>(`/sessions/${session}/conversation`, { signal }),
      getJson<{ items: Approval[] }>(`/approvals?session=${session}&all=true&limit=200`, { signal }).catch(() => ({
        items: [],
      })),
    ])
    messages.value = withArrived(answer.messages, messages.peek(), known.messages, ({ message }) => message)
    prompts.value = withArrived(answer.prompts ?? [], prompts.peek(), known.prompts, ({ turn }) => turn)
    before.value = answer.before ?? null
    approvals.put(...asked.items)
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
    const stopPassing = onPassing((type, data) => {
      if (type !== 'message.update' || data.session !== session) return
      const known = messages.peek().find(({ message }) => message === data.message)
      if (known && !known.provisional) return
      put({
        at: known?.at ?? Date.now(),
        turn: String(data.turn),
        message: String(data.message),
        blocks: data.blocks as Block[],
        provisional: true,
      })
    })
    const stopWatching = watch({ sessions: [session] })
    return () => {
      stopWatching()
      stopEvents()
      stopPassing()
    }
  }, [session, messages, prompts, notices])

  const loadEarlier = async () => {
    const answer = await getJson<Answer>(`/sessions/${session}/conversation?before=${before.value}`)
    messages.value = [...answer.messages, ...messages.peek()]
    before.value = answer.before
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
