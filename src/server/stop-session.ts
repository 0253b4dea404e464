import { delay } from '../clock/index.js'
import type { Host } from '../host/index.js'
import type { LiveSession } from '../sessions/index.js'

const EXIT_KEYS_WAIT_MS = 3_000
const TERM_WAIT_MS = 5_000

/** Interrupt if it works, the agent's exit keys, then TERM and KILL to its process group; each only if the one before did not help. */
export async function stopSession(session: LiveSession, host: Host): Promise<void> {
  const { clock, keeper } = host
  const { input, agent } = session.pack
  if (agent !== 'generic') {
    if (session.observation?.busy)
      for (let press = 0; press < input.interruptPresses; press++)
        for (const key of input.interrupt) await session.press(key)
    for (const key of input.exit) {
      await session.press(key)
      await delay(clock, 100)
    }
    if (await exits(session, host, EXIT_KEYS_WAIT_MS)) return
  }
  await keeper.signal(session.id, 'SIGTERM').catch(() => undefined)
  if (await exits(session, host, TERM_WAIT_MS)) return
  await keeper.signal(session.id, 'SIGKILL').catch(() => undefined)
  await exits(session, host, TERM_WAIT_MS)
}

async function exits(session: LiveSession, host: Host, ms: number): Promise<boolean> {
  const deadline = host.clock.monotonic() + ms
  while (!session.exit && host.clock.monotonic() < deadline) await session.changed(deadline - host.clock.monotonic())
  if (session.exit) await session.settled()
  return session.exit !== null
}
