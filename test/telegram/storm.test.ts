import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/clock/index.js'
import { newEvent } from '../../src/events/index.js'
import { type Block, renderMarkdown } from '../../src/screen/index.js'
import { FakeBotApi, type FakeMessage, type FakePerson, type Fault } from '../../src/telegram/fake/index.js'
import { raise, TestBot } from './support.js'

/*
 * Bad weather: refusals, conflicts, errors, lost and half answers at random, the bot and Telegram itself restarted at random points, at
 * the rates that Telegram allows, on a clock that runs 25 times as fast. SIGNALBOX_STORM="seed decisions turns" for a longer one:
 * SIGNALBOX_STORM="7 1000 200" npx vitest run test/telegram/storm.test.ts
 */
const [SEED = 1, DECISIONS = 40, TURNS = 8] = (process.env.SIGNALBOX_STORM ?? '').split(' ').filter(Boolean).map(Number)
const FACTOR = 25
const BUDGET_MS = 60_000 + DECISIONS * 1000 + TURNS * 1000

const begin = { now: systemClock.now(), monotonic: systemClock.monotonic() }
const quick: Clock = {
  now: () => Math.floor(begin.now + (systemClock.monotonic() - begin.monotonic) * FACTOR),
  monotonic: () => systemClock.monotonic() * FACTOR,
  setTimer: (ms, run) => systemClock.setTimer(ms / FACTOR, run),
}

let state = SEED
function random(): number {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

let refusalsPlayed = 0
function weather(method: string): Fault | null {
  const chance = random()
  if (method === 'getUpdates') return chance < 0.02 ? { kind: 'status', code: 409 } : null
  if (chance < 0.03) {
    refusalsPlayed += 1
    return { kind: 'status', code: 429, retryAfter: 1 + Math.floor(random() * 3) }
  }
  if (chance < 0.05) return { kind: 'status', code: random() < 0.5 ? 500 : 502 }
  if (chance < 0.07) return { kind: 'lost' }
  if (chance < 0.08) return { kind: 'no-answer' }
  if (chance < 0.085) return { kind: 'half' }
  return chance < 0.09 ? { kind: 'malformed' } : null
}

let bot: TestBot
let ann: FakePerson

beforeAll(async () => {
  bot = await TestBot.start({
    fake: new FakeBotApi({ clock: quick }),
    clock: quick,
    pace: { privatePerS: 1, privateBurst: 3, groupPerMin: 18, allPerS: 25 },
  })
  ann = bot.person()
  const known = { chat: 4711, kind: 'private' as const, current: 'ses_storm' }
  await bot.host.store.append('telegram/chat/4711', 'any', [newEvent('telegram.chat-changed', known)])
})
afterAll(() => bot.close())

const prose = (id: string, text: string): Block => ({
  id,
  rows: [0, 0],
  provisional: false,
  missing: false,
  source: 'screen',
  kind: 'prose',
  variant: 'paragraph',
  runs: [{ text }, { text: ' <b>&amp;</b> ', code: true }, { text: '*_`[' }],
})

const AGAIN = /\n\n_?\(sent again: the first was not confirmed\)_?$/

async function restart(): Promise<void> {
  await bot.bot.stop()
  if (random() < 0.3) {
    const port = Number(new URL(bot.fake.apiRoot).port)
    await bot.fake.stop()
    await bot.fake.start(port)
  }
  for (;;) {
    // Its first words may fail as well: then it is started again, as a daemon does.
    const isUp = await bot.openBot({ clock: quick }).then(
      () => true,
      () => false,
    )
    if (isUp) return
  }
}

it(
  `loses and doubles nothing: ${DECISIONS} decisions, ${TURNS} streamed turns, seed ${SEED}`,
  async () => {
    bot.fake.faults.atRandom(weather)
    const wanted = new Map<string, { command: string; tiers: Set<string> }>()
    const decide = async (index: number) => {
      const command = `ls storm-${index}-`
      const { id } = await raise(bot.host, command)
      const tiers = new Set<string>()
      wanted.set(id, { command, tiers })
      const isShown = (message: FakeMessage) =>
        message.text.includes(command) && (message.markup?.inline_keyboard?.length ?? 0) > 0
      const card = await bot.fake.until(() => bot.fake.visible(ann.chat).find(isShown), command, 40_000)
      const press = (label: string, tier: string) => {
        tiers.add(tier)
        return ann.press(card, label)
      }
      const label = random() < 0.5 ? 'Allow once' : 'Deny'
      press(label, label === 'Deny' ? 'deny' : 'allow-once')
      // An impatient thumb.
      if (random() < 0.2) press('Deny', 'deny')
      await bot.fake.until(() => /✅|⛔/.test(card.text), `the end of ${command}`, 40_000)
    }
    const finals: string[] = []
    const speak = async (index: number) => {
      const message = `ses_storm.${index}.1`
      const blocks: Block[] = []
      for (let part = 0; part < 4; part++) {
        blocks.push(prose(`${index}.${part}`, `Turn ${index}, part ${part}: ${'word '.repeat(5 + random() * 40)}`))
        bot.host.bus.emit({
          type: 'message.update',
          session: 'ses_storm',
          turn: String(index),
          message,
          blocks: [...blocks],
        })
        await new Promise<void>(resolve => void quick.setTimer(700, resolve))
      }
      const markdown = renderMarkdown(blocks)
      finals.push(markdown)
      const data = { session: 'ses_storm', turn: String(index), message, markdown, blocks: blocks as never }
      await bot.host.store.append('session/ses_storm', 'any', [newEvent('message.final', data)])
    }
    const work = [
      ...Array.from({ length: DECISIONS }, (_, index) => () => decide(index)),
      ...Array.from({ length: TURNS }, (_, index) => () => speak(index)),
    ].sort(() => random() - 0.5)
    let isOver = false
    const restarts = (async () => {
      while (!isOver) {
        await new Promise<void>(resolve => void quick.setTimer(20_000 + random() * 60_000, resolve))
        if (!isOver) await restart()
      }
    })()
    const hands = Array.from({ length: 4 }, async () => {
      for (let next = work.pop(); next; next = work.pop()) await next()
    })
    await Promise.all(hands)
    isOver = true
    await restarts
    bot.fake.faults.atRandom(null)
    await bot.bot.settled()

    const decided = await bot.events('approval.decided')
    for (const [id, { tiers }] of wanted) {
      const own = decided.filter(({ stream }) => stream === `approval/${id}`)
      expect(own).toHaveLength(1)
      expect(tiers).toContain(own[0]!.data.tier)
    }
    const said = bot.fake.visible(ann.chat).filter(({ from }) => from.isBot)
    for (const markdown of finals) {
      const same = said.filter(({ rich }) => rich?.replace(AGAIN, '') === markdown)
      expect(same.length).toBeGreaterThan(0)
      // A second copy says that it is one; of a request that was lost on its way out, it is the only one.
      expect(same.filter(({ rich }) => !AGAIN.test(rich!)).length).toBeLessThanOrEqual(1)
    }
    const answered = bot.fake.calls.filter(({ status }) => status !== null && status !== 200)
    expect(answered.filter(({ description }) => /parse entities/.test(description ?? ''))).toEqual([])
    expect(answered.filter(({ status }) => status === 429)).toHaveLength(refusalsPlayed)
  },
  BUDGET_MS,
)
