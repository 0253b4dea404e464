import { EXIT } from '../../errors/index.js'
import type { Approval, Page, Session } from '../../server/index.js'
import { plural } from '../../text/index.js'
import { approvalLines } from '../approvals/approval-info.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { sessionLine } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** Starts no daemon: shell completion calls it. */
export async function run(context: CommandContext, { options }: InputOf<'status'>): Promise<number> {
  const client = await DaemonClient.running(context)
  const approvals = client ? (await client.get<Page<Approval>>('/approvals?state=pending')).items.reverse() : []
  const sessions = client
    ? (await client.get<Page<Session>>('/sessions?state=live&state=starting')).items.reverse()
    : []
  if (options.json) {
    context.json({ daemon: client !== null, approvals, sessions })
    return EXIT.ok
  }
  if (approvals.length > 0) {
    context.out(context.style('bold', `${plural(approvals.length, 'request')} for you`))
    for (const approval of approvals) {
      context.out(`${context.style('yellow', approval.id)}  ${approval.subject.agent}`)
      for (const line of approvalLines(approval)) context.out(`  ${line}`)
    }
    context.out('')
  } else context.out('Nothing needs you.')
  for (const session of sessions) context.out(sessionLine(session, context))
  if (sessions.length === 0)
    context.out(context.style('dim', 'No running sessions. Try: signalbox demo, or signalbox start demo'))
  return EXIT.ok
}
