/** What a person did in a chat, as data. The store keeps intents that are not handled yet. */
export type Intent =
  | (MessageIntent & { kind: 'text'; text: string })
  /** `rest` is the text after the command, unchanged. */
  | (MessageIntent & { kind: 'command'; name: string; rest: string; text: string })
  | (MessageIntent & { kind: 'file'; fileId: string; name: string; size: number; caption: string; mime: string | null })
  | (MessageIntent & { kind: 'edited'; text: string })
  | {
      kind: 'press'
      from: Sender
      chat: number
      chatKind: ChatKind
      query: string
      data: string
      message: number | null
    }
  | { kind: 'member'; from: Sender; chat: number; chatKind: ChatKind; isReachable: boolean }
  | { kind: 'topic'; from: Sender; chat: number; chatKind: ChatKind; thread: number; isClosed: boolean }

export type ChatKind = 'private' | 'group' | 'supergroup'

interface Sender {
  id: number
  name: string
}

interface MessageIntent {
  from: Sender
  chat: number
  chatKind: ChatKind
  message: number
  at: number
  thread?: number
  /** The bot's message that it replies to. */
  replyTo?: number
  /** Forwarded, or sent via another bot: never a command and never a decision. */
  isForwarded: boolean
  /** The author of a forwarded message, where Telegram names one. */
  origin?: string
  /** The group has topics. */
  isForum: boolean
  /** In a group: a command, a mention of the bot, or a reply to it. */
  isForUs: boolean
}

type Json = Readonly<Record<string, unknown>>

/** Null for an update that the bot does not handle, or a malformed one. Pure. */
export function parseUpdate(update: Json, bot: { id: number; username: string }): Intent | null {
  const query = record(update.callback_query)
  if (query) return buttonPress(query)
  const member = record(update.my_chat_member)
  if (member) return membership(member)
  const edited = record(update.edited_message)
  if (edited) {
    const base = messageIntentOf(edited, bot)
    return base && typeof edited.text === 'string' ? { ...base, kind: 'edited', text: edited.text } : null
  }
  const message = record(update.message)
  const base = message && messageIntentOf(message, bot)
  if (!message || !base) return null
  if (record(message.forum_topic_closed) && base.thread !== undefined)
    return {
      kind: 'topic',
      from: base.from,
      chat: base.chat,
      chatKind: base.chatKind,
      thread: base.thread,
      isClosed: true,
    }
  const file = fileOf(message)
  if (file)
    return { ...base, kind: 'file', ...file, caption: withoutMention(text(message.caption) ?? '', bot.username) }
  const content = text(message.text)
  if (content === null || content === '') return null
  const command = base.isForwarded ? null : commandOf(content, bot.username)
  return command
    ? { ...base, kind: 'command', ...command, text: content }
    : { ...base, kind: 'text', text: unescaped(withoutMention(content, bot.username)) }
}

function buttonPress(query: Json): Intent | null {
  const from = senderOf(query.from)
  const message = record(query.message)
  const chat = record(message?.chat) ?? null
  if (!from || typeof query.id !== 'string' || typeof query.data !== 'string') return null
  return {
    kind: 'press',
    from,
    // Telegram may leave out an old message; the token has everything that is needed.
    chat: integerOf(chat?.id) ?? from.id,
    chatKind: chatKind(chat?.type) ?? 'private',
    query: query.id,
    data: query.data,
    message: integerOf(message?.message_id),
  }
}

function membership(member: Json): Intent | null {
  const chat = record(member.chat)
  const from = senderOf(member.from)
  const id = integerOf(chat?.id)
  const kind = chatKind(chat?.type)
  const status = record(member.new_chat_member)?.status
  if (!from || id === null || !kind || typeof status !== 'string') return null
  return { kind: 'member', from, chat: id, chatKind: kind, isReachable: !['kicked', 'left'].includes(status) }
}

function messageIntentOf(message: Json, bot: { id: number; username: string }): MessageIntent | null {
  const chat = record(message.chat)
  const from = senderOf(message.from)
  const id = integerOf(chat?.id)
  const number = integerOf(message.message_id)
  const kind = chatKind(chat?.type)
  if (!from || id === null || number === null || !kind) return null
  const replied = record(message.reply_to_message)
  const isReplyToUs = record(replied?.from)?.id === bot.id
  const replyTo = isReplyToUs ? integerOf(replied?.message_id) : null
  const thread = message.is_topic_message === true ? integerOf(message.message_thread_id) : null
  const content = text(message.text) ?? text(message.caption) ?? ''
  const origin = originOf(message)
  return {
    from,
    chat: id,
    chatKind: kind,
    message: number,
    at: (integerOf(message.date) ?? 0) * 1000,
    ...(thread !== null && { thread }),
    ...(replyTo !== null && { replyTo }),
    isForum: chat?.is_forum === true,
    isForwarded: record(message.forward_origin) !== null || record(message.via_bot) !== null,
    ...(origin !== null && { origin }),
    isForUs: kind === 'private' || isReplyToUs || content.startsWith('/') || content.includes(`@${bot.username}`),
  }
}

/** `/name@bot rest`; null for another bot and for `//x`, which sends `/x`. */
function commandOf(said: string, username: string): { name: string; rest: string } | null {
  const found = /^\/([A-Za-z0-9_-]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/.exec(said)
  if (!found || (found[2] !== undefined && found[2].toLowerCase() !== username.toLowerCase())) return null
  return { name: found[1]!.toLowerCase(), rest: found[3] ?? '' }
}

/** Removes the mention of the bot at the beginning of a text. */
function withoutMention(said: string, username: string): string {
  const name = `@${username}`
  const isCalled =
    said.slice(0, name.length).toLowerCase() === name.toLowerCase() && !/^\w/.test(said.slice(name.length))
  return isCalled ? said.slice(name.length).replace(/^[\s,:]+/, '') || said : said
}

/** `MessageOrigin` has four forms: an account, a name without an account, a group, a channel. */
function originOf(message: Json): string | null {
  const origin = record(message.forward_origin)
  const bot = text(record(message.via_bot)?.username)
  if (!origin) return bot === null ? null : `@${bot}`
  const user = record(origin.sender_user)
  const chat = record(origin.sender_chat) ?? record(origin.chat)
  const userName = [text(user?.first_name), text(user?.last_name)].filter(Boolean).join(' ')
  return userName || text(origin.sender_user_name) || text(chat?.title) || null
}

function unescaped(said: string): string {
  return said.startsWith('//') ? said.slice(1) : said
}

function fileOf(message: Json): { fileId: string; name: string; size: number; mime: string | null } | null {
  const photos = Array.isArray(message.photo) ? message.photo.map(record) : []
  const found =
    record(message.document) ?? record(message.voice) ?? record(message.audio) ?? record(message.video) ?? photos.at(-1)
  if (!found || typeof found.file_id !== 'string') return null
  const kind = message.document ? 'file' : message.voice ? 'voice.ogg' : message.photo ? 'photo.jpg' : 'media'
  return {
    fileId: found.file_id,
    name: text(found.file_name) ?? kind,
    size: integerOf(found.file_size) ?? 0,
    mime: text(found.mime_type),
  }
}

function senderOf(value: unknown): Sender | null {
  const user = record(value)
  const id = integerOf(user?.id)
  if (!user || id === null || user.is_bot === true) return null
  return { id, name: [text(user.first_name), text(user.last_name)].filter(Boolean).join(' ') || String(id) }
}

function chatKind(value: unknown): ChatKind | null {
  return value === 'private' || value === 'group' || value === 'supergroup' ? value : null
}

function record(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

function integerOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
