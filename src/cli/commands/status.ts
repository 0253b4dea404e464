import { systemClock } from '../../clock/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { type DescribedRun, describeRun } from '../../runs/index.js'
import type { Approval, Page, Session } from '../../server/index.js'
import { plural, visibleText } from '../../text/index.js'
import { approvalLines } from '../approvals/approval-info.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { withStore } from '../runs/with-store.js'
import { lostSessions, runningSessions } from '../sessions/lost-sessions.js'
import { panesById, sessionLine } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** Lines of a request in the list; `signalbox approvals` prints all of them. */
const LINES_MAX = 12
/** How long sessions that the machine's stop ended are offered for resumption. */
const OFFERED_MS = 7 * 24 * 3_600_000

/** Starts no daemon: shell completion calls it. */
export async function run(context: CommandContext, { options }: InputOf<'status'>): Promise<number> {
  const client = await DaemonClient.running(context)
  const approvals = client ? (await client.get<Page<Approval>>('/approvals?state=pending')).items.reverse() : []
  const sessions = client
    ? (await client.get<Page<Session>>('/sessions?state=live&state=starting')).items.reverse()
    : []
  const stopped = await stoppedRuns(context)
  const running = client ? [] : await runningSessions(context)
  const lost = (await lostSessions(context)).filter(({ endedAt = 0 }) => systemClock.now() - endedAt < OFFERED_MS)
  if (options.json) {
    context.json({ daemon: client !== null, approvals, sessions, stopped, lost: lost.map(({ id }) => id) })
    return EXIT.ok
  }
  if (approvals.length > 0) {
    context.out(context.style('bold', `${plural(approvals.length, 'request')} for you`))
    for (const approval of approvals) {
      context.out(`${context.style('yellow', approval.id)}  ${approval.subject.agent}`)
      for (const line of approvalLines(approval, context, { limit: LINES_MAX, indent: 2 })) context.out(line)
    }
    context.out('')
  }
  for (const { id, title, why, next } of stopped) {
    context.out(`${context.style('red', id)}  ${visibleText(title)}`)
    context.out(`  ${why}; resume it: ${next}`)
  }
  if (lost.length > 0)
    context.out(`${plural(lost.length, 'session')} ran when the machine stopped; resume: signalbox resume --lost`)
  if (stopped.length + lost.length > 0) context.out('')
  if (approvals.length + stopped.length + lost.length === 0) context.out('Nothing needs you.')
  const panes = client ? await panesById(client) : new Map()
  for (const session of sessions) context.out(sessionLine(session, context, panes))
  if (running.length > 0)
    context.out(`Signalbox is stopped; ${plural(running.length, 'session')} may still run. signalbox open starts it.`)
  else if (sessions.length === 0)
    context.out(context.style('dim', 'No running sessions. Try: signalbox demo, or signalbox start demo'))
  return EXIT.ok
}

/** Runs that no process drives. Needs no daemon: it may be the daemon that died. */
async function stoppedRuns(context: CommandContext): Promise<DescribedRun[]> {
  return withStore(context, async store => {
    const runs = (await listRuns(store)).filter(({ status, isArchived }) => !isEnded(status) && !isArchived)
    const described = await Promise.all(runs.map(record => describeRun({ store, clock: systemClock }, record)))
    return described.filter(({ isUndriven }) => isUndriven)
  })
}
