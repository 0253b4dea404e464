import { appendFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Ledger } from '../../src/approvals/index.js'
import { systemClock } from '../../src/clock/index.js'
import { newEvent } from '../../src/events/index.js'
import type { Host } from '../../src/host/index.js'
import {
  type QueuedItem,
  telegramOutboxProjection,
  telegramUpdatesProjection,
} from '../../src/host/telegram-projections.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import type { FakeMessage, FakePerson } from '../../src/telegram/fake/index.js'
import { openBotApi } from '../../src/telegram/index.js'
import { raise, TestBot } from './support.js'

/*
 * The bot dies right after each append and each call to Telegram, while a request is shown, decided
 * and closed and an answer is sent. The points are generated: a first run without a death counts
 * them. A dead bot's calls reach neither the store nor Telegram; the next bot takes over. Real
 * kills of a real process at random points are in crash-storm.test.ts.
 */

/** Counts the appends and calls of a bot, and ends it at the chosen point. */
class Fate {
  readonly points: string[] = []
  isArmed = false
  isDead = false
  readonly #dieAt: number | null

  constructor(dieAt: number | null = null) {
    this.#dieAt = dieAt
  }

  /** A call of a dead bot never resolves. */
  async pass<T>(what: string, work: () => Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => undefined)
    if (!this.isArmed) return work()
    const isLast = this.points.push(what) - 1 === this.#dieAt
    const result = await work()
    if (isLast && this.isArmed) this.isDead = true
    return this.isDead ? new Promise(() => undefined) : result
  }
}

/** The host of a bot that may die: each of its appends, also of decisions, is a kill point. */
function mortal(host: Host, fate: Fate): Host {
  const named = (args: unknown[]) => [...JSON.stringify(args).matchAll(/"type":"([a-z.-]+)"/g)].map(([, type]) => type)
  const store = new Proxy(host.store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>
      if (name !== 'append' && name !== 'appendAll') return call
      return (...args: unknown[]) => fate.pass(`append ${named(args).join('+')}`, () => call(...args))
    },
  })
  const ledger = new Ledger(store, { clock: systemClock })
  return new Proxy(host, {
    get(target, name) {
      if (name === 'store') return store
      if (name === 'ledger') return ledger
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

let bot: TestBot
let ann: FakePerson

beforeAll(async () => {
  bot = await TestBot.start()
  ann = bot.person()
  const known = { chat: 4711, kind: 'private' as const, current: 'ses_x' }
  await bot.host.store.append('telegram/chat/4711', 'any', [newEvent('telegram.chat-changed', known)])
  await bot.bot.stop()
})
afterAll(() => bot.close())

const prose = (text: string): Block => ({
  id: text,
  rows: [0, 0],
  provisional: false,
  missing: false,
  source: 'screen',
  kind: 'prose',
  variant: 'paragraph',
  runs: [{ text }, { text: ' *of* <it>', code: true }],
})

let trials = 0

/**
 * A request, a press, its end and an answer, with a bot that may die on the way and a next one
 * after it.
 */
async function trial(fate: Fate, at: string): Promise<void> {
  const number = ++trials
  const command = `ls trial-${number}-`
  const api = openBotApi({ token: bot.fake.token, apiRoot: bot.fake.apiRoot })
  await bot.openBot({
    isGone: () => true,
    host: mortal(bot.host, fate),
    api: {
      ...api,
      call: (method, fields, signal) => fate.pass(`call ${method}`, () => api.call(method, fields, signal)),
    },
  })
  const first = bot.bot
  fate.isArmed = true
  let isNext = false
  /** Waits for a condition; if the bot dies meanwhile, the next bot brings it about. */
  const until = async <T>(look: () => T | undefined | null | false, what: string): Promise<T> => {
    const found = await bot.fake.until(
      () => look() || (fate.isDead && !isNext ? ('dead' as const) : null),
      `${what} (${at})`,
    )
    if (found !== 'dead') return found as T
    isNext = true
    await bot.openBot({ isGone: () => true })
    return bot.fake.until(look, `${what}, by the next bot (${at})`)
  }
  const keysOf = ({ markup }: FakeMessage) => markup?.inline_keyboard?.flat() ?? []
  const cards = () => bot.fake.visible(ann.chat).filter(({ text }) => text.includes(command))

  const { id } = await raise(bot.host, command)
  const card = await until(() => cards().find(message => keysOf(message).length > 0), 'the card')
  ann.press(card, number % 2 ? 'Allow once' : 'Deny')
  await until(() => /✅|⛔/.test(card.text), 'the end on the card')
  const markdown = renderMarkdown([prose(`Answer ${number}`)])
  const answers = () => bot.fake.visible(ann.chat).filter(({ rich }) => rich?.startsWith(markdown))
  const message = `ses_x.${number}.1`
  const data = {
    session: 'ses_x',
    turn: String(number),
    message,
    markdown,
    blocks: [prose(`Answer ${number}`)] as never,
  }
  await bot.host.store.append('session/ses_x', 'any', [newEvent('message.final', data)])
  await until(() => answers().length > 0, 'the answer')
  // The bot itself or the next one does what is left.
  let isSettled = false
  void first.settled().then(() => {
    isSettled = true
  })
  await bot.fake.until(() => isSettled || fate.isDead, `rest or death (${at})`)
  fate.isArmed = false
  if (fate.isDead && !isNext) await bot.openBot({ isGone: () => true })
  await bot.fake.until(() => bot.fake.state.updates.waiting.length === 0, `every update to be confirmed (${at})`)
  await bot.bot.settled()

  const decided = (await bot.events('approval.decided')).filter(({ stream }) => stream === `approval/${id}`)
  expect(decided, at).toHaveLength(1)
  expect(decided[0]!.data.tier, at).toBe(number % 2 ? 'allow-once' : 'deny')
  expect(keysOf(card), at).toEqual([])
  // One of two copies may still be unknown; a press on it decides nothing and closes it too.
  for (const copy of cards().filter(other => keysOf(other).length > 0)) {
    ann.press(copy, 'Allow once')
    await bot.fake.until(() => keysOf(copy).length === 0, `the end on the other copy (${at})`)
  }
  const unmarked = answers().filter(({ rich }) => rich === markdown)
  expect(unmarked.length, at).toBeLessThanOrEqual(1)
  expect(await bot.host.store.documents(telegramUpdatesProjection.name), at).toEqual([])
  await bot.bot.settled()
  expect(await bot.host.store.documents<QueuedItem>(telegramOutboxProjection.name), at).toEqual([])
  await bot.bot.stop()
  // The dead bot holds a poll and timers, which must not reach the next trial.
  void first.stop().catch(() => undefined)
}

it('a bot killed after each append and call loses and doubles nothing and leaves no dead buttons', async () => {
  const whole = new Fate()
  await trial(whole, 'no death')
  const { points } = whole
  expect(points).toEqual(expect.arrayContaining(['call sendMessage', 'call editMessageText', 'call sendRichMessage']))
  expect(points.some(point => /approval\.decided.*token-used|token-used.*approval\.decided/.test(point))).toBe(true)
  for (const [index, point] of points.entries()) {
    await trial(new Fate(index), `after ${index} ${point}`)
    if (process.env.KILL_POINTS) appendFileSync(process.env.KILL_POINTS, `${systemClock.now()} after ${point}\n`)
  }
  expect(trials).toBe(1 + points.length)
  expect((await bot.events('approval.decided')).length).toBe(trials)
}, 300_000)
