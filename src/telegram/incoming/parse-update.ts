/** What somebody did in a chat, as plain data; null for what the bot has nothing to do with. Pure. */
export type Intent =
  | (Spoken & { kind: 'text'; text: string })
  /** `rest` is what stands behind the command, untouched. */
  | (Spoken & { kind: 'command'; name: string; rest: string; text: string })
  | (Spoken & { kind: 'file'; fileId: string; name: string; size: number; caption: string; mime: string | null })
  | (Spoken & { kind: 'edited'; text: string })
  | {
      kind: 'press'
      from: Speaker
      chat: number
      chatKind: ChatKind
      query: string
      data: string
      message: number | null
    }
  | { kind: 'member'; from: Speaker; chat: number; chatKind: ChatKind; isReachable: boolean }
  | { kind: 'topic'; from: Speaker; chat: number; chatKind: ChatKind; thread: number; isClosed: boolean }

export type ChatKind = 'private' | 'group' | 'supergroup'

export interface Speaker {
  id: number
  name: string
}

interface Spoken {
  from: Speaker
  chat: number
  chatKind: ChatKind
  message: number
  at: number
  thread?: number
  /** The message of ours that it replies to. */
  replyTo?: number
  /** Words of somebody else that were passed on: never a command and never a decision. */
  isForwarded: boolean
  /** Whose words they were, where they were passed on and it is told. */
  origin?: string
  /** The group has topics. */
  isForum: boolean
  /** In a group: it names the bot, or answers it. */
  isForUs: boolean
}

type Json = Readonly<Record<string, unknown>>

/** Updates come from outside: whatever is missing or of another kind makes it none of ours. */
export function parseUpdate(update: Json, bot: { id: number; username: string }): Intent | null {
  const query = record(update.callback_query)
  if (query) return press(query)
  const member = record(update.my_chat_member)
  if (member) return membership(member)
  const edited = record(update.edited_message)
  if (edited) {
    const spoken = spokenOf(edited, bot)
    return spoken && typeof edited.text === 'string' ? { ...spoken, kind: 'edited', text: edited.text } : null
  }
  const message = record(update.message)
  const spoken = message && spokenOf(message, bot)
  if (!message || !spoken) return null
  if (record(message.forum_topic_closed) && spoken.thread !== undefined)
    return {
      kind: 'topic',
      from: spoken.from,
      chat: spoken.chat,
      chatKind: spoken.chatKind,
      thread: spoken.thread,
      isClosed: true,
    }
  const file = fileOf(message)
  if (file) return { ...spoken, kind: 'file', ...file, caption: withoutName(text(message.caption) ?? '', bot.username) }
  const said = text(message.text)
  if (said === null || said === '') return null
  const command = spoken.isForwarded ? null : commandOf(said, bot.username)
  return command
    ? { ...spoken, kind: 'command', ...command, text: said }
    : { ...spoken, kind: 'text', text: unescaped(withoutName(said, bot.username)) }
}

function press(query: Json): Intent | null {
  const from = speaker(query.from)
  const message = record(query.message)
  const chat = record(message?.chat) ?? null
  if (!from || typeof query.id !== 'string' || typeof query.data !== 'string') return null
  return {
    kind: 'press',
    from,
    // An old message may be out of reach; what counts is with the token.
    chat: whole(chat?.id) ?? from.id,
    chatKind: chatKind(chat?.type) ?? 'private',
    query: query.id,
    data: query.data,
    message: whole(message?.message_id),
  }
}

function membership(member: Json): Intent | null {
  const chat = record(member.chat)
  const from = speaker(member.from)
  const id = whole(chat?.id)
  const kind = chatKind(chat?.type)
  const status = record(member.new_chat_member)?.status
  if (!from || id === null || !kind || typeof status !== 'string') return null
  return { kind: 'member', from, chat: id, chatKind: kind, isReachable: !['kicked', 'left'].includes(status) }
}

function spokenOf(message: Json, bot: { id: number; username: string }): Spoken | null {
  const chat = record(message.chat)
  const from = speaker(message.from)
  const id = whole(chat?.id)
  const number = whole(message.message_id)
  const kind = chatKind(chat?.type)
  if (!from || id === null || number === null || !kind) return null
  const replied = record(message.reply_to_message)
  const isReplyToUs = record(replied?.from)?.id === bot.id
  const replyTo = isReplyToUs ? whole(replied?.message_id) : null
  const thread = message.is_topic_message === true ? whole(message.message_thread_id) : null
  const said = text(message.text) ?? text(message.caption) ?? ''
  const origin = originOf(message)
  return {
    from,
    chat: id,
    chatKind: kind,
    message: number,
    at: (whole(message.date) ?? 0) * 1000,
    ...(thread !== null && { thread }),
    ...(replyTo !== null && { replyTo }),
    isForum: chat?.is_forum === true,
    isForwarded: record(message.forward_origin) !== null || record(message.via_bot) !== null,
    ...(origin !== null && { origin }),
    isForUs: kind === 'private' || isReplyToUs || said.startsWith('/') || said.includes(`@${bot.username}`),
  }
}

/** `/name@bot rest`; a command for another bot is not ours, `//x` sends `/x` to the agent. */
function commandOf(said: string, username: string): { name: string; rest: string } | null {
  const found = /^\/([A-Za-z0-9_-]+)(?:@(\w+))?(?:\s+([\s\S]*))?$/.exec(said)
  if (!found || (found[2] !== undefined && found[2].toLowerCase() !== username.toLowerCase())) return null
  return { name: found[1]!.toLowerCase(), rest: found[3] ?? '' }
}

/** In a group the bot is called by its name first: the name is for us, the rest is meant. */
function withoutName(said: string, username: string): string {
  const name = `@${username}`
  const isCalled =
    said.slice(0, name.length).toLowerCase() === name.toLowerCase() && !/^\w/.test(said.slice(name.length))
  return isCalled ? said.slice(name.length).replace(/^[\s,:]+/, '') || said : said
}

/** `MessageOrigin` has four shapes: an account, a name without one, a group, a channel. */
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
    size: whole(found.file_size) ?? 0,
    mime: text(found.mime_type),
  }
}

function speaker(value: unknown): Speaker | null {
  const user = record(value)
  const id = whole(user?.id)
  if (!user || id === null || user.is_bot === true) return null
  return { id, name: [text(user.first_name), text(user.last_name)].filter(Boolean).join(' ') || String(id) }
}

function chatKind(value: unknown): ChatKind | null {
  return value === 'private' || value === 'group' || value === 'supergroup' ? value : null
}

function record(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

function whole(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
