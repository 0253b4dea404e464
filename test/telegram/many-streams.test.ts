import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SimulatedClock, systemClock } from '../../src/clock/index.js'
import { newEvent } from '../../src/events/index.js'
import { openHome } from '../../src/host/home/index.js'
import { Host } from '../../src/host/index.js'
import { Keeper } from '../../src/keeper/index.js'
import { People } from '../../src/people/index.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import { ApiProblem } from '../../src/telegram/bot-api.js'
import type { FakeMessage } from '../../src/telegram/fake/index.js'
import { METHODS } from '../../src/telegram/fake/methods.js'
import { parseHtml } from '../../src/telegram/fake/parse-html.js'
import { DEFAULT_RATES } from '../../src/telegram/fake/rates.js'
import { Refusal } from '../../src/telegram/fake/refusal.js'
import { FakeState } from '../../src/telegram/fake/state.js'
import { type BotApi, Telegram } from '../../src/telegram/index.js'
import { editIntervalMs } from '../../src/telegram/outgoing/rate-limiter.js'

/*
 * Many sessions write at the same time, for many minutes of a simulated clock, with Telegram's rate
 * limits: five sessions per chat, a fifth of the chats are groups. The full run:
 * SIGNALBOX_STREAMS="50 600" npx vitest run test/telegram/many-streams.test.ts
 */
const [SESSIONS = 10, SECONDS = 150] = (process.env.SIGNALBOX_STREAMS ?? '').split(' ').filter(Boolean).map(Number)
const CHATS = Math.ceil(SESSIONS / 5)
const TURN_S = 30
const STEP_MS = 250

interface Call {
  at: number
  method: string
  chat: number
  message: number | null
  units: number
  status: number
}

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-streams-')))
const clock = new SimulatedClock(Date.UTC(2026, 10, 15))
const state = new FakeState(clock, DEFAULT_RATES, () => undefined)
const calls: Call[] = []
const finals = new Map<number, { markdown: string; text: string }[]>()
let host: Host
let bot: Telegram
const errors: string[] = []

/**
 * The fake server without sockets, on the simulated clock: the result does not depend on the
 * machine.
 */
const api: BotApi = {
  async call<T>(method: string, fields: Readonly<Record<string, unknown>>): Promise<T> {
    const call = {
      at: clock.monotonic(),
      method,
      chat: Number(fields.chat_id ?? 0),
      message: fields.message_id === undefined ? null : Number(fields.message_id),
      units: String(fields.text ?? '').length,
      status: 200,
    }
    calls.push(call)
    try {
      return (await METHODS[method]!(state, fields)) as T
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      call.status = error.code
      const { retry_after } = error.parameters ?? {}
      throw new ApiProblem(error.message, {
        code: error.code,
        ...(retry_after !== undefined && { retryAfterMs: retry_after * 1000 }),
      })
    }
  },
  download: () => Promise.reject(new Error('there are no files here')),
}

const chatOf = (session: number) => {
  const index = session % CHATS
  return index % 5 === 1 ? -1000 - index : 5000 + index
}
const idOf = (session: number) => `ses_many${session}`

function blocksOf(session: number, turn: number, seconds: number): Block[] {
  const base = { rows: [0, 0] as [number, number], provisional: false, missing: false, source: 'screen' as const }
  return Array.from({ length: 1 + Math.floor(seconds / 4) }, (_, part): Block => {
    const id = `${turn}.${part}`
    if (part % 3 === 2) return { ...base, id, kind: 'code', language: 'js', lines: [`const x${part} = "<${session}>"`] }
    const runs = [
      { text: `Session ${session}, turn ${turn}, part ${part}: ${'word '.repeat(20)}` },
      { text: '*&<', bold: true },
    ]
    return { ...base, id, kind: 'prose', variant: 'paragraph', runs }
  })
}

/** Advances the clock step by step, and waits for the effects of each step. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(STEP_MS)
    for (let turn = 0; turn < 12; turn++) await nextTurn()
  }
}

beforeAll(async () => {
  const home = join(directory, 'home')
  mkdirSync(home, { mode: 0o700 })
  const { settings, directories } = openHome({ env: { HOME: home, SIGNALBOX_HOME: home }, cwd: home } as never)
  host = await Host.open({
    settings: { ...settings, minFreeMb: 1 },
    clock: systemClock,
    keeper: new Keeper(systemClock),
    owner: 'daemon',
    version: '0.0.0',
    onError: error => void errors.push(String(error)),
  })
  const people = new People(directories.config)
  const groups: number[] = []
  for (let index = 0; index < CHATS; index++) {
    const chat = chatOf(index)
    if (chat < 0) groups.push(chat)
    else people.pair(chat, { name: `Person ${index}`, role: 'approver' })
    state.addChat(chat, `Chat ${index}`, { type: chat < 0 ? 'group' : 'private' })
    const sessions = Array.from({ length: SESSIONS }, (_, session) => session).filter(
      session => chatOf(session) === chat,
    )
    const known = {
      chat,
      kind: chat < 0 ? ('group' as const) : ('private' as const),
      current: idOf(sessions[0]!),
      follows: sessions.map(idOf),
    }
    await host.store.append(`telegram/chat/${chat}`, 'any', [newEvent('telegram.chat-changed', known)])
    finals.set(chat, [])
  }
  bot = new Telegram({
    host,
    api,
    people,
    clock,
    owner: 'test',
    settings: { groups, groupDetail: false, topics: 'auto', stream: 'auto', announce: false, quiet: null },
    ports: { agents: [], roots: [] },
    utcOffset: 0,
    onError: error => void errors.push(String(error)),
  })
  await bot.start()
})
afterAll(async () => {
  let isStopped = false
  const stopped = bot.stop().then(() => {
    isStopped = true
  })
  while (!isStopped) {
    state.updates.endPoll()
    await pass(STEP_MS)
  }
  await stopped
  await host.close()
  rmSync(directory, { recursive: true, force: true })
})

const said = (chat: number): FakeMessage[] => state.chats.get(chat)!.messages.filter(({ from }) => from.isBot)

it(`${SESSIONS} sessions stream complete answers for ${SECONDS} s within the limits of Telegram`, async () => {
  for (let second = 0; second < SECONDS; second++) {
    for (let session = 0; session < SESSIONS; session++) {
      // Turns of different sessions end at different times.
      const own = second + session
      const turn = Math.floor(own / TURN_S)
      const message = `${idOf(session)}.${turn}.1`
      const blocks = blocksOf(session, turn, own % TURN_S)
      if (own % TURN_S < TURN_S - 1) {
        host.bus.emit({ type: 'message.update', session: idOf(session), turn: String(turn), message, blocks })
        continue
      }
      const markdown = renderMarkdown(blocks)
      finals.get(chatOf(session))!.push({ markdown, text: `Session ${session}, turn ${turn}, part 0` })
      const data = { session: idOf(session), turn: String(turn), message, markdown, blocks: blocks as never }
      await host.store.append(`session/${idOf(session)}`, 'any', [newEvent('message.final', data)])
    }
    await pass(1000)
  }
  for (const [chat, answers] of finals) {
    for (let wait = 0; wait < 300 && said(chat).length < answers.length; wait++) await pass(1000)
    for (const { markdown, text } of answers) {
      const found = said(chat).filter(message => message.text.includes(text))
      expect(found, text).toHaveLength(1)
      if (found[0]!.rich !== undefined) expect(found[0]!.rich).toBe(markdown)
      else expect(textOf(found[0]!.text)).toBe(textOf(plainOf(markdown)))
    }
  }
  expect(calls.filter(({ status }) => status !== 200)).toEqual([])
  expect(errors).toEqual([])
  expectDistances()
  expect(calls.some(({ method }) => method === 'editMessageText')).toBe(true)
  expect(calls.filter(({ method }) => method === 'sendRichMessageDraft').length).toBeGreaterThan(SECONDS / 5)
}, 600_000)

/** Edits of a growing message keep their interval; only the last one does not wait. */
function expectDistances(): void {
  const last = new Map<string, Call>()
  for (const call of calls.filter(({ method }) => method === 'editMessageText')) {
    const key = `${call.chat}/${call.message}`
    const before = last.get(key)
    const message = state.chats.get(call.chat)!.messages.find(({ id }) => id === call.message)!
    const isEnd = message.versions.at(-1)!.at <= clock.now() - clock.monotonic() + call.at
    if (before && !isEnd) expect(call.at - before.at).toBeGreaterThanOrEqual(editIntervalMs(call.chat, 0))
    last.set(key, call)
  }
}

/** The text without its markup. */
function plainOf(markdown: string): string {
  return parseHtml(
    markdown
      .replace(/^```\w*$/gm, '')
      .replace(/\\([\\`*_{}[\]()#+\-.!|~<>&])/g, '$1')
      .replaceAll('<', '&lt;'),
  ).text
}

function textOf(text: string): string {
  return text.replace(/[\s*]/g, '')
}
