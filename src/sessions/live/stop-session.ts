import { type Clock, delay } from '../../clock/index.js'
import type { KeeperPort } from '../../keeper/index.js'
import type { LiveSession } from './live-session.js'

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
  if (graceMs > 0) {
    await keeper.signal(session.id, 'SIGTERM').catch(() => undefined)
    if (await exits(session, clock, Math.min(TERM_WAIT_MS, left()))) return
  }
  await keeper.signal(session.id, 'SIGKILL').catch(() => undefined)
  await exits(session, clock, TERM_WAIT_MS)
}

async function exits(session: LiveSession, clock: Clock, ms: number): Promise<boolean> {
  const deadline = clock.monotonic() + ms
  while (!session.exit && clock.monotonic() < deadline) await session.changed(deadline - clock.monotonic())
  if (session.exit) await session.settled()
  return session.exit !== null
}
