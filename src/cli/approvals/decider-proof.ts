import { SignalboxError } from '../../errors/index.js'
import type { Me } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { agentRefused, callingAgent } from './local-person.js'

/** How this process must prove that a person uses it, before it may decide. */
export type DeciderProof = NonNullable<Me['proof']>

/**
 * Asked before a person reads, chooses and types what the daemon would refuse in the end. Null: a
 * decision needs no further proof.
 * @throws SignalboxError `E_ROLE` in an agent's shell, `E_STEP_UP` where nothing can prove it.
 */
export async function requireDecider(context: CommandContext): Promise<DeciderProof | null> {
  const agent = callingAgent(context)
  if (agent !== null) throw agentRefused(agent)
  const client = await DaemonClient.connect(context)
  const { proof = null } = await client.get<Me>('/auth/me')
  if (proof?.by === 'none')
    throw new SignalboxError('E_STEP_UP', `this terminal may not decide: it was started by ${startedBy(proof)}`, {
      next: 'decide on the dashboard, in your chat, or in a terminal that only you type into; or set a passphrase (server.passphrase_file)',
    })
  return proof
}

/** What the person will be asked for, besides the decision. */
export function proofNote(proof: DeciderProof): string {
  const how =
    proof.by === 'code' ? 'a code that it shows at the top of your own terminal' : 'the passphrase of the server'
  return `this terminal was started by ${startedBy(proof)}: to decide here, Signalbox will ask for ${how}`
}

function startedBy({ why }: DeciderProof): string {
  return why.replace(/^it was started by /, '')
}
