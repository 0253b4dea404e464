import { systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { Waited } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseSeconds } from '../parse-options.js'
import { panesById, sessionWord } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** The longest that one request to the daemon waits. */
const REQUEST_MS = 60_000

export async function run(context: CommandContext, { args, options }: InputOf<'wait'>): Promise<number> {
  const what = options.for ?? 'idle'
  const timeoutMs = parseSeconds('--timeout', options.timeout)
  const client = await DaemonClient.connect(context)
  const deadline = timeoutMs === null ? null : systemClock.monotonic() + timeoutMs
  for (;;) {
    const left = deadline === null ? REQUEST_MS : Math.max(0, deadline - systemClock.monotonic())
    const query = `for=${what}&timeoutMs=${Math.ceil(Math.min(left, REQUEST_MS))}`
    const { reached, session } = await client.get<Waited>(`/sessions/${encodeURIComponent(args.id)}/wait?${query}`)
    if (reached === 'timeout' && (deadline === null || systemClock.monotonic() < deadline)) continue
    if (options.json) context.json({ reached, session })
    else {
      const word = sessionWord(session, (await panesById(client)).get(session.id))
      context.out(
        `${session.id}: ${reached === 'timeout' ? `still ${word}` : reached === 'approval' ? 'needs you' : word}`,
      )
    }
    if (reached === 'timeout') return EXIT.timeout
    if (reached === what) return EXIT.ok
    return reached === 'approval' ? EXIT.needsHuman : EXIT.failed
  }
}
