import { visibleText } from '../../text/index.js'
import { ApiProblem, type BotApi, type CallFields } from '../bot-api.js'
import type { InlineKeyboard } from './outbox-item.js'
import type { Throttle } from './rate-limiter.js'
import { plainOf, splitSmaller } from './split.js'

interface MessageCallsOptions {
  api: BotApi
  onProblem(problem: ApiProblem, about: string): void
}

const LABEL_CHARACTERS = 64

/**
 * Sends or edits one message. A text whose form Telegram refuses is sent in a form that it accepts.
 */
export class MessageCalls {
  readonly #options: MessageCallsOptions

  constructor({ api, onProblem }: MessageCallsOptions) {
    this.#options = { api, onProblem }
  }

  /** Text that Telegram cannot parse is sent as plain text, text that is too long in parts. */
  async send(target: CallFields, html: string, fields: CallFields, throttle: Throttle): Promise<number> {
    const { api, onProblem } = this.#options
    const quiet = { link_preview_options: { is_disabled: true } }
    const attempt = async (text: CallFields) => {
      await throttle('send')
      return api.call<{ message_id: number }>('sendMessage', { ...target, ...quiet, ...fields, ...text })
    }
    try {
      return (await attempt({ text: html, parse_mode: 'HTML' })).message_id
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 400) throw error
      if (/can't parse entities/.test(error.message)) {
        onProblem(error, 'formatted text')
        return (await attempt({ text: plainOf(html).slice(0, 4096) })).message_id
      }
      if (!/too long/.test(error.message)) throw error
      const [first = '', ...rest] = splitSmaller(html)
      const { message_id } = await attempt({ text: first, parse_mode: 'HTML' })
      for (const part of rest) {
        await throttle('send')
        await api.call('sendMessage', { ...target, ...quiet, text: part, parse_mode: 'HTML' })
      }
      return message_id
    }
  }

  /** A message that is gone, or no longer has buttons, is fine. */
  async removeKeyboard(chat: number, message: number, throttle: Throttle): Promise<void> {
    await throttle('edit')
    const fields = { chat_id: chat, message_id: message, reply_markup: { inline_keyboard: [] } }
    await this.#options.api.call('editMessageReplyMarkup', fields).catch(error => {
      if (!(error instanceof ApiProblem) || error.code !== 400) throw error
    })
  }

  /** Returns false if the message no longer exists and must be sent again. */
  async edit(
    chat: number,
    message: number,
    html: string,
    keyboard: InlineKeyboard,
    throttle: Throttle,
  ): Promise<boolean> {
    const { api, onProblem } = this.#options
    const fields = {
      chat_id: chat,
      message_id: message,
      link_preview_options: { is_disabled: true },
      reply_markup: { inline_keyboard: rows(keyboard) },
    }
    try {
      await throttle('edit')
      await api.call('editMessageText', { ...fields, text: html, parse_mode: 'HTML' })
      return true
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 400) throw error
      if (/not modified/.test(error.message)) return true
      if (/to edit not found|can't be edited/.test(error.message)) return false
      if (!/can't parse entities/.test(error.message)) throw error
      onProblem(error, 'formatted text')
      await throttle('edit')
      await api.call('editMessageText', { ...fields, text: plainOf(html).slice(0, 4096) })
      return true
    }
  }
}

type ApiButton = { text: string; callback_data: string; style?: string } | { text: string; url: string }

/** Labels come from the agent: hidden characters in them are made visible. */
function rows(keyboard: InlineKeyboard): ApiButton[][] {
  return keyboard.map(row =>
    row.map(button => {
      const text = [...visibleText(button.text, { newlines: 'show', tabs: 'show' })].slice(0, LABEL_CHARACTERS).join('')
      if ('url' in button) return { text, url: button.url }
      return { text, callback_data: button.data, ...(button.style && { style: button.style }) }
    }),
  )
}

export function markup(keyboard: InlineKeyboard, forceReply = false): CallFields {
  if (keyboard.length > 0) return { reply_markup: { inline_keyboard: rows(keyboard) } }
  return forceReply ? { reply_markup: { force_reply: true, selective: true } } : {}
}

export function replying(to: number | undefined): CallFields {
  return to === undefined ? {} : { reply_parameters: { message_id: to, allow_sending_without_reply: true } }
}
