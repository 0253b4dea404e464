import { callingAgent } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import type { DaemonClient } from '../daemon-client.js'

/** A person at a terminal who has read the last answer knows that the work is done. */
export async function noteRead(context: CommandContext, client: DaemonClient, pane: string): Promise<void> {
  const isPerson = callingAgent(context) === null && (context.isOutputTty || process.stdin.isTTY === true)
  if (!isPerson) return
  client.proves = false
  await client.post(`${pane}/act`, { action: 'read' }).catch(() => undefined)
}
