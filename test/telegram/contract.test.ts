import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { delay, systemClock } from '../../src/clock/index.js'
import { ApiProblem, type CallFields, fileField } from '../../src/telegram/bot-api.js'
import { FakeBotApi } from '../../src/telegram/fake/index.js'
import { type BotApi, openBotApi } from '../../src/telegram/index.js'
import { FAST } from './support.js'

/*
 * The documented behaviour of the Bot API, checked against the fake server, and against a real bot
 * when one is configured: then a pass means that the fake refuses what Telegram refuses. The person
 * of the chat must have written to that bot before.
 *
 * SIGNALBOX_CONTRACT_TOKEN_FILE=… SIGNALBOX_CONTRACT_CHAT=… npx vitest run
 * test/telegram/contract.test.ts
 */
const { SIGNALBOX_CONTRACT_TOKEN_FILE: tokenFile, SIGNALBOX_CONTRACT_CHAT: realChat } = process.env

interface Target {
  api: BotApi
  chat: number
  /** A real bot may send one message a second. */
  restMs: number
}

const fake = new FakeBotApi({ rates: FAST })
const targets: { name: string; open(): Promise<Target> }[] = [
  {
    name: 'the fake server',
    open: async () => {
      const api = openBotApi({ token: fake.token, apiRoot: await fake.start() })
      return { api, chat: fake.person(4711, 'Ann').chat.id, restMs: 0 }
    },
  },
  ...(tokenFile && realChat
    ? [
        {
          name: 'a real bot',
          open: async () => {
            const token = readFileSync(tokenFile, 'utf8').trim()
            return {
              api: openBotApi({ token, apiRoot: 'https://api.telegram.org' }),
              chat: Number(realChat),
              restMs: 1100,
            }
          },
        },
      ]
    : []),
]
afterAll(() => fake.stop())

describe.each(targets)('$name', ({ open }) => {
  let target: Target
  beforeAll(async () => {
    target = await open()
  })

  const call = async <T>(method: string, fields: CallFields): Promise<T> => {
    await delay(systemClock, target.restMs)
    return target.api.call<T>(method, fields)
  }
  const inChat = (fields: CallFields): CallFields => ({ chat_id: target.chat, ...fields })
  const say = (fields: CallFields) =>
    call<{ message_id: number; text: string; entities?: object[] }>('sendMessage', inChat(fields))
  const refusal = async (method: string, fields: CallFields): Promise<[number, string]> => {
    const error = await call(method, fields).then(
      () => null,
      problem => problem as ApiProblem,
    )
    expect(error, `${method} was not refused`).toBeInstanceOf(ApiProblem)
    return [error!.code, error!.message]
  }

  it('describes itself, and answers an unknown method with 404', async () => {
    expect(await call('getMe', {})).toMatchObject({ is_bot: true, username: expect.stringMatching(/bot$/i) })
    expect((await refusal('sendNothingAtAll', { x: 1 }))[0]).toBe(404)
  })

  it('counts entities in UTF-16 units after parsing', async () => {
    const { text, entities } = await say({ text: '🙂<b>日本</b> &lt;i&gt;', parse_mode: 'HTML' })
    expect(text).toBe('🙂日本 <i>')
    expect(entities).toEqual([{ type: 'bold', offset: 2, length: 2 }])
    const code = await say({ text: '<pre><code class="language-js">a &lt; b</code></pre>', parse_mode: 'HTML' })
    expect(code.entities).toEqual([{ type: 'pre', offset: 0, length: 5, language: 'js' }])
  })

  it.each([
    ['an empty text', { text: ' ' }, /text is empty/],
    ['a text of more than 4096', { text: 'x'.repeat(4097) }, /message is too long/],
    ['a tag that is not closed', { text: '<b>x', parse_mode: 'HTML' }, /can't parse entities: .*end tag/i],
    [
      'an unknown tag',
      { text: '<h1>x</h1>', parse_mode: 'HTML' },
      /can't parse entities: Unsupported start tag "h1" at byte offset 0/,
    ],
    [
      'tags that cross',
      { text: '<b><i>x</b></i>', parse_mode: 'HTML' },
      /can't parse entities: Unmatched end tag at byte offset 7, expected "<\/i>", found "<\/b>"/,
    ],
    [
      'a button of more than 64 bytes',
      { text: 'x', reply_markup: { inline_keyboard: [[{ text: 'x', callback_data: 'ä'.repeat(33) }]] } },
      /BUTTON_DATA_INVALID/,
    ],
    [
      'a button with an invalid link',
      { text: 'x', reply_markup: { inline_keyboard: [[{ text: 'x', url: 'http://localhost' }]] } },
      /is invalid|BUTTON_URL_INVALID/,
    ],
    [
      'a reply to an unknown message',
      { text: 'x', reply_parameters: { message_id: 2_000_000_000 } },
      /message to be replied not found/,
    ],
    ['an unknown topic', { text: 'x', message_thread_id: 2_000_000_000 }, /thread not found|TOPIC/],
  ])('refuses %s', async (_, fields, words) => {
    const [code, message] = await refusal('sendMessage', inChat(fields))
    expect(code).toBe(400)
    expect(message).toMatch(words)
  })

  it('accepts a text of exactly 4096, and a reply to an unknown message where that is allowed', async () => {
    expect((await say({ text: 'x'.repeat(4096) })).text).toHaveLength(4096)
    const reply_parameters = { message_id: 2_000_000_000, allow_sending_without_reply: true }
    expect(await say({ text: 'x', reply_parameters })).toMatchObject({ text: 'x' })
  })

  it('refuses an edit without a change, and edits or deletions of an unknown message', async () => {
    const { message_id } = await say({ text: 'one' })
    expect((await refusal('editMessageText', inChat({ message_id, text: 'one' })))[1]).toMatch(
      /message is not modified/,
    )
    expect(await call('editMessageText', inChat({ message_id, text: 'two' }))).toMatchObject({ text: 'two' })
    const nothing = inChat({ message_id: 2_000_000_000, text: 'x' })
    expect((await refusal('editMessageText', nothing))[1]).toMatch(/message to edit not found/)
    expect((await refusal('deleteMessage', inChat({ message_id: 2_000_000_000 })))[1]).toMatch(
      /message to delete not found/,
    )
  })

  it('refuses a caption of more than 1024, an unknown chat or file, and a late callback answer', async () => {
    const document = fileField('a.txt', Buffer.from('a'))
    const long = await refusal('sendDocument', inChat({ document, caption: 'x'.repeat(1025) }))
    expect(long[1]).toMatch(/caption is too long/)
    expect((await refusal('sendMessage', { chat_id: 1, text: 'x' }))[1]).toMatch(/chat not found/)
    expect((await refusal('getFile', { file_id: 'nothing' }))[1]).toMatch(/file_id/)
    const answer = await refusal('answerCallbackQuery', { callback_query_id: '1', text: 'x' })
    expect(answer).toEqual([400, expect.stringMatching(/query is too old|QUERY_ID_INVALID/)])
  })

  it('refuses an invalid command name, and a draft without an id', async () => {
    const commands = [{ command: 'No-Name', description: 'x' }]
    expect((await refusal('setMyCommands', { commands }))[1]).toMatch(/BOT_COMMAND_INVALID/)
    expect((await refusal('sendMessageDraft', inChat({ draft_id: 0, text: 'x' })))[0]).toBe(400)
  })
})
