import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Approval, Page } from '../../server/index.js'
import { formatAge } from '../../text/index.js'
import { approvalLines, endOf } from '../approvals/approval-info.js'
import { approvalHistory } from '../approvals/history.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { CommandInput } from '../specs/command-spec.js'

const OF_HISTORY = ['since', 'run', 'person', 'csv'] as const

export async function run(context: CommandContext, { options }: CommandInput): Promise<number> {
  if (options.history) return approvalHistory(context, options)
  const misplaced = OF_HISTORY.find(name => options[name] !== undefined)
  if (misplaced) throw new SignalboxError('E_INPUT', `--${misplaced} needs --history`, { next: 'add --history' })
  const client = await DaemonClient.connect(context)
  const path = `/approvals${options.all ? '?all=1' : ''}`
  const items = (await client.get<Page<Approval>>(path)).items.reverse()
  if (options.json) context.json(items)
  else if (items.length === 0) context.out('no request waits for a decision')
  else
    for (const item of items) {
      const age = formatAge(systemClock.now() - item.requestedAt)
      const by = item.decision ? `  ${item.decision.actor.name} (${item.decision.surface})` : ''
      const state = item.outcome?.observed ? endOf(item) : item.state
      context.out(
        `${context.style('bold', item.id)}  ${context.style('yellow', state)}  ${item.subject.agent}  ${age}${by}`,
      )
      for (const line of approvalLines(item)) context.out(`  ${line}`)
    }
  return EXIT.ok
}
