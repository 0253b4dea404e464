import { readFileSync } from 'node:fs'
import { systemClock } from '../../clock/index.js'
import { EXIT } from '../../errors/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { followTurn } from '../follow-turn.js'
import type { SessionInfo } from '../session-info.js'
import { parseSeconds } from './wait.js'

interface Sent {
  result: 'delivered' | 'queued' | 'refused' | 'unconfirmed'
  reason?: string
  detail?: string
  position: number
}

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const text = args.text === '-' ? readFileSync(0, 'utf8') : String(args.text)
  const timeoutMs = parseSeconds(options.timeout)
  const client = await DaemonClient.connect(context)
  const session = await client.get<SessionInfo>(`/sessions/${encodeURIComponent(String(args.id))}`)
  const { position } = await client.get<{ position: number }>('/health')
  const sent = await client.post<Sent>(`/sessions/${session.id}/messages`, { text })
  if (sent.result === 'refused' || sent.result === 'unconfirmed') {
    if (options.json) context.json({ session: session.id, ...sent })
    else context.note(`signalbox: not delivered: ${sent.detail ?? sent.result}`)
    return sent.reason === 'menu' ? EXIT.needsHuman : EXIT.failed
  }
  if (!options.wait) {
    if (options.json) context.json({ session: session.id, ...sent })
    else context.out(`${sent.result} to ${session.id}`)
    return EXIT.ok
  }
  const deadline = timeoutMs === null ? null : systemClock.monotonic() + timeoutMs
  return followTurn(context, client, session.id, { since: position, deadline, isJson: options.json === true })
}
