import type { Content, FakeChat, FakeMessage, Keyboard } from './chats.js'
import { chatToApi, toApi } from './chats.js'
import { type Fields, fileOf, numberOf, optionalNumber, textOf } from './fields.js'
import { EntityProblem, parseHtml } from './parse-html.js'
import { badRequest, Refusal } from './refusal.js'
import type { FakeState } from './state.js'

export type Method = (state: FakeState, fields: Fields) => unknown

const MESSAGE_UNITS = 4096
const CAPTION_UNITS = 1024
const RICH_CHARACTERS = 32_768
const RICH_BLOCKS = 500
const RICH_COLUMNS = 20
const RICH_LEVELS = 16
const CALLBACK_BYTES = 64
const TOAST_CHARACTERS = 200
const UPLOAD_BYTES = 50 * 1024 * 1024
const DOWNLOAD_BYTES = 20 * 1024 * 1024
const ENTITIES_MAX = 100

/** The methods of the Bot API that Signalbox calls, with the refusals of the real one. */
export const METHODS: Readonly<Record<string, Method>> = {
  getMe: state => ({ ...state.bot, has_topics_enabled: state.botHasTopics }),
  getWebhookInfo: state => ({ url: state.webhook, pending_update_count: state.updates.waiting.length }),
  deleteWebhook: state => {
    state.webhook = ''
    return true
  },
  getUpdates: (state, fields) => {
    if (state.webhook)
      throw new Refusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    return state.updates.get(fields)
  },
  setMyCommands: (state, fields) => {
    const commands = fields.commands as { command: string; description: string }[]
    for (const { command, description } of commands) {
      if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest(`BOT_COMMAND_INVALID`)
      if (description.length < 1 || description.length > 256) throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID')
    }
    state.commands = commands
    return true
  },
  getChat: (state, fields) => chatToApi(state.chat(fields)),

  sendMessage: (state, fields) => {
    const chat = state.chat(fields)
    const content = { ...parsedText(textOf(fields, 'text'), fields, MESSAGE_UNITS), ...markup(fields) }
    state.pace(chat, 'send')
    return toApi(chat, state.post(chat, content, targetOf(chat, fields)))
  },
  sendRichMessage: (state, fields) => {
    const chat = state.chat(fields)
    const content = { ...rich(fields), ...markup(fields) }
    state.pace(chat, 'send')
    return toApi(chat, state.post(chat, content, targetOf(chat, fields)))
  },
  sendMessageDraft: (state, fields) => {
    const text = typeof fields.text === 'string' ? fields.text : ''
    const { text: plain } = text === '' ? { text } : parsedText(text, fields, MESSAGE_UNITS)
    return draft(state, fields, plain, false)
  },
  sendRichMessageDraft: (state, fields) => draft(state, fields, rich(fields).text, true),
  editMessageText: (state, fields) => {
    const chat = state.chat(fields)
    const message = editable(state, chat, fields)
    const isRich = fields.rich_message !== undefined
    const newText: Content = isRich ? rich(fields) : parsedText(textOf(fields, 'text'), fields, MESSAGE_UNITS)
    const content = { ...newText, ...markup(fields) }
    refuseUnchanged(message, content)
    state.pace(chat, 'edit')
    return toApi(chat, state.edit(message, content))
  },
  editMessageReplyMarkup: (state, fields) => {
    const chat = state.chat(fields)
    const message = editable(state, chat, fields)
    const { text, entities, rich: richText, document } = message
    const content: Content = {
      text,
      entities,
      ...(richText !== undefined && { rich: richText }),
      ...(document && { document }),
      ...markup(fields),
    }
    refuseUnchanged(message, content)
    state.pace(chat, 'edit')
    return toApi(chat, state.edit(message, content))
  },
  deleteMessage: (state, fields) => {
    const chat = state.chat(fields)
    const message = chat.messages.find(({ id }) => id === numberOf(fields, 'message_id'))
    if (!message || message.isDeleted) throw badRequest('message to delete not found')
    message.isDeleted = true
    return true
  },
  answerCallbackQuery: (state, fields) => {
    const text = typeof fields.text === 'string' ? fields.text : ''
    if ([...text].length > TOAST_CHARACTERS) throw badRequest('MESSAGE_TOO_LONG')
    state.answerPress(textOf(fields, 'callback_query_id'), text, fields.show_alert === true)
    return true
  },
  sendChatAction: (state, fields) => {
    state.chat(fields)
    return true
  },
  sendDocument: (state, fields) => sendFile(state, fields, 'document'),
  sendPhoto: (state, fields) => sendFile(state, fields, 'photo'),
  getFile: (state, fields) => {
    const file = state.files.get(textOf(fields, 'file_id'))
    if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable')
    if (file.bytes.length > DOWNLOAD_BYTES) throw badRequest('file is too big')
    const id = textOf(fields, 'file_id')
    return { file_id: id, file_unique_id: id, file_size: file.bytes.length, file_path: `documents/${id}` }
  },

  createForumTopic: (state, fields) => {
    const chat = state.forum(fields)
    const name = topicName(fields)
    const thread = state.nextMessageId()
    chat.topics.set(thread, { name, isClosed: false, isDeleted: false })
    return { message_thread_id: thread, name, icon_color: 7322096 }
  },
  editForumTopic: (state, fields) => {
    const topic = state.topic(fields)
    if (topic.name === topicName(fields)) throw badRequest('TOPIC_NOT_MODIFIED')
    topic.name = topicName(fields)
    return true
  },
  closeForumTopic: (state, fields) => {
    const topic = state.topic(fields)
    if (topic.isClosed) throw badRequest('TOPIC_NOT_MODIFIED')
    topic.isClosed = true
    return true
  },
  deleteForumTopic: (state, fields) => {
    state.topic(fields).isDeleted = true
    return true
  },
}

function topicName(fields: Fields): string {
  const name = textOf(fields, 'name')
  if (name.length < 1 || [...name].length > 128) throw badRequest('TOPIC_TITLE_INVALID')
  return name
}

function sendFile(state: FakeState, fields: Fields, field: string): unknown {
  const chat = state.chat(fields)
  const file = fileOf(fields, field)
  if (file.bytes.length === 0) throw badRequest('file must be non-empty')
  if (file.bytes.length > UPLOAD_BYTES) throw new Refusal(413, 'Request Entity Too Large')
  const caption = typeof fields.caption === 'string' ? fields.caption : ''
  const captioned = caption === '' ? { text: '', entities: [] } : parsedText(caption, fields, CAPTION_UNITS, 'caption')
  state.pace(chat, 'send')
  const document = { ...file, fileId: state.keepFile(file) }
  return toApi(chat, state.post(chat, { ...captioned, document, ...markup(fields) }, targetOf(chat, fields)))
}

function draft(state: FakeState, fields: Fields, text: string, isRich: boolean): true {
  const chat = state.chat(fields)
  if (chat.type !== 'private') throw badRequest('drafts can be sent only to private chats')
  const id = numberOf(fields, 'draft_id')
  if (id === 0) throw badRequest('draft_id must be non-zero')
  const { thread } = targetOf(chat, fields)
  state.pace(chat, 'draft')
  state.setDraft(chat, { id, thread, text, rich: isRich, at: 0 })
  return true
}

/** The target of a message: its topic and the message that it replies to must exist. */
function targetOf(chat: FakeChat, fields: Fields): { thread?: number; replyTo?: number } {
  const thread = optionalNumber(fields, 'message_thread_id')
  if (thread !== undefined) {
    const topic = chat.topics.get(thread)
    if (!topic || topic.isDeleted) throw badRequest('message thread not found')
    if (topic.isClosed && chat.type !== 'private') throw badRequest('TOPIC_CLOSED')
  }
  const reply = fields.reply_parameters as { message_id?: number; allow_sending_without_reply?: boolean } | undefined
  const replied = reply?.message_id
  if (replied !== undefined && !chat.messages.some(({ id, isDeleted }) => id === replied && !isDeleted)) {
    if (!reply?.allow_sending_without_reply) throw badRequest('message to be replied not found')
    return { ...(thread !== undefined && { thread }) }
  }
  return { ...(thread !== undefined && { thread }), ...(replied !== undefined && { replyTo: replied }) }
}

function parsedText(raw: string, fields: Fields, limit: number, what = 'message'): Content {
  const mode = fields.parse_mode
  if (mode !== undefined && mode !== 'HTML') throw badRequest('unsupported parse_mode')
  try {
    const parsed = mode === 'HTML' ? parseHtml(raw) : { text: raw, entities: [] }
    if (parsed.text.trim() === '') throw badRequest('message text is empty')
    if (parsed.text.length > limit)
      throw badRequest(what === 'caption' ? 'message caption is too long' : 'message is too long')
    if (parsed.entities.length > ENTITIES_MAX) throw badRequest('too many entities')
    return parsed
  } catch (error) {
    if (error instanceof EntityProblem) throw badRequest(error.message)
    throw error
  }
}

function rich(fields: Fields): Content {
  const message = fields.rich_message as
    | { markdown?: string; html?: string; skip_entity_detection?: boolean }
    | undefined
  const markdown = message?.markdown
  if (typeof markdown !== 'string') throw badRequest('rich message must have content')
  if (markdown.trim() === '') throw badRequest('message text is empty')
  if (markdown.length > RICH_CHARACTERS) throw badRequest('rich message is too long')
  if (markdown.split(/\n{2,}/).length > RICH_BLOCKS) throw badRequest('rich message has too many blocks')
  if (markdown.split('\n').some(isWideRow)) throw badRequest('rich message table has too many columns')
  if (markdown.split('\n').some(isDeepItem)) throw badRequest('rich message is nested too deep')
  if (/!\[[^\]]*\]\(\s*https?:/i.test(markdown)) throw badRequest('this server fetches no media from addresses')
  return { text: markdown, entities: [], rich: markdown }
}

/** The cells of a table row, split at unescaped bars. */
function isWideRow(line: string): boolean {
  return /^\s*\|/.test(line) && line.replace(/\\./g, '').split('|').length - 2 > RICH_COLUMNS
}

/** At least two blanks for each level. */
function isDeepItem(line: string): boolean {
  const indent = /^( *)(?:[-*+]|\d+[.)]) /.exec(line)?.[1]?.length ?? 0
  return indent / 2 >= RICH_LEVELS
}

function markup(fields: Fields): { markup?: Keyboard } {
  const keyboard = fields.reply_markup as Keyboard | undefined
  if (!keyboard) return {}
  for (const button of keyboard.inline_keyboard?.flat() ?? []) {
    if (button.text.trim() === '') throw badRequest('text buttons are unallowed to be empty')
    const kinds = [button.callback_data, button.url].filter(value => value !== undefined)
    if (kinds.length !== 1) throw badRequest('BUTTON_TYPE_INVALID')
    if (button.url !== undefined && !/^(?:https?|tg):\/\/[^\s/]*\.[^\s]*$/.test(button.url))
      throw badRequest(`inline keyboard button URL '${button.url}' is invalid: Wrong HTTP URL`)
    const bytes = Buffer.byteLength(button.callback_data ?? 'x')
    if (bytes < 1 || bytes > CALLBACK_BYTES) throw badRequest('BUTTON_DATA_INVALID')
  }
  return { markup: keyboard }
}

function editable(state: FakeState, chat: FakeChat, fields: Fields): FakeMessage {
  const message = chat.messages.find(({ id }) => id === numberOf(fields, 'message_id'))
  if (!message || message.isDeleted) throw badRequest('message to edit not found')
  if (message.from.id !== state.bot.id) throw badRequest("message can't be edited")
  return message
}

function refuseUnchanged(message: FakeMessage, content: Content): void {
  const shape = ({ text, entities, rich: richText, markup: keyboard }: Content) =>
    JSON.stringify([text, entities, richText ?? null, keyboard?.inline_keyboard ?? null])
  if (shape(message) === shape(content))
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    )
}
