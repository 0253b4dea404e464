import type { Entity } from './parse-html.js'

export interface Button {
  text: string
  callback_data?: string
  url?: string
  style?: string
}

export interface Keyboard {
  inline_keyboard?: Button[][]
  force_reply?: boolean
}

/** The content of a message. Every edit keeps the previous version in `versions`. */
export interface Content {
  text: string
  entities: Entity[]
  /** The Markdown of a rich message, as it was sent. */
  rich?: string
  document?: SentDocument
  markup?: Keyboard
}

interface SentDocument {
  name: string
  bytes: Uint8Array
  fileId: string
  /** The kind of file that the phone sent; by default a document. */
  as?: 'photo' | 'voice'
  /** The album that it was sent in. */
  album?: string
}

export interface FakeMessage extends Content {
  id: number
  chat: number
  thread?: number
  from: { id: number; name: string; isBot: boolean }
  date: number
  replyTo?: number
  forwardedFrom?: string
  versions: (Content & { at: number })[]
  isDeleted: boolean
}

export interface Draft {
  id: number
  thread: number | undefined
  text: string
  rich: boolean
  at: number
}

export interface FakeChat {
  id: number
  type: 'private' | 'group' | 'supergroup'
  title: string
  hasTopics: boolean
  messages: FakeMessage[]
  topics: Map<number, { name: string; isClosed: boolean; isDeleted: boolean }>
  draft: Draft | null
  isBlocked: boolean
  migratedTo: number | null
}

/** A draft, which expires by itself. */
export const DRAFT_LIFE_MS = 30_000

export function newChat(id: number, title: string, type: FakeChat['type'], hasTopics: boolean): FakeChat {
  const topics = new Map()
  return { id, type, title, hasTopics, messages: [], topics, draft: null, isBlocked: false, migratedTo: null }
}

/** The message as the Bot API describes it. */
export function toApi(chat: FakeChat, message: FakeMessage): Record<string, unknown> {
  const replied = chat.messages.find(({ id }) => id === message.replyTo)
  return {
    message_id: message.id,
    date: Math.floor(message.date / 1000),
    chat: chatToApi(chat),
    from: { id: message.from.id, is_bot: message.from.isBot, first_name: message.from.name },
    ...(message.thread !== undefined && { message_thread_id: message.thread, is_topic_message: true }),
    ...(message.document
      ? {
          ...mediaToApi(message.document),
          ...(message.text && { caption: message.text, caption_entities: message.entities }),
        }
      : message.rich !== undefined
        ? { rich_message: { text: message.text } }
        : { text: message.text, entities: message.entities }),
    ...(message.markup?.inline_keyboard && { reply_markup: { inline_keyboard: message.markup.inline_keyboard } }),
    ...(replied && { reply_to_message: toApi(chat, { ...replied, replyTo: 0 }) }),
    ...(message.forwardedFrom && {
      forward_origin: { type: 'hidden_user', sender_user_name: message.forwardedFrom, date: 0 },
    }),
  }
}

/** Photos have several sizes and no name, voice messages no name. */
function mediaToApi({ name, bytes, fileId, as, album }: SentDocument): Record<string, unknown> {
  const file = { file_id: fileId, file_unique_id: fileId, file_size: bytes.length }
  const together = album === undefined ? {} : { media_group_id: album }
  if (as === 'photo') {
    const small = { ...file, file_id: `${fileId}_small`, file_size: 1, width: 90, height: 60 }
    return { photo: [small, { ...file, width: 900, height: 600 }], ...together }
  }
  if (as === 'voice') return { voice: { ...file, duration: 3, mime_type: 'audio/ogg' }, ...together }
  return { document: { ...file, file_name: name }, ...together }
}

export function chatToApi({ id, type, title, hasTopics }: FakeChat): Record<string, unknown> {
  const name = type === 'private' ? { first_name: title } : { title }
  return { id, type, ...name, ...(type === 'supergroup' && hasTopics && { is_forum: true }) }
}
