import { controlsOf, modelOf } from '../../agents/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

/** Shows the model of a session, or has its agent switch by the agent's own command. */
export async function run(context: CommandContext, { args, options }: InputOf<'model'>): Promise<number> {
  const client = await DaemonClient.connect(context)
  const session = await client.get<Session>(await sessionPath(client, args.id))
  if (args.name === undefined) {
    const model = modelOf(session)
    if (options.json) context.json({ session: session.id, model })
    else context.out(model ?? `${session.agent} has not reported its model`)
    return EXIT.ok
  }
  const { model } = controlsOf(session)
  if (!model)
    throw new SignalboxError('E_INPUT', `${session.agent} cannot switch its model while it runs`, {
      next: 'start another session with the model among its arguments',
    })
  if (!model.takesName)
    throw new SignalboxError('E_INPUT', `${session.agent} chooses its model in a menu`, {
      next: `signalbox attach ${session.number}, then type ${model.command}`,
    })
  const sent = await client.post<Sent>(`/sessions/${session.id}/messages`, {
    text: `${model.command} ${args.name}`,
    whenBusy: 'hold',
    meaning: 'command',
  })
  const asks = sent.result === 'delivered' && (await asksToConfirm(client, session.id))
  if (options.json) context.json(sent)
  else if (sent.result === 'refused' || sent.result === 'unconfirmed')
    context.note(`signalbox: not delivered: ${sent.detail ?? sent.result}`)
  else if (asks) context.out(`${session.agent} asks you to confirm: signalbox approvals`)
  else context.out(sent.result === 'held' ? 'sent when the agent is idle' : `sent: ${model.command} ${args.name}`)
  return ['delivered', 'queued', 'held'].includes(sent.result) ? EXIT.ok : EXIT.failed
}

const ATTEMPTS = 15
const POLL_MS = 200

/** An agent may ask before it reads a long conversation again with another model. */
async function asksToConfirm(client: DaemonClient, id: string): Promise<boolean> {
  for (let look = 0; look < ATTEMPTS; look++) {
    const { awaiting } = await client.get<Session>(`/sessions/${id}`)
    if (awaiting) return true
    await delay(systemClock, POLL_MS)
  }
  return false
}
