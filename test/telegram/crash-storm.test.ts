import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { FakeChat, FakeMessage } from '../../src/telegram/fake/index.js'
import { parseHtml } from '../../src/telegram/fake/parse-html.js'
import { Storm, type Turn } from './storm.js'

/*
 * A longer run, whose report SIGNALBOX_STORM_REPORT names the file for:
 * SIGNALBOX_STORM="<random seed> <decisions> <turns>" npx vitest run
 * test/telegram/crash-storm.test.ts
 */
const [SEED = 1, DECISIONS = 24, TURNS = 5] = (process.env.SIGNALBOX_STORM ?? '').split(' ').filter(Boolean).map(Number)
const BUDGET_MS = 600_000 + (DECISIONS + TURNS) * 2000

const AGAIN = /\n\n_?\(sent again: the first was not confirmed\)_?$/

it(
  `no decision is lost: ${DECISIONS} decisions, ${TURNS} streamed turns, seed ${SEED}`,
  async () => {
    const storm = new Storm(SEED)
    try {
      await storm.start()
      await storm.rage(DECISIONS, TURNS)
      await storm.calm()
      await expectDecisions(storm)
      for (const turn of storm.turns)
        for (const chat of [storm.ann.chat, storm.crew]) expectWhole(turn, said(storm, chat))
      for (const chat of [storm.ann.chat, storm.crew]) expectNothingElse(storm, said(storm, chat))
      const refused = storm.fake.calls.filter(({ status }) => status !== null && status !== 200)
      expect(refused.filter(({ description }) => /parse entities|too long|too many/.test(description ?? ''))).toEqual(
        [],
      )
      // All rate refusals were planned faults: the bot itself never exceeded the limits.
      expect(refused.filter(({ status }) => status === 429)).toHaveLength(storm.refusalsPlayed)
      await expectOldButtonsToClose(storm)
    } finally {
      if (process.env.SIGNALBOX_STORM_REPORT)
        writeFileSync(process.env.SIGNALBOX_STORM_REPORT, JSON.stringify({ seed: SEED, ...storm.report() }, null, 1))
      await storm.close()
    }
  },
  BUDGET_MS,
)

/** The messages of the bot, in their present version. */
function said(storm: Storm, { messages }: FakeChat): FakeMessage[] {
  return messages.filter(({ from, isDeleted }) => from.id === storm.fake.state.bot.id && !isDeleted)
}

const keysOf = ({ markup }: FakeMessage) => markup?.inline_keyboard?.flat() ?? []

/** Each request was decided once, as one of the presses said, and its card shows it. */
async function expectDecisions(storm: Storm): Promise<void> {
  const decided = await storm.events('approval.decided')
  expect(decided).toHaveLength(storm.decisions.size)
  const cards = said(storm, storm.ann.chat)
  for (const [id, { command, meanings }] of storm.decisions) {
    const own = decided.filter(({ stream }) => stream === `approval/${id}`)
    expect(own, command).toHaveLength(1)
    const { tier } = own[0]!.data as { tier: string }
    expect(meanings, command).toContain(tier)
    const ended = cards.filter(card => card.text.includes(command) && keysOf(card).length === 0)
    expect(ended.length, command).toBeGreaterThan(0)
    for (const { text } of ended) expect(text, command).toContain(tier === 'deny' ? '⛔' : '✅')
  }
}

/**
 * Each answer is complete, as one rich message or in parts; all copies but one are marked as such.
 */
function expectWhole({ markdown, parts }: Turn, messages: readonly FakeMessage[]): void {
  const about = markdown.slice(0, 20)
  const rich = messages.filter(message => message.rich?.replace(AGAIN, '') === markdown)
  const copies = parts.map(part => {
    const text = parseHtml(part).text
    return messages.filter(message => message.rich === undefined && message.text.replace(AGAIN, '') === text)
  })
  const inParts = Math.min(...copies.map(({ length }) => length))
  expect(rich.length + inParts, about).toBeGreaterThan(0)
  const marked = [...rich.map(message => message.rich!), ...copies.at(-1)!.map(({ text }) => text)].filter(text =>
    AGAIN.test(text),
  )
  const doubles = rich.length + Math.max(...copies.map(({ length }) => length)) - 1
  if (doubles > 0) expect(marked.length, `${about}: ${doubles} more than one`).toBeGreaterThan(0)
  expect(rich.filter(message => !AGAIN.test(message.rich!)).length, about).toBeLessThanOrEqual(1)
}

/**
 * The chats contain only cards, answers, and beginnings of answers whose sending was not confirmed.
 */
function expectNothingElse(storm: Storm, messages: readonly FakeMessage[]): void {
  const answers = new Set(
    storm.turns.flatMap(({ markdown, parts }) => [markdown, ...parts.map(part => parseHtml(part).text)]),
  )
  const beginnings = new Set(storm.turns.flatMap(turn => turn.beginnings))
  const isCard = ({ text }: FakeMessage) => text.startsWith('🔹 Demo wants to run a command')
  const others = messages.filter(message => {
    const text = (message.rich ?? message.text).replace(AGAIN, '')
    return !isCard(message) && !answers.has(text) && !beginnings.has(text)
  })
  expect(others.map(({ text }) => text)).toEqual([])
}

/**
 * A press on an unknown copy of a closed card decides nothing, is refused, and removes its buttons.
 */
async function expectOldButtonsToClose(storm: Storm): Promise<void> {
  const before = (await storm.events('approval.decided')).length
  const open = said(storm, storm.ann.chat).filter(card => keysOf(card).length > 0)
  for (const card of open) storm.ann.press(card, 'Allow once')
  await storm.fake.until(() => open.every(card => keysOf(card).length === 0), 'every old copy to be closed', BUDGET_MS)
  expect((await storm.events('approval.decided')).length).toBe(before)
}
