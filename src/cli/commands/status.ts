import { systemClock } from '../../clock/index.js'
import { isEnded, listRuns } from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import { type DescribedRun, describeRun } from '../../runs/index.js'
import type { Approval, Page, Session } from '../../server/index.js'
import type { PaneInfo } from '../../supervision/index.js'
import {
  budgetSentence,
  isPausedByBudget,
  paneNeedsYou,
  plural,
  raiseCommand,
  runNeedsYou,
  runWord,
  visibleText,
} from '../../text/index.js'
import { type ApprovalInfo, approvalLines } from '../approvals/approval-info.js'
import { pendingApprovals } from '../approvals/pending-approvals.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { wrapText } from '../help.js'
import { withStore } from '../runs/with-store.js'
import { lostSessions, runningSessions } from '../sessions/lost-sessions.js'
import { panesById, sessionLine } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** Lines of a request in the list; `signalbox approvals` prints all of them. */
const LINES_MAX = 12
/** How long sessions that the machine's stop ended are offered for resumption. */
const OFFER_RESUME_MS = 7 * 24 * 3_600_000

/** Starts no daemon. */
export async function run(context: CommandContext, { options }: InputOf<'status'>): Promise<number> {
  const client = await DaemonClient.running(context)
  // What needs you is in the store: it counts the same without a daemon, which knows panes besides.
  const approvals: ApprovalInfo[] = client
    ? (await client.get<Page<Approval>>('/approvals?state=pending')).items.reverse()
    : await withStore(context, pendingApprovals)
  const sessions = client
    ? (await client.get<Page<Session>>('/sessions?state=live&state=starting')).items.reverse()
    : []
  const running = client ? [] : await runningSessions(context)
  const halted = await haltedRuns(context)
  const stopped = halted.filter(({ isUndriven }) => isUndriven)
  const lost = (await lostSessions(context)).filter(({ endedAt = 0 }) => systemClock.now() - endedAt < OFFER_RESUME_MS)
  if (options.json) {
    context.json({ daemon: client !== null, approvals, sessions, stopped, lost: lost.map(({ id }) => id) })
    return EXIT.ok
  }
  const panes = client ? await panesById(client) : new Map<string, PaneInfo>()
  const asking = new Set(approvals.map(({ subject }) => subject.session))
  const waiting = [...panes.values()].filter(pane => paneNeedsYou(pane, asking))
  const paused = [...sessions, ...running].filter(isPausedByBudget)
  const needs = approvals.length + halted.length + waiting.length + paused.length
  if (needs > 0) context.out(context.style('bold', `${needs} ${needs === 1 ? 'needs' : 'need'} you`))
  for (const approval of approvals) {
    context.out(`${context.style('yellow', approval.id)}  ${approval.subject.agent}`)
    for (const line of approvalLines(approval, context, { limit: LINES_MAX, indent: 2 })) context.out(line)
  }
  if (approvals.length > 0) context.out('')
  for (const run of halted) {
    context.out(`${context.style('red', run.id)}  ${visibleText(run.title)}`)
    const why = [runWord(run), run.why].filter(Boolean).join(': ')
    printBelow(context, `${visibleText(why)}${run.next === null ? '' : `; resume it: ${run.next}`}`)
  }
  for (const { number, paused: used } of paused)
    printBelow(
      context,
      `session ${number} is paused. ${budgetSentence(used!)} Raise it: ${raiseCommand(number, used!)}`,
      0,
    )
  for (const pane of waiting.filter(({ source }) => source === 'tmux'))
    context.out(`tmux ${pane.place}  ${visibleText(pane.doing || pane.name)}`)
  if (lost.length > 0)
    context.out(`${plural(lost.length, 'session')} ran when the machine stopped; resume: signalbox resume --lost`)
  if (needs - approvals.length + lost.length > 0) context.out('')
  if (needs + lost.length === 0) context.out('Nothing needs you.')
  for (const session of sessions) context.out(sessionLine(session, context, panes))
  if (running.length > 0)
    context.out(`Signalbox is stopped; ${plural(running.length, 'session')} may still run. signalbox open starts it.`)
  else if (sessions.length === 0)
    context.out(context.style('dim', 'No running sessions. Try: signalbox demo, or signalbox start demo'))
  return EXIT.ok
}

/** Runs that need you. Needs no daemon: it may be the daemon that died. */
async function haltedRuns(context: CommandContext): Promise<DescribedRun[]> {
  return withStore(context, async store => {
    const now = systemClock.now()
    const runs = (await listRuns(store)).filter(
      run => !run.isArchived && (!isEnded(run.status) || runNeedsYou({ ...run, isUndriven: false }, now)),
    )
    const described = await Promise.all(runs.map(record => describeRun({ store, clock: systemClock }, record)))
    return described.filter(run => runNeedsYou(run, now))
  })
}

/** In the width of a terminal; a pipe gets whole lines. */
function printBelow(context: CommandContext, text: string, indent = 2): void {
  const width = context.isOutputTty ? Math.max(20, context.columns - indent) : Number.POSITIVE_INFINITY
  for (const line of wrapText(text, width)) context.out(' '.repeat(indent) + line)
}
