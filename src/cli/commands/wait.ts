import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Waited } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionState } from '../sessions/session-info.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const what = (options.for as string | undefined) ?? 'idle'
  const timeoutMs = parseSeconds(options.timeout)
  const client = await DaemonClient.connect(context)
  const deadline = timeoutMs === null ? null : systemClock.monotonic() + timeoutMs
  for (;;) {
    const left = deadline === null ? 60_000 : Math.max(0, deadline - systemClock.monotonic())
    const query = `for=${what}&timeoutMs=${Math.ceil(Math.min(left, 60_000))}`
    const { reached, session } = await client.get<Waited>(
      `/sessions/${encodeURIComponent(String(args.id))}/wait?${query}`,
    )
    if (reached === 'timeout' && (deadline === null || systemClock.monotonic() < deadline)) continue
    if (options.json) context.json({ reached, session })
    else
      context.out(
        `${session.id}: ${reached === 'timeout' ? `still ${sessionState(session)}` : reached === 'approval' ? 'needs you' : sessionState(session)}`,
      )
    if (reached === 'timeout') return EXIT.timeout
    if (reached === what) return EXIT.ok
    return reached === 'approval' ? EXIT.needsHuman : EXIT.failed
  }
}

export function parseSeconds(value: unknown): number | null {
  if (value === undefined) return null
  const seconds = Number(value)
  if (!Number.isFinite(seconds) || seconds < 0)
    throw new SignalboxError('E_INPUT', `"${String(value)}" is no number of seconds`)
  return seconds * 1000
}
