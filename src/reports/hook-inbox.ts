import { type AgentAdapter, type AgentReport, agentNames, loadAgent } from '../agents/index.js'
import type { Clock } from '../clock/index.js'
import { SignalboxError } from '../errors/index.js'
import type { SessionRecord } from '../sessions/index.js'
import type { HeldRequests } from './held-requests.js'
import { canonicalEvent, isProtected } from './hook-events.js'
import type { HookTokens } from './hook-wiring.js'
import { RecentKeys } from './recent-keys.js'

/** A hook call as received; `body` is JSON of unknown content. */
export interface HookCall {
  source: string
  /** From the bearer header. */
  token: string | null
  body: unknown
  /** Aborts when the caller disconnects. */
  closed: AbortSignal
}

export interface HookOutcome {
  /** 202: accepted, without an answer. */
  status: 200 | 202
  pane: string | null
  /** For a held call: the agent's answer, or null if the request was released. */
  answer?: Promise<string | null>
}

export interface HookInboxOptions {
  clock: Clock
  tokens: HookTokens
  held: HeldRequests
  sessions(): Promise<SessionRecord[]>
  deliver(session: string, report: AgentReport): void
  /** Resolves when the session reads its reports; by default it does. */
  untilOpen?(session: string): Promise<unknown>
  /** Whether a hook of this session may be held now; by default always. */
  mayWait?(session: string): boolean
  /** The pane outside our sessions that a call comes from, as a receiver; null if there is none. */
  foreign?(call: ForeignCall): ReportReceiver | null
  onMalformed(about: { source: string; session?: string; reason: string }): void
}

/** The recipient of a call's reports. */
export interface ReportReceiver {
  id: string
  receive(report: AgentReport): void
}

/** What a call from a pane outside our sessions says about its origin. */
export interface ForeignCall {
  agent: string
  tmuxPane: string | null
  socket: string | null
  tty: string | null
  cwd: string | null
}

export type HookCounter =
  | 'taken'
  | 'repeated'
  | 'unknown'
  | 'malformed'
  | 'dropped'
  | 'unassigned'
  | 'refused'
  | 'not-held'

interface Envelope {
  id: string | null
  event: string
  session: string | null
  agentSession: string | null
  cwd: string | null
  tmuxPane: string | null
  tmuxSocket: string | null
  tty: string | null
  hold: boolean
  data: Record<string, unknown>
  /** When it arrived. */
  at: number
}

/** Calls beyond this rate are counted and dropped, except those that must not be lost. */
const CALLS_PER_S = 20
const REPEAT_MS = 10 * 60_000
const UNASSIGNED_MS = 30_000
const UNASSIGNED_MAX = 100
const MALFORMED_EVENT_MS = 1_000

/**
 * Receives hook calls: finds their session, removes duplicates, and translates them. For a session
 * that has a token it trusts only the token: a session's name, which any program can write,
 * identifies only sessions without a token.
 */
export class HookInbox {
  readonly #options: HookInboxOptions
  readonly #seen: RecentKeys
  readonly #rates = new Map<string, { since: number; calls: number }>()
  /** Calls without a known recipient yet, oldest first. */
  readonly #unassigned: { since: number; call: Envelope; adapter: AgentAdapter }[] = []
  readonly #counters = new Map<HookCounter, number>()
  #malformedAt = Number.NEGATIVE_INFINITY
  #calls = 0

  constructor(options: HookInboxOptions) {
    this.#options = options
    this.#seen = new RecentKeys(options.clock, REPEAT_MS)
  }

  get counters(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counters)
  }

  /**
   * @throws SignalboxError `E_INPUT` for a malformed call, `E_LOGIN` for an unknown or missing
   * token.
   */
  async receive({ source, token, body, closed }: HookCall): Promise<HookOutcome> {
    const tokenSession = token === null ? null : this.#options.tokens.sessionOf(token)
    if (token !== null && tokenSession === null) throw this.#refused('unknown or expired hook token')
    const adapter = agentNames().includes(source) ? await loadAgent(source) : null
    if (!adapter?.hooks) return this.#countOutcome('unknown', tokenSession)
    const call = readEnvelope(body, this.#options.clock.now())
    if (!call)
      throw this.#malformed(
        source,
        tokenSession,
        'invalid hook call: the event name is missing, or the data is not an object',
      )
    // A call that names a tmux pane comes from there, whatever else runs in the same directory.
    const pane =
      tokenSession === null && call.session === null && call.tmuxPane !== null ? this.#foreign(source, call) : null
    if (pane) return this.#deliver(pane.id, call, adapter, AbortSignal.abort(), pane.receive)
    const session = tokenSession ?? (await this.#sessionOf(source, call))
    if (tokenSession === null && session !== null && this.#options.tokens.has(session))
      throw this.#refused('this session accepts hook calls only with its token')
    if (session === null) {
      const elsewhere = this.#foreign(source, call)
      if (elsewhere) return this.#deliver(elsewhere.id, call, adapter, AbortSignal.abort(), elsewhere.receive)
      return this.#keepUnassigned(call, adapter)
    }
    await this.#options.untilOpen?.(session)
    return this.#deliver(session, call, adapter, closed)
  }

  /** A session has started, or its agent's own id is known now: earlier calls may belong to it. */
  assign(record: SessionRecord): void {
    this.#assign(({ agentSession }, agent) =>
      agent === record.agent && agentSession !== null && agentSession === record.agentSessionId
        ? { id: record.id, receive: report => this.#options.deliver(record.id, report) }
        : null,
    )
  }

  /** A pane outside our sessions is new or changed: earlier calls may belong to it. */
  assignPanes(): void {
    this.#assign((call, agent) => (call.session === null ? this.#foreign(agent, call) : null))
  }

  /** In order of arrival. Calls that waited too long are dropped. */
  #assign(find: (call: Envelope, agent: string) => ReportReceiver | null): void {
    if (this.#unassigned.length === 0) return
    const now = this.#options.clock.monotonic()
    for (const waiting of this.#unassigned.splice(0)) {
      const { since, call, adapter } = waiting
      if (now - since >= UNASSIGNED_MS) continue
      const found = find(call, adapter.name)
      if (found) this.#deliverLate(found, call, adapter)
      else this.#unassigned.push(waiting)
    }
  }

  #deliverLate({ id, receive }: ReportReceiver, call: Envelope, adapter: AgentAdapter): void {
    try {
      this.#deliver(id, { ...call, hold: false }, adapter, AbortSignal.abort(), receive)
    } catch (error) {
      // Its relay has disconnected, and the log has the reason.
      if (!(error instanceof SignalboxError)) throw error
    }
  }

  #foreign(agent: string, { tmuxPane, tmuxSocket, tty, cwd }: Envelope) {
    return this.#options.foreign?.({ agent, tmuxPane, socket: tmuxSocket, tty, cwd }) ?? null
  }

  #deliver(
    session: string,
    call: Envelope,
    adapter: AgentAdapter,
    closed: AbortSignal,
    deliver: (report: AgentReport) => void = report => this.#options.deliver(session, report),
  ): HookOutcome {
    const isRepeated = this.#isRepeated(session, call)
    if (!isRepeated && !isProtected(call.event) && this.#isOverRate(session))
      return this.#countOutcome('dropped', session)
    let statements: ReturnType<HookReader['read']>
    try {
      statements = readCall(adapter.hooks!, call)
    } catch (error) {
      throw this.#malformed(adapter.name, session, error instanceof Error ? error.message : String(error))
    }
    if (statements.length === 0) return this.#countOutcome('unknown', session)
    const id = `hook:${call.id ?? `${session}/${++this.#calls}`}`
    const reports = statements.map(
      (statement, index): AgentReport => ({
        id: index === 0 ? id : `${id}/${index}`,
        channel: 'hook',
        at: call.at,
        statement,
      }),
    )
    // A request of a foreign pane is never held: only its own dialog answers it.
    const mayWait = call.hold && !closed.aborted && (this.#options.mayWait?.(session) ?? true)
    const asking = mayWait ? reports.find(({ statement }) => statement.kind === 'request') : undefined
    // Held before it is delivered: a receiver of the request must be able to answer at once.
    const answer = asking ? this.#options.held.hold(asking.id, closed) : null
    if (asking && !answer) this.#count('not-held')
    this.#count(isRepeated ? 'repeated' : 'taken')
    // A relay that reconnected repeats its request; receivers know it by its id.
    if (!isRepeated || answer) for (const report of reports) deliver(report)
    return { status: 200, pane: session, ...(answer && { answer }) }
  }

  #isRepeated(session: string, { id, event, data }: Envelope): boolean {
    const tool = data.tool_use_id
    const keys = [
      ...(id === null ? [] : [`id ${id}`]),
      ...(typeof tool === 'string' ? [`${session} ${tool} ${canonicalEvent(event, data) ?? event}`] : []),
    ]
    return keys.map(key => this.#seen.add(key)).some(isNew => !isNew)
  }

  #isOverRate(session: string): boolean {
    const now = this.#options.clock.monotonic()
    const rate = this.#rates.get(session)
    if (!rate || now - rate.since >= 1_000) {
      this.#rates.set(session, { since: now, calls: 1 })
      return false
    }
    return ++rate.calls > CALLS_PER_S
  }

  /** By the name in the environment, the agent's id, or its only session here. */
  async #sessionOf(source: string, call: Envelope): Promise<string | null> {
    const running = (await this.#options.sessions()).filter(
      record => record.state === 'starting' || record.state === 'live',
    )
    const named = running.find(record => record.id === call.session)
    if (named) return named.id
    const same = running.filter(record => record.agent === source)
    const known = same.find(record => call.agentSession !== null && record.agentSessionId === call.agentSession)
    if (known) return known.id
    // A session of ours has no tmux pane: a call that names one comes from another agent in the
    // same directory.
    if (call.tmuxPane !== null) return null
    const here = same.filter(record => record.cwd === call.cwd)
    return here.length === 1 ? here[0]!.id : null
  }

  #keepUnassigned(call: Envelope, adapter: AgentAdapter): HookOutcome {
    this.#unassigned.push({ since: this.#options.clock.monotonic(), call, adapter })
    if (this.#unassigned.length > UNASSIGNED_MAX) this.#unassigned.shift()
    return this.#countOutcome('unassigned', null)
  }

  #countOutcome(what: HookCounter, pane: string | null): HookOutcome {
    this.#count(what)
    return { status: 202, pane }
  }

  #count(what: HookCounter): void {
    this.#counters.set(what, (this.#counters.get(what) ?? 0) + 1)
  }

  #refused(message: string): SignalboxError {
    this.#count('refused')
    return new SignalboxError('E_LOGIN', message)
  }

  /** At most one event a second: a broken hook is worth a line in the log, not a flood of them. */
  #malformed(source: string, session: string | null, reason: string): SignalboxError {
    this.#count('malformed')
    const now = this.#options.clock.monotonic()
    if (now - this.#malformedAt >= MALFORMED_EVENT_MS) {
      this.#malformedAt = now
      this.#options.onMalformed({ source, ...(session !== null && { session }), reason: reason.slice(0, 500) })
    }
    return new SignalboxError('E_INPUT', reason)
  }
}

/** Our relay's envelope, or an agent's own payload. */
function readEnvelope(body: unknown, at: number): Envelope | null {
  if (!isObject(body)) return null
  const isOurs = 'data' in body
  const data = isOurs ? body.data : body
  if (!isObject(data)) return null
  const event = text(body.event) ?? text(data.hook_event_name) ?? text(data.event)
  if (event === null) return null
  return {
    id: text(body.id),
    event,
    session: isOurs ? text(body.session) : null,
    agentSession: text(data.session_id) ?? text(data.sessionId),
    cwd: text(data.cwd) ?? text(body.cwd),
    tmuxPane: isOurs ? text(body.tmuxPane) : null,
    tmuxSocket: isOurs ? text(body.tmuxSocket) : null,
    tty: isOurs ? text(body.tty) : null,
    hold: isOurs && body.hold === true,
    data,
    at,
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

type HookReader = NonNullable<AgentAdapter['hooks']>

/** A call by its own name, else by the canonical one: a person's script may write `stop`. */
function readCall(hooks: HookReader, { event, data }: Envelope): ReturnType<HookReader['read']> {
  const own = hooks.read(event, data)
  const name = own.length === 0 ? canonicalEvent(event, data) : null
  if (name === null || name === event) return own
  const [canonical, type] = name.split(':')
  return hooks.read(canonical!, type === undefined ? data : { notification_type: type, ...data })
}
