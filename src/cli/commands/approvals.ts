import { requestState } from '../../approvals/index.js'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Approval, Page } from '../../server/index.js'
import { formatAge, requestWord, surfaceWord } from '../../text/index.js'
import { type ApprovalInfo, approvalLines, endOf } from '../approvals/approval-info.js'
import { approvalHistory } from '../approvals/history.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { printPaged } from '../pager.js'
import type { InputOf } from '../specs/index.js'

const OF_HISTORY = ['since', 'session', 'run', 'project', 'person', 'decision', 'search', 'limit', 'csv'] as const

export async function run(context: CommandContext, { args, options }: InputOf<'approvals'>): Promise<number> {
  if (options.history) return approvalHistory(context, options)
  const misplaced = OF_HISTORY.find(name => options[name] !== undefined)
  if (misplaced) throw new SignalboxError('E_INPUT', `--${misplaced} needs --history`, { next: 'add --history' })
  const client = await DaemonClient.connect(context)
  const items = await loadRequests(client, args.id, options.all === true)
  if (options.json) context.json(items)
  else if (items.length === 0) context.out('no request waits for a decision')
  else
    await printPaged(
      context,
      items.flatMap(item => itemLines(item, context)),
    )
  return EXIT.ok
}

async function loadRequests(client: DaemonClient, id: string | undefined, isAll: boolean) {
  if (id !== undefined) return [await client.get<Approval>(`/approvals/${encodeURIComponent(id)}`)]
  return (await client.get<Page<Approval>>(`/approvals${isAll ? '?all=1' : ''}`)).items.reverse()
}

function itemLines(item: ApprovalInfo, context: CommandContext): string[] {
  const age = formatAge(systemClock.now() - item.requestedAt)
  const by = item.decision ? `  ${item.decision.actor.name} (${surfaceWord(item.decision.surface)})` : ''
  const state = item.outcome?.observed ? endOf(item) : requestWord(requestState(item))
  return [
    `${context.style('bold', item.id)}  ${context.style('yellow', state)}  ${item.subject.agent}  ${age}${by}`,
    ...approvalLines(item, context, { indent: 2 }),
  ]
}
