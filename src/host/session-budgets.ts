import type { Clock, Timer } from '../clock/index.js'
import { type RunRecord, runsProjection, tokensOf } from '../engine/index.js'
import { type EventData, newEvent } from '../events/index.js'
import {
  dayOf,
  isOfRun,
  type SessionBudget,
  type SessionPort,
  type SessionRecord,
  sessionStream,
  spentDays,
} from '../sessions/index.js'
import type { EventStore } from '../store/index.js'
import { budgetSentence, isUnpriced, raisedLimit, type Unpriced, type UsedBudget } from '../text/index.js'
import type { LiveBus } from './live-bus.js'
import type { SessionRecords } from './session-records.js'
import type { AgentStatsView } from './session-stats.js'
import type { BudgetSettings } from './settings.js'

interface SessionBudgetsOptions {
  store: EventStore
  records: SessionRecords
  bus: LiveBus
  clock: Clock
  /** Reads the settings again. */
  limits(): BudgetSettings
  statsOf(id: string): AgentStatsView | null
  live(id: string): SessionPort | null
  /** Sends the held prompts of a session that is not paused any more. */
  release(id: string): void
  onError(error: unknown): void
}

/** Usage of one day, by runs and by sessions. */
export interface DaySpending {
  costUsd: number
  tokens: number
  runs: number
  sessions: number
  /** Those whose use the cost leaves out, as its price is unknown. */
  unpriced: Unpriced
}

/** The usage of a session is written to the log at most this often. */
const RECORD_MS = 60_000
/** The spending of runs may be this old. */
const RUN_SPENDING_CACHE_MS = 2_000
/** A paused session is checked again this often: the next day begins, a setting has changed. */
const PAUSED_CHECK_MS = 30_000

/**
 * Budgets of sessions: what each of them uses is compared with its own budget and with that of the
 * day. A session whose budget is used up is paused: its agent is interrupted once, its people are
 * notified, and its prompts are held until the budget is raised or the next day begins. Keys that a
 * person types into the terminal still reach the agent.
 */
export class SessionBudgets {
  readonly #options: SessionBudgetsOptions
  readonly #paused = new Map<string, UsedBudget>()
  readonly #recordedAt = new Map<string, number>()
  /** The check of each session that runs now; a further one waits for it. */
  readonly #checks = new Map<string, Promise<void>>()
  #runs: { day: string; at: number; items: RunRecord[] } | null = null
  #limits: BudgetSettings
  #stopListening: () => void = () => {}
  #timer: Timer | null = null

  constructor(options: SessionBudgetsOptions) {
    this.#options = options
    this.#limits = options.limits()
  }

  /** Reads which sessions are paused, and follows what all of them use. */
  async start(): Promise<void> {
    const { records, bus } = this.#options
    for (const { id, paused, state } of await records.all())
      if (paused && (state === 'live' || state === 'starting')) this.#paused.set(id, paused)
    this.#stopListening = bus.listen(update => {
      if (update.type === 'session.stats') this.check(update.session)
    })
    this.#checkLater()
  }

  close(): void {
    this.#stopListening()
    this.#timer?.cancel()
  }

  /**
   * Why the session gets no prompt now, with what to do; null: it is not paused. `isHeld`: the
   * prompt waits until then.
   */
  pauseOf(id: string, { isHeld = true } = {}): string | null {
    const used = this.#paused.get(id)
    if (!used) return null
    const next = isHeld ? 'The prompt is sent when the budget is raised.' : 'Raise the budget, then send it again.'
    return `${budgetSentence(used)} ${next}`
  }

  /** The budget of a day; null: no limit. */
  get dayUsd(): number | null {
    return this.#limits.dayUsd
  }

  /** The settings have changed. */
  reload(): void {
    this.#limits = this.#options.limits()
    for (const id of this.#paused.keys()) this.check(id)
  }

  /** Sets what a session may use, and continues it if that is enough. */
  async set(id: string, budget: SessionBudget, person: string): Promise<void> {
    await this.#options.store.append(sessionStream(id), 'any', [newEvent('session.budget-set', { ...budget, person })])
    await this.check(id)
  }

  /** Compares what a session has used with its budgets. */
  check(id: string): Promise<void> {
    const before = this.#checks.get(id) ?? Promise.resolve()
    const check = before.then(() => this.#check(id)).catch(this.#options.onError)
    this.#checks.set(id, check)
    void check.then(() => {
      if (this.#checks.get(id) === check) this.#checks.delete(id)
    })
    return check
  }

  /** Runs and sessions on the day (UTC) of now. */
  async today(): Promise<DaySpending> {
    const { records, clock, statsOf } = this.#options
    const day = dayOf(clock.now())
    const runs = await this.#runsOf(day)
    const sessions = (await records.all())
      .filter(record => !isOfRun(record))
      .flatMap(record => (statsOf(record.id)?.days ?? spentDays(record))[day] ?? [])
    return {
      costUsd: sum(runs, ({ usage }) => usage.costUsd ?? 0) + sum(sessions, ({ costUsd }) => costUsd ?? 0),
      tokens: sum(runs, ({ usage }) => tokensOf(usage)) + sum(sessions, ({ input, output }) => input + output),
      runs: runs.length,
      sessions: sessions.length,
      unpriced: {
        sessions: sessions.filter(isUnpriced).length,
        runs: runs.filter(({ usage }) => isUnpriced(usage)).length,
      },
    }
  }

  /** Many sessions report every second: all runs are read once for them. */
  async #runsOf(day: string): Promise<RunRecord[]> {
    const { store, clock } = this.#options
    const now = clock.monotonic()
    if (this.#runs?.day === day && now - this.#runs.at < RUN_SPENDING_CACHE_MS) return this.#runs.items
    const all = await store.documents<RunRecord>(runsProjection.name, { isReadOnly: true })
    const items = all.map(({ state }) => state).filter(({ updatedAt }) => dayOf(updatedAt) === day)
    this.#runs = { day, at: now, items }
    return items
  }

  async #check(id: string): Promise<void> {
    const { store, records, statsOf, live, release } = this.#options
    const stats = statsOf(id)
    const record = await records.get(id)
    // The usage of a run's session counts in the budget of the run.
    if (!stats || record.endedAt !== undefined || isOfRun(record)) return
    await this.#record(id, stats)
    const used = await this.#usedUp(record, stats)
    const before = this.#paused.get(id)
    if (used && !before) {
      this.#paused.set(id, used)
      await store.append(sessionStream(id), 'any', [newEvent('session.paused', used), notice(record, used)])
      const session = live(id)
      if (session && !session.isIdle && !session.approval) await session.interrupt()
    } else if (!used && before) {
      this.#paused.delete(id)
      await store.append(sessionStream(id), 'any', [newEvent('session.unpaused', {})])
      release(id)
    }
  }

  async #usedUp({ budget }: SessionRecord, { spent }: AgentStatsView): Promise<UsedBudget | null> {
    const { session, dayUsd } = this.#limits
    const { usd, tokens } = budget ?? session
    const [cost, count] = [spent.costUsd ?? 0, spent.input + spent.output]
    if (usd !== null && cost >= usd) return { limit: 'session-usd', of: usd, used: cost }
    if (tokens !== null && count >= tokens) return { limit: 'session-tokens', of: tokens, used: count }
    if (dayUsd === null) return null
    const { costUsd, unpriced } = await this.today()
    if (costUsd < dayUsd) return null
    const isPartial = unpriced.sessions + unpriced.runs > 0
    return { limit: 'day-usd', of: dayUsd, used: costUsd, ...(isPartial && { isPartial }) }
  }

  /** For the usage of the day, also where the agent's own files are gone after a restart. */
  async #record(id: string, { model, days = {} }: AgentStatsView): Promise<void> {
    const { store, clock } = this.#options
    const now = clock.monotonic()
    if (Object.keys(days).length === 0 || now - (this.#recordedAt.get(id) ?? -RECORD_MS) < RECORD_MS) return
    this.#recordedAt.set(id, now)
    await store.append(sessionStream(id), 'any', [newEvent('session.spent', { model, days: { ...days } })])
  }

  #checkLater(): void {
    this.#timer = this.#options.clock.setTimer(PAUSED_CHECK_MS, () => {
      for (const id of this.#paused.keys()) void this.check(id)
      this.#checkLater()
    })
  }
}

function notice({ id, number }: SessionRecord, used: UsedBudget) {
  const data: EventData<'session.noticed'> = {
    session: id,
    kind: 'budget',
    text: `Session ${number} is paused. ${budgetSentence(used)} ${nextStep(number, used)}`,
  }
  return newEvent('session.noticed', data)
}

/** How a person continues a paused session, at the terminal. */
function nextStep(number: number, used: UsedBudget): string {
  const raised = raisedLimit(used)
  if (used.limit === 'day-usd') return `To continue today: signalbox config set runs.day_usd ${raised}`
  if (used.limit === 'session-tokens') return `To continue: signalbox budget ${number} --tokens ${raised}`
  return `To continue: signalbox budget ${number} ${raised}`
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
