import { type Clock, delay } from '../../clock/index.js'
import type { EventData, EventType } from '../../events/index.js'
import type { KeeperPort, KeptExit } from '../../keeper/index.js'
import type { Look } from '../../panes/index.js'
import type { LiveSession } from './live-session.js'
import type { SessionNotices } from './session-notices.js'
import type { AgentTraits } from './session-options.js'
import type { SessionPort } from './session-port.js'

interface SessionEndingOptions {
  agent: AgentTraits
  agentSessionId: string | null
  notices: Pick<SessionNotices, 'crashed'>
  lastLook(): Look | null
  isCatchingUp(): boolean
  record<T extends EventType>(type: T, data: EventData<T>): void
}

/** How a session ends, and under which id its agent can resume the conversation. */
export class SessionEnding {
  readonly #options: SessionEndingOptions
  readonly #screen = new ExitScreen()
  #agentSessionId: string | null
  #exit: KeptExit | null = null
  #expected: string | null = null

  constructor(options: SessionEndingOptions) {
    this.#options = options
    this.#agentSessionId = options.agentSessionId
  }

  get exit(): KeptExit | null {
    return this.#exit
  }

  get isExpected(): boolean {
    return this.#expected !== null
  }

  observe(look: Look): void {
    this.#screen.observe(look)
  }

  /** An end is expected: it is not a crash, whatever the exit code. */
  expect(reason: string): void {
    this.#expected ??= reason
  }

  exited(exit: KeptExit): void {
    this.#exit = exit
  }

  identify(agentSessionId: string, source: string, agentVersion?: string): void {
    if (agentSessionId === this.#agentSessionId) return
    this.#agentSessionId = agentSessionId
    const version = agentVersion === undefined ? {} : { agentVersion }
    this.#options.record('session.identified', { agentSessionId, source, ...version })
  }

  /** Records the end, and notifies people if it was a crash. */
  write(): void {
    const { agent, isCatchingUp, notices, record } = this.#options
    const exit = this.#exit && { code: this.#exit.code, signal: this.#exit.signal }
    const isCrash = exit !== null && (exit.signal !== null || exit.code !== 0) && this.#expected === null
    this.#identifyByExitScreen()
    if (isCrash && !isCatchingUp())
      notices.crashed(this.#exit!, { canResume: agent.canResume && this.#agentSessionId !== null })
    record('session.ended', { exit, reason: this.#expected ?? (isCrash ? 'crashed' : 'exited') })
  }

  /** Many agents print at their end how to resume. Better sources come first. */
  #identifyByExitScreen(): void {
    const { agent, lastLook } = this.#options
    const last = lastLook()
    if (this.#agentSessionId !== null || !agent.exitId || !last) return
    const found = agent.exitId(this.#screen.rows(last))
    if (found !== null) this.identify(found, 'exit screen')
  }
}

/**
 * The rows that an agent prints when it ends. Only rows drawn after its input box was last seen
 * count: the same words may occur in the conversation.
 */
class ExitScreen {
  #live = new Map<number, string>()

  observe({ frame, observation }: Look): void {
    if (!observation.composer && !observation.awaiting) return
    this.#live = new Map(frame.lines.map(row => [row.id, row.text]))
  }

  rows({ frame }: Look): string[] {
    return frame.lines.filter(row => this.#live.get(row.id) !== row.text).map(row => row.text)
  }
}

const EXIT_KEYS_WAIT_MS = 3_000
const TERM_WAIT_MS = 5_000
/** Enough for the interrupt, the keys and both waits. */
const DEFAULT_GRACE_MS = 60_000

/**
 * Ends a session: interrupts the agent if it works, presses its exit keys, then sends TERM and KILL
 * to its process group; each step only if the one before did not help. `graceMs` is the time before
 * KILL; 0 means KILL at once.
 */
export async function stopSession(
  session: LiveSession,
  {
    clock,
    keeper,
    reason,
    graceMs = DEFAULT_GRACE_MS,
  }: { clock: Clock; keeper: KeeperPort; reason: string; graceMs?: number },
): Promise<void> {
  if (session.exit) return
  session.willEnd(reason)
  const { input, agent } = session.pack
  const end = clock.monotonic() + graceMs
  const left = () => Math.max(0, end - clock.monotonic())
  if (agent !== 'generic' && graceMs > 0) {
    if (session.observation?.busy) await session.interrupt()
    for (const key of input.exit) {
      if (session.exit) break
      await session.press(key)
      await delay(clock, 100)
    }
    if (await exits(session, clock, Math.min(EXIT_KEYS_WAIT_MS, left()))) return
  }
  await endProcess(session, { clock, keeper, graceMs: left() })
}

/** TERM for the process group, then KILL; at once without time left. */
export async function endProcess(
  session: SessionPort,
  { clock, keeper, graceMs }: { clock: Clock; keeper: KeeperPort; graceMs: number },
): Promise<void> {
  if (graceMs > 0) {
    await keeper.signal(session.id, 'SIGTERM').catch(() => undefined)
    if (await exits(session, clock, Math.min(TERM_WAIT_MS, graceMs))) return
  }
  await keeper.signal(session.id, 'SIGKILL').catch(() => undefined)
  await exits(session, clock, TERM_WAIT_MS)
}

async function exits(session: SessionPort, clock: Clock, ms: number): Promise<boolean> {
  const deadline = clock.monotonic() + ms
  while (!session.exit && clock.monotonic() < deadline) await session.changed(deadline - clock.monotonic())
  if (session.exit) await session.effectsDone()
  return session.exit !== null
}
