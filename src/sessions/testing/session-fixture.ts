import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AgentReport, AgentStatement } from '../../agents/index.js'
import { approvalsProjection, Ledger } from '../../approvals/index.js'
import { SimulatedClock } from '../../clock/index.js'
import { type EventData, type EventType, newEvent, validateEvent } from '../../events/index.js'
import type { KeeperPort } from '../../keeper/index.js'
import { type Pack, parsePack } from '../../screen/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { openTestStore, storeSettled } from '../../store/testing/open-test-store.js'
import type { SessionUpdate } from '../conversation/index.js'
import { SessionJournal } from '../live/journal.js'
import { LiveSession } from '../live/live-session.js'
import type { Notice } from '../live/session-notices.js'
import type { LiveSessionOptions } from '../live/session-options.js'
import { type SessionRecord, sessionStream, sessionsProjection } from '../live/session-record.js'

const PACK_FILE = fileURLToPath(new URL('../../../packs/demo/demo.toml', import.meta.url))
const RULE = '─'.repeat(60)
export const COLS = 80
export const ROWS = 40
/** When the session was started, also for a host that takes it over. */
const STARTED_AT = 1_000_000

export interface SessionFixtureOptions {
  record?: Partial<SessionRecord>
  startedAt?: LiveSessionOptions['startedAt']
  times?: LiveSessionOptions['times']
  agent?: LiveSessionOptions['agent']
  pause?: LiveSessionOptions['pause']
  /** Changes to the demo's pack. */
  pack?: (toml: string) => string
  restoredFrom?: SessionFixture
  /** The snapshot of the host before; bytes before it are not read again. */
  snapshot?: LiveSessionOptions['restored']
}

/**
 * A live session with everything real but its terminal: tests feed it bytes and read the keys that
 * it sends, on a simulated clock. Frames are drawn as the demo agent draws them.
 */
export class SessionFixture {
  readonly clock: SimulatedClock
  readonly store: EventStore
  readonly session: LiveSession
  readonly keys: string[] = []
  /** Ephemeral updates that the session emitted, as one line each. */
  readonly updates: string[] = []
  readonly errors: unknown[] = []
  readonly signals: string[] = []
  /** What was printed so far, with its times. */
  readonly #printed: { bytes: Uint8Array; t: number; offset: number }[] = []
  readonly #directory: string
  readonly #openedAt: number
  #offset = 0
  #reports = 0

  private constructor(
    clock: SimulatedClock,
    store: EventStore,
    directory: string,
    openedAt: number,
    create: (fixture: SessionFixture) => LiveSession,
  ) {
    this.clock = clock
    this.store = store
    this.#directory = directory
    this.#openedAt = openedAt
    this.session = create(this)
  }

  static async open(options: SessionFixtureOptions = {}): Promise<SessionFixture> {
    const clock = options.restoredFrom?.clock ?? new SimulatedClock(STARTED_AT)
    // A fixture that takes over a store also takes over its files, and removes them.
    const before = options.restoredFrom ?? null
    const directory = before ? before.#directory : mkdtempSync(join(tmpdir(), 'signalbox-fixture-'))
    const store =
      options.restoredFrom?.store ??
      (await openTestStore({
        path: join(directory, 'store.db'),
        clock,
        projections: [sessionsProjection, approvalsProjection] as never,
        validate: validateEvent,
      }))
    const { id, startedAt, state, version, exit, ...started } = recordOf(options.record)
    if (!options.restoredFrom)
      await store.append(sessionStream(id), 0, [newEvent('session.started', started as never, startedAt)])
    const record: SessionRecord = { id, startedAt, state, version, ...started, ...(exit && { exit }) }
    const journal = await SessionJournal.open(store, id)
    const pack = demoPack(options.pack)
    return new SessionFixture(
      clock,
      store,
      directory,
      await store.head(),
      fixture =>
        new LiveSession({
          record,
          pack,
          keeper: fixture.#keeper(),
          journal,
          ledger: new Ledger(store),
          clock,
          emulator: { cols: COLS, rows: ROWS },
          hostName: 'test',
          emit: update => fixture.#applyUpdate(update),
          onError: error => fixture.errors.push(error),
          ...(options.startedAt !== undefined && { startedAt: options.startedAt }),
          ...(options.times && { times: options.times }),
          ...(options.agent && { agent: options.agent }),
          ...(options.pause && { pause: options.pause }),
          ...(options.snapshot && { restored: options.snapshot }),
        }),
    )
  }

  /** Another host after this one, on the same store: it reads what was printed, and goes live. */
  async takenOver(options: SessionFixtureOptions = {}, passMs = 2_000): Promise<SessionFixture> {
    const next = await SessionFixture.open({ ...options, restoredFrom: this })
    const from = options.snapshot?.offset ?? 0
    for (const { bytes, t, offset } of this.#printed) if (offset >= from) next.session.output(bytes, t, offset)
    next.#offset = this.#offset
    next.session.goLive()
    await next.pass(passMs)
    return next
  }

  async close(): Promise<void> {
    await this.pass(2_500)
    await this.session.effectsDone()
    await this.store.close()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /**
   * The whole screen: these rows, and the input box below them unless the agent asks for
   * something.
   */
  async paint(
    rows: readonly string[],
    box: { draft?: string; isGone?: boolean; footer?: string; passMs?: number } = {},
  ): Promise<void> {
    await this.print(screenBytes(rows, box), box.passMs)
  }

  async print(text: string, passMs = 1_000): Promise<void> {
    const bytes = new TextEncoder().encode(text)
    this.#printed.push({ bytes, t: this.#t, offset: this.#offset })
    this.session.output(bytes, this.#t, this.#offset)
    this.#offset += bytes.length
    await this.pass(passMs)
  }

  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms
    while (this.clock.now() < end) {
      await storeSettled(4)
      this.clock.advance(Math.min(50, end - this.clock.now()))
    }
    await storeSettled(4)
  }

  async exit(code: number | null, signal: string | null = null): Promise<void> {
    this.session.exited({ code, signal, t: this.#t })
    await this.session.effectsDone()
  }

  /** The agent reports something besides its screen, now. */
  async report(statement: AgentStatement, report: Partial<AgentReport> = {}): Promise<void> {
    this.#reports++
    this.session.report({
      id: `report-${this.#reports}`,
      channel: 'transcript',
      at: this.clock.now(),
      statement,
      ...report,
    })
    await storeSettled(4)
  }

  async events<T extends EventType>(type: T): Promise<EventData<T>[]> {
    const events = await this.store.readStream(sessionStream(this.session.id))
    return events.filter(event => event.type === type).map(event => event.data as EventData<T>)
  }

  /** The messages of the log in their last revisions. */
  async messages(): Promise<string[]> {
    const messages = new Map<string, string>()
    for (const { message, markdown } of await this.events('message.final')) messages.set(message, markdown)
    return [...messages.values()]
  }

  /** Events of these types in any stream, written since this fixture was opened. */
  async written(...types: EventType[]): Promise<StoredEvent[]> {
    return this.store.readAll({ after: this.#openedAt, limit: 1_000, types })
  }

  /** Notices since this fixture was opened. */
  async notices(): Promise<Notice[]> {
    await this.session.effectsDone()
    return (await this.written('session.noticed')).map(({ data }) => {
      const { session: _, ...notice } = data
      return notice as unknown as Notice
    })
  }

  get #t(): number {
    return (this.clock.now() - STARTED_AT) / 1000
  }

  #keeper(): KeeperPort {
    const nothing = async () => undefined
    return {
      spawn: () => Promise.reject(new Error('nothing is started here')),
      list: async () => [],
      locate: async () => null,
      attach: async () => ({ state: 'attached', detach: () => undefined }),
      write: async (_, bytes) => void this.keys.push(new TextDecoder().decode(bytes)),
      resize: async (_, cols, rows) => void this.signals.push(`${cols}x${rows}`),
      signal: async (_, signal) => void this.signals.push(signal),
      addMarker: nothing,
      secret: async () => null,
      setDeadline: async () => true,
      forget: nothing,
      close: nothing,
    }
  }

  #applyUpdate(update: SessionUpdate): void {
    if (update.type === 'typing') this.updates.push(`typing ${update.on}`)
    else this.updates.push(`update ${update.message} ${update.blocks.length}`)
  }
}

export function demoPack(changes: (toml: string) => string = toml => toml): Pack {
  return parsePack(changes(readFileSync(PACK_FILE, 'utf8')), 'demo.toml')
}

function recordOf(given: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: 'ses_stage',
    number: 2,
    person: 'local',
    agent: 'demo',
    project: '/p',
    cwd: '/p',
    args: [],
    pid: 1,
    size: { cols: COLS, rows: ROWS },
    startedAt: STARTED_AT,
    state: 'starting',
    recording: '/p/r.cast',
    owner: 'daemon',
    version: 1,
    ...given,
  }
}

/** The bytes that draw this frame. */
export function screenBytes(
  rows: readonly string[],
  box: { draft?: string; isGone?: boolean; footer?: string } = {},
): string {
  const composer = box.isGone ? [] : [RULE, `▷ ${box.draft ?? ''}`, RULE, `  ${box.footer ?? 'enter to send'}`]
  const cursor = box.isGone ? '' : `\u001b[${rows.length + 2};${3 + (box.draft?.length ?? 0)}H`
  return `\u001b[H\u001b[J${[...rows, ...composer].join('\r\n')}${cursor}`
}
