import { controlsOf, modeOf } from '../../agents/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

/** Shows the permission mode of a session, or presses the key by which its agent changes it. */
export async function run(context: CommandContext, { args, options }: InputOf<'mode'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const path = await sessionPath(client, args.id)
  const session = await client.get<Session>(path)
  if (options.next) {
    const { mode } = controlsOf(session)
    if (!mode)
      throw new SignalboxError('E_INPUT', `${session.agent} cannot switch its permission mode while it runs`, {
        next: 'start another session with the mode among its arguments',
      })
    await client.post(`/sessions/${session.id}/keys`, { keys: mode.keys })
    const shown = await anotherMode(client, session)
    if (options.json) context.json({ session: session.id, pressed: mode.keys, mode: shown })
    else context.out(shown ?? `pressed ${mode.keys.join(' ')}; ${session.agent} shows its default mode, or none`)
    return EXIT.ok
  }
  const mode = modeOf(session)
  if (options.json) context.json({ session: session.id, mode })
  else context.out(mode ?? `${session.agent} shows no permission mode: its default`)
  return EXIT.ok
}

const ATTEMPTS = 10
const POLL_MS = 200

/** The mode that the agent shows after the key; null if it shows none that is new. */
async function anotherMode(
  client: DaemonClient,
  session: Parameters<typeof modeOf>[0] & { id: string },
): Promise<string | null> {
  const before = modeOf(session)
  for (let look = 0; look < ATTEMPTS; look++) {
    const now = modeOf(await client.get<Session>(`/sessions/${session.id}`))
    if (now !== before) return now
    await delay(systemClock, POLL_MS)
  }
  return null
}
