import { Api, GrammyError, InputFile } from 'grammy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SimulatedClock } from '../../clock/index.js'
import { FakeBotApi } from './fake-bot-api.js'
import type { FakePerson } from './person.js'

let fake: FakeBotApi
let api: Api
let ann: FakePerson
const clock = new SimulatedClock(Date.UTC(2026, 0, 1))

beforeEach(async () => {
  fake = new FakeBotApi({ clock })
  api = new Api(fake.token, { apiRoot: await fake.start() })
  ann = fake.person(4711, 'Ann')
})
afterEach(() => fake.stop())

async function refused(call: Promise<unknown>): Promise<GrammyError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(GrammyError)
  return error as GrammyError
}

describe('messages of the fake', () => {
  it('count texts and entities like Telegram, and keep every version', async () => {
    const sent = await api.sendMessage(
      4711,
      '🚂 <b>Ready</b> &lt;now&gt; <pre><code class="language-ts">a &amp; b</code></pre>',
      {
        parse_mode: 'HTML',
      },
    )
    expect(sent.text).toBe('🚂 Ready <now> a & b')
    expect(sent.entities).toEqual([
      { type: 'bold', offset: 3, length: 5 },
      { type: 'pre', offset: 15, length: 5, language: 'ts' },
    ])
    await api.editMessageText(4711, sent.message_id, 'gone')
    expect(ann.chat.messages[0]).toMatchObject({ text: 'gone', versions: [{ text: '🚂 Ready <now> a & b' }] })
  })

  it.each([
    ['<b>x', `can't parse entities: Can't find end tag corresponding to start tag "b"`],
    ['ä<x>', `can't parse entities: Unsupported start tag "x" at byte offset 2`],
    ['<b>x</i>', `can't parse entities: Unmatched end tag at byte offset 4, expected "</b>", found "</i>"`],
    ['x</b>', `can't parse entities: Unexpected end tag at byte offset 1`],
    ['<code><b>x</b></code>', `can't parse entities: "b" inside code at byte offset 6`],
    [' ', 'message text is empty'],
    ['x'.repeat(4097), 'message is too long'],
  ])('are refused: %j', async (text, description) => {
    const { error_code, description: said } = await refused(
      api.sendMessage(4711, text.slice(0, 5000), { parse_mode: 'HTML' }),
    )
    expect([error_code, said]).toEqual([400, `Bad Request: ${description}`])
  })

  it('cannot be edited without a change, if they are unknown, or by another sender', async () => {
    const { message_id } = await api.sendMessage(4711, 'a')
    expect((await refused(api.editMessageText(4711, message_id, 'a'))).description).toContain('message is not modified')
    expect((await refused(api.editMessageText(4711, 999, 'b'))).description).toContain('message to edit not found')
    const own = ann.say('hello')
    expect((await refused(api.editMessageText(4711, own.id, 'b'))).description).toContain("can't be edited")
  })

  it('have callback data of at most 64 bytes', async () => {
    const keyboard = (data: string) => ({ reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: data }]] } })
    await api.sendMessage(4711, 'a', keyboard('x'.repeat(64)))
    expect((await refused(api.sendMessage(4711, 'b', keyboard('ä'.repeat(33))))).description).toContain(
      'BUTTON_DATA_INVALID',
    )
  })

  it('can contain files, which can be downloaded', async () => {
    await api.sendDocument(4711, new InputFile(Buffer.from('all of it'), 'plan.md'), { caption: 'the plan' })
    expect(ann.chat.messages[0]).toMatchObject({ text: 'the plan', document: { name: 'plan.md' } })
    ann.sendFile('photo.jpg', Buffer.from('bytes'))
    const [update] = await api.getUpdates()
    const { file_path } = await api.getFile(update!.message!.document!.file_id)
    const answer = await fetch(`${fake.apiRoot}/file/bot${fake.token}/${file_path}`)
    expect(await answer.text()).toBe('bytes')
  })
})

describe('drafts of the fake', () => {
  it('exist in private chats only, and vanish after 30 s or with a message', async () => {
    const group = fake.group(-100, 'Crew')
    const draft = (chat: number) => api.raw.sendMessageDraft({ chat_id: chat, draft_id: 5, text: 'so far' })
    expect((await refused(draft(group.id))).description).toContain('private')
    await draft(4711)
    expect(fake.state.draftOf(ann.chat)?.text).toBe('so far')
    clock.advance(30_001)
    expect(fake.state.draftOf(ann.chat)).toBeNull()
    await draft(4711)
    await api.sendMessage(4711, 'done')
    expect(fake.state.draftOf(ann.chat)).toBeNull()
  })
})

describe('rate limits of the fake', () => {
  it('answer with a 429 and a time, which grows with calls during the wait', async () => {
    for (let n = 0; n < 5; n++) await api.sendMessage(4711, `${n}`)
    const first = await refused(api.sendMessage(4711, 'x'))
    expect([first.error_code, first.parameters.retry_after]).toEqual([429, 1])
    expect((await refused(api.sendMessage(4711, 'x'))).parameters.retry_after).toBe(2)
    clock.advance(3000)
    await api.sendMessage(4711, 'now')
  })
})

describe('updates of the fake', () => {
  it('stay until a higher offset confirms them', async () => {
    ann.say('one')
    ann.say('two')
    const [one] = await api.getUpdates({ limit: 1 })
    expect((await api.getUpdates({ limit: 1 }))[0]).toEqual(one)
    const rest = await api.getUpdates({ offset: one!.update_id + 1 })
    expect(rest.map(({ message }) => message?.text)).toEqual(['two'])
  })

  it('go to one poll: a newer poll ends the older one with 409', async () => {
    const older = refused(api.getUpdates({ timeout: 50 }))
    await fake.until(() => fake.calls.length === 1, 'the first poll')
    const newer = api.getUpdates({ timeout: 50 })
    expect((await older).error_code).toBe(409)
    ann.say('hello')
    expect((await newer)[0]?.message?.text).toBe('hello')
  })

  it('contain a button press, which is answered once', async () => {
    await api.sendMessage(4711, 'may I?', {
      reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'y' }]] },
    })
    ann.press(ann.chat.messages[0]!, 'Yes')
    const [update] = await api.getUpdates()
    await api.answerCallbackQuery(update!.callback_query!.id, { text: 'thanks' })
    expect(fake.state.presses[0]?.answer?.text).toBe('thanks')
    expect((await refused(api.answerCallbackQuery(update!.callback_query!.id))).description).toContain(
      'query is too old',
    )
  })
})

describe('faults of the fake', () => {
  it('affect the calls that they were planned for', async () => {
    fake.faults.plan('sendMessage', { kind: 'status', code: 502 })
    expect((await refused(api.sendMessage(4711, 'a'))).error_code).toBe(502)
    fake.faults.plan('sendMessage', { kind: 'lost' })
    await expect(api.sendMessage(4711, 'b')).rejects.toThrow()
    expect(ann.chat.messages.map(({ text }) => text)).toEqual(['b'])
  })

  it('unknown methods and wrong tokens are refused', async () => {
    const answer = await fetch(`${fake.apiRoot}/bot${fake.token}/sendStory`, { method: 'POST' })
    expect(answer.status).toBe(404)
    const stranger = new Api('1:wrong', { apiRoot: fake.apiRoot })
    expect((await refused(stranger.getMe())).error_code).toBe(401)
  })
})

describe('the page of the fake', () => {
  it('shows the chat, presses buttons and sends texts, and needs the key', async () => {
    await api.sendMessage(4711, '<b>May I?</b> &lt;rm&gt;', {
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard: [[{ text: 'Allow', callback_data: 'y' }]] },
    })
    const page = await (await fetch(fake.pageOf(ann))).text()
    expect(page).toContain('<b>May I?</b> &#60;rm&#62;')
    expect(page).toContain('>Allow</button>')
    await fetch(`${fake.pageOf(ann)}/act`, { method: 'POST', body: new URLSearchParams({ text: 'hello' }) })
    expect(ann.chat.messages.at(-1)?.text).toBe('hello')
    expect((await fetch(`${fake.apiRoot}/page/wrong/4711`)).status).toBe(404)
  })
})
