import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ledger } from '../../src/approvals/index.js'
import { type Clock, delay, systemClock } from '../../src/clock/index.js'
import { newEvent } from '../../src/events/index.js'
import { openHome } from '../../src/host/home/index.js'
import { openHomeStore } from '../../src/host/index.js'
import { People } from '../../src/people/index.js'
import { type Block, renderMarkdown, renderTelegram } from '../../src/screen/index.js'
import type { EventStore, StoredEvent } from '../../src/store/index.js'
import { answerActions } from '../../src/telegram/cards/answer-messages.js'
import {
  FakeBotApi,
  type FakeChat,
  type FakeMessage,
  type FakePerson,
  type Fault,
} from '../../src/telegram/fake/index.js'
import { parseHtml } from '../../src/telegram/fake/parse-html.js'
import { provisional } from '../../src/telegram/outgoing/answer-stream.js'
import { PART_UNITS } from '../../src/telegram/outgoing/split.js'
import { compiledChild } from '../support/compiled.js'
import { quickClock } from './quick-clock.js'
import { seeded } from './seeded.js'
import type { FromDaemon, Life, ToDaemon } from './storm-daemon.child.js'
import { requestOf } from './support.js'

const CHILD = compiledChild(fileURLToPath(new URL('./storm-daemon.child.ts', import.meta.url)))
const SESSION = 'ses_storm'
/** A limit for hangs only. */
const PATIENCE_MS = 300_000

export interface Decision {
  command: string
  /** The presses: any of them may have come first. */
  meanings: Set<string>
}

export interface Turn {
  markdown: string
  /** The parts in a chat without rich messages. */
  parts: readonly string[]
  /** The texts while it grew. */
  beginnings: readonly string[]
}

/**
 * Faults everywhere: Telegram refuses, conflicts, fails, loses answers and goes down, and the
 * daemon with its bot is a real process that is killed again and again, at chosen appends and calls
 * and at random moments. The rate limits are Telegram's, on a clock that runs 25 times as fast.
 */
export class Storm {
  readonly decisions = new Map<string, Decision>()
  readonly turns: Turn[] = []
  readonly problems: string[] = []
  readonly endings: string[] = []
  refusalsPlayed = 0
  readonly fake: FakeBotApi
  readonly ann: FakePerson
  readonly crew: FakeChat
  readonly #random: () => number
  readonly #begin = systemClock.now()
  readonly #clock: Clock = quickClock(this.#begin)
  readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-storm-')))
  #store!: EventStore
  #ledger!: Ledger
  #daemon: ChildProcess | null = null
  #isOver = false
  #lives: Promise<void> = Promise.resolve()

  constructor(seed: number) {
    this.#random = seeded(seed)
    this.fake = new FakeBotApi({ clock: this.#clock })
    this.ann = this.fake.person(4711, 'Ann')
    this.crew = this.fake.group(-78, 'Crew')
  }

  async start(): Promise<void> {
    const home = join(this.#directory, 'home')
    mkdirSync(home, { mode: 0o700 })
    const context = { env: { HOME: home, SIGNALBOX_HOME: home }, cwd: home }
    const { settings, directories } = openHome(context as never)
    new People(directories.config).pair(this.ann.id, { name: 'Ann', role: 'owner' })
    this.#store = await openHomeStore({
      dataDirectory: settings.dataDirectory,
      clock: systemClock,
      onError: error => void this.problems.push(String(error)),
    })
    this.#ledger = new Ledger(this.#store)
    for (const [chat, kind] of [
      [this.ann.id, 'private'],
      [this.crew.id, 'group'],
    ] as const) {
      const known = newEvent('telegram.chat-changed', { chat, kind, current: SESSION })
      await this.#store.append(`telegram/chat/${chat}`, 'any', [known])
    }
    // The log is followed from here on: events before the first daemon runs must be reported.
    const position = await this.#store.head()
    await this.#store.append('telegram/cursor', 'any', [newEvent('telegram.log-read', { position })])
    await this.fake.start()
    this.fake.faults.atRandom(method => this.#weather(method))
    this.#lives = this.#liveAndDie(home)
  }

  /** A request, its card, a press, and the outcome on the card. */
  async decide(index: number): Promise<void> {
    const command = `ls storm-${index}-`
    const { id } = await this.#ledger.request(requestOf(command))
    const meanings = new Set<string>()
    this.decisions.set(id, { command, meanings })
    const isShown = (message: FakeMessage) =>
      message.text.includes(command) && (message.markup?.inline_keyboard?.length ?? 0) > 0
    const card = await this.fake.until(
      () => this.fake.visible(this.ann.chat).findLast(isShown),
      `the card of ${command}`,
      PATIENCE_MS,
    )
    const press = (label: string, tier: string) => {
      meanings.add(tier)
      this.ann.press(card, label)
    }
    if (this.#random() < 0.5) press('Allow once', 'allow-once')
    else press('Deny', 'deny')
    // A second press.
    if (this.#random() < 0.2) press('Deny', 'deny')
    await this.fake.until(() => /✅|⛔/.test(card.text), `the end on the card of ${command}`, PATIENCE_MS)
  }

  /** An answer that grows block by block and is finished, with or without a running bot. */
  async speak(index: number): Promise<void> {
    const message = `${SESSION}.${index}.1`
    const turn = String(index)
    const blocks: Block[] = []
    for (let part = 0; part < 4; part++) {
      blocks.push(this.#block(index, part))
      const update = { type: 'message.update' as const, session: SESSION, turn, message, blocks: [...blocks] }
      this.#tell({ do: 'show', update })
      await delay(this.#clock, 700)
    }
    const markdown = renderMarkdown(blocks)
    const [answer] = answerActions(blocks, { verbosity: 1, title: 'answer' })
    const beginnings = blocks.map((_, count) => {
      const [first = ''] = renderTelegram(provisional(blocks.slice(0, count + 1)), { maxUnits: PART_UNITS })
      return parseHtml(first).text
    })
    this.turns.push({ markdown, beginnings, parts: answer?.do === 'answer' ? answer.parts : [] })
    const data = { session: SESSION, turn, message, markdown, blocks: blocks as never }
    await this.#store.append(`session/${SESSION}`, 'any', [newEvent('message.final', data)])
  }

  /** All the work in random order, four at a time. */
  async rage(decisions: number, turns: number): Promise<void> {
    const work = [
      ...Array.from({ length: decisions }, (_, index) => () => this.decide(index)),
      ...Array.from({ length: turns }, (_, index) => () => this.speak(index)),
    ]
      .map(run => ({ run, order: this.#random() }))
      .sort((a, b) => a.order - b.order)
    const hands = Array.from({ length: 4 }, async () => {
      for (let next = work.pop(); next; next = work.pop()) await next.run()
    })
    await Promise.all(hands)
  }

  /** Ends the faults: a last daemon, which is not killed, sends what is left. */
  async calm(): Promise<void> {
    this.fake.faults.atRandom(null)
    this.#isOver = true
    this.#daemon?.kill('SIGKILL')
    await this.#lives
    const isDone = new Promise<void>(resolve => {
      this.#daemon!.on('message', (message: FromDaemon) => 'settled' in message && resolve())
    })
    const { updates } = this.fake.state
    await this.fake.until(() => updates.waiting.length === 0, 'every update to be taken', PATIENCE_MS)
    this.#tell({ do: 'settle' })
    await isDone
  }

  /** The counts of the run. */
  report(): Record<string, unknown> {
    const answers: Record<string, number> = {}
    for (const { status } of this.fake.calls) answers[String(status)] = (answers[String(status)] ?? 0) + 1
    const { endings, problems, refusalsPlayed } = this
    const minutes = (systemClock.now() - this.#begin) / 60_000
    const counts = { decisions: this.decisions.size, turns: this.turns.length, calls: this.fake.calls.length }
    return { ...counts, minutes, answers, refusalsPlayed, lives: endings.length + 1, endings, problems }
  }

  events(type: string): Promise<StoredEvent[]> {
    return this.#store.readAll({ after: 0, limit: 1_000_000, types: [type] })
  }

  async close(): Promise<void> {
    this.#isOver = true
    const daemon = this.#daemon
    if (daemon && daemon.exitCode === null && daemon.signalCode === null) {
      const ended = new Promise(resolve => daemon.once('exit', resolve))
      daemon.kill('SIGKILL')
      await this.#lives
      this.#daemon?.kill('SIGKILL')
      await ended
    }
    await this.fake.stop()
    await this.#store.close()
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Starts one daemon after the other; the last one stays. */
  async #liveAndDie(home: string): Promise<void> {
    for (;;) {
      const isLast = this.#isOver
      const fate = isLast ? null : this.#fate()
      const { apiRoot, token } = this.fake
      const life: Life = { home, apiRoot, token, groups: [this.crew.id], begin: this.#begin, fate }
      const daemon = fork(CHILD, [JSON.stringify(life)], { stdio: 'ignore', env: { PATH: process.env.PATH } })
      this.#daemon = daemon
      daemon.on('message', (message: FromDaemon) => 'problem' in message && this.problems.push(message.problem))
      if (isLast) return
      const ended = new Promise(resolve => daemon.once('exit', resolve))
      // A limit for each process, whatever its kill point.
      const timer = systemClock.setTimer(3000 + this.#random() * 6000, () => void daemon.kill('SIGKILL'))
      await ended
      timer.cancel()
      this.endings.push(fate ? `${fate.when} ${fate.at} ${fate.count}` : 'any moment')
      if (!this.#isOver && this.#random() < 0.2) await this.#telegramItselfGoesDown()
    }
  }

  #fate(): Life['fate'] {
    if (this.#random() < 0.2) return null
    const at = this.#random() < 0.5 ? 'append' : 'call'
    const count = 4 + Math.floor(this.#random() * (at === 'append' ? 120 : 60))
    return { at, count, when: this.#random() < 0.5 ? 'before' : 'after' }
  }

  async #telegramItselfGoesDown(): Promise<void> {
    const port = Number(new URL(this.fake.apiRoot).port)
    await this.fake.stop()
    await this.fake.start(port)
  }

  #weather(method: string): Fault | null {
    const chance = this.#random()
    if (method === 'getUpdates') return chance < 0.02 ? { kind: 'status', code: 409 } : null
    if (chance < 0.03) {
      this.refusalsPlayed += 1
      return { kind: 'status', code: 429, retryAfter: 1 + Math.floor(this.#random() * 3) }
    }
    if (chance < 0.05) return { kind: 'status', code: this.#random() < 0.5 ? 500 : 502 }
    if (chance < 0.07) return { kind: 'lost' }
    if (chance < 0.08) return { kind: 'no-answer' }
    if (chance < 0.085) return { kind: 'half' }
    return chance < 0.09 ? { kind: 'malformed' } : null
  }

  #block(turn: number, part: number): Block {
    const base = { id: `${turn}.${part}`, rows: [0, 0] as [number, number], provisional: false, missing: false }
    const words = 'word '.repeat(5 + this.#random() * (this.#random() < 0.2 ? 900 : 40))
    if (part === 2) {
      const lines = [`const turn${turn} = "<${words.trim()}>" && \`x\``, '', '  // 日本語 🙂']
      return { ...base, source: 'screen', kind: 'code', language: 'js', lines }
    }
    const runs = [
      { text: `Turn ${turn}, part ${part}: ${words}` },
      { text: ' <b>&amp;</b> ', code: true },
      { text: '*_`[ 🙂' },
    ]
    return { ...base, source: 'screen', kind: 'prose', variant: 'paragraph', runs }
  }

  #tell(message: ToDaemon): void {
    // The process may have ended.
    if (this.#daemon?.connected) this.#daemon.send(message, () => undefined)
  }
}
