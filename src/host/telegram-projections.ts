import { type EventData, isEvent } from '../events/index.js'
import type { ProjectedEvent, Projection } from '../store/index.js'

/** An item that is still to be sent to a chat. */
export type QueuedItem = EventData<'telegram.queued'> & {
  id: string
  at: number
  /** How often sending was started. */
  attempts: number
}

export type ShownCard = Omit<EventData<'telegram.shown'>, 'gone'>

export type ButtonToken = EventData<'telegram.token-made'> & {
  used?: EventData<'telegram.token-used'> & { at: number }
}

export type KnownChat = Required<Pick<EventData<'telegram.chat-changed'>, 'chat'>> &
  Omit<EventData<'telegram.chat-changed'>, 'chat'>

export type KnownTopic = EventData<'telegram.topic-made'>

const lastPart = (event: ProjectedEvent) => event.stream.slice(event.stream.lastIndexOf('/') + 1)

/** Items that wait to be sent; sent and dropped items are removed. */
export const telegramOutboxProjection: Projection<QueuedItem> = {
  name: 'telegram-outbox',
  version: 3,
  types: ['telegram.queued', 'telegram.sending', 'telegram.sent', 'telegram.dropped'],
  key: event => (event.stream.startsWith('telegram/item/') ? lastPart(event) : null),
  evolve: (item, event) => {
    if (isEvent(event, 'telegram.queued')) return { ...event.data, id: lastPart(event), at: event.at, attempts: 0 }
    if (isEvent(event, 'telegram.sending')) {
      const { attempt, isRefused = false } = event.data
      return item && { ...item, attempts: isRefused ? attempt - 1 : attempt }
    }
    return null
  },
}

/** An update that was received and is not handled yet. */
export interface OpenUpdate {
  update: number
  intent: { kind: string; [key: string]: unknown }
  at: number
  attempts: number
}

export const telegramUpdatesProjection: Projection<OpenUpdate> = {
  name: 'telegram-updates',
  version: 2,
  types: ['telegram.update-taken', 'telegram.update-started', 'telegram.update-done'],
  key: lastPart,
  evolve: (open, event) => {
    if (isEvent(event, 'telegram.update-taken')) return { ...event.data, at: event.at, attempts: 0 }
    if (isEvent(event, 'telegram.update-started')) return open && { ...open, attempts: event.data.attempt }
    return null
  },
}

export const telegramShownProjection: Projection<ShownCard> = {
  name: 'telegram-shown',
  version: 2,
  types: ['telegram.shown'],
  key: event => (isEvent(event, 'telegram.shown') ? `${event.data.subject}@${event.data.chat}` : null),
  // Two events may name different copies at once: all of them are shown, except removed ones.
  evolve: (before, event) => {
    const { gone = [], ...shown } = event.data as EventData<'telegram.shown'>
    const messages = [...new Set([...(before?.messages ?? []), ...shown.messages])]
    return { ...shown, messages: messages.filter(message => !gone.includes(message)) }
  },
}

export const telegramTokensProjection: Projection<ButtonToken> = {
  name: 'telegram-tokens',
  version: 1,
  types: ['telegram.token-made', 'telegram.token-used'],
  key: lastPart,
  evolve: (token, event) => {
    if (isEvent(event, 'telegram.token-made')) return event.data
    if (token && !token.used && isEvent(event, 'telegram.token-used'))
      return { ...token, used: { ...event.data, at: event.at } }
    return token
  },
}

export const telegramChatsProjection: Projection<KnownChat> = {
  name: 'telegram-chats',
  version: 1,
  types: ['telegram.chat-changed'],
  key: lastPart,
  evolve: (chat, event) => ({ ...chat, ...(event.data as KnownChat) }),
}

export const telegramTopicsProjection: Projection<KnownTopic> = {
  name: 'telegram-topics',
  version: 1,
  types: ['telegram.topic-made'],
  key: event => (isEvent(event, 'telegram.topic-made') ? `${event.data.subject}@${event.data.chat}` : null),
  evolve: (_, event) => event.data as KnownTopic,
}

export const telegramCursorProjection: Projection<{ position: number }> = {
  name: 'telegram-cursor',
  version: 2,
  types: ['telegram.log-read'],
  key: () => 'log',
  evolve: (_, event) => event.data as { position: number },
}

export const telegramProjections = [
  telegramUpdatesProjection,
  telegramOutboxProjection,
  telegramShownProjection,
  telegramTokensProjection,
  telegramChatsProjection,
  telegramTopicsProjection,
  telegramCursorProjection,
]
