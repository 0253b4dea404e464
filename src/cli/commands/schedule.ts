import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, Schedule, ScheduleList } from '../../server/index.js'
import { formatDuration, visibleText } from '../../text/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

const ACTIONS = ['pause', 'resume', 'start', 'remove']

type Shown = InMilliseconds<Schedule>

export async function run(context: CommandContext, { args, options, rest }: InputOf<'schedule'>): Promise<number> {
  const { when, command = [] } = args
  const words = [...command, ...(rest ?? [])]
  const client = await DaemonClient.connect(context)
  const caller = {
    actor: localPerson(),
    ...(context.env.SIGNALBOX_SESSION && { insideSession: context.env.SIGNALBOX_SESSION }),
  }
  if (when === undefined) return list(context, await client.get<ScheduleList>('/schedules'), options.json === true)
  if (ACTIONS.includes(when)) {
    const [id] = words
    if (id === undefined)
      throw new SignalboxError('E_INPUT', `schedule ${when} needs the id of a schedule`, {
        next: 'signalbox schedule lists them',
      })
    const changed = await client.post<Schedule>(`/schedules/${encodeURIComponent(id)}/${when}`, caller)
    if (options.json) context.json(changed)
    else context.out(`${changed.id}: ${outcomeOf(when, changed as unknown as Shown)}`)
    return when === 'start' && changed.last?.outcome === 'failed' ? EXIT.failed : EXIT.ok
  }
  if (words.length === 0)
    throw new SignalboxError('E_INPUT', 'schedule needs a command', {
      next: 'signalbox schedule "0 2 * * *" -- oneshot "Update the dependencies" --agent claude',
    })
  const added = await client.post<Schedule>('/schedules', {
    cron: when,
    command: words[0] === 'signalbox' ? words.slice(1) : words,
    directory: context.cwd,
    ...(options.name !== undefined && { name: options.name }),
    ...caller,
  })
  if (options.json) context.json(added)
  else {
    context.out(added.id)
    context.note(`starts ${nextOf(added as unknown as Shown)}; signalbox schedule start ${added.id} tries it now`)
  }
  return EXIT.ok
}

function outcomeOf(action: string, schedule: Shown): string {
  if (action === 'remove') return 'removed; what it started continues'
  if (action === 'start') return lastOf(schedule)
  return schedule.isPaused ? 'paused' : `starts ${nextOf(schedule)}`
}

function list(context: CommandContext, { items }: InMilliseconds<ScheduleList>, isJson: boolean): number {
  if (isJson) context.json(items)
  else if (items.length === 0)
    context.out('nothing is scheduled; signalbox schedule "0 2 * * *" -- oneshot "…" starts a task every night')
  else
    for (const schedule of items) {
      const { id, cron, command, directory, name, isPaused, isHere, last } = schedule
      const state = isPaused ? 'paused' : isHere ? `next ${nextOf(schedule)}` : 'on another server'
      context.out(`${context.style('bold', id)}  ${cron}  ${state}`)
      const what = name ?? `signalbox ${command.map(quoted).join(' ')}`
      context.out(`  ${visibleText(what, { newlines: 'blank' })} · ${visibleText(directory)}`)
      if (last) context.out(context.style(last.outcome === 'failed' ? 'red' : 'dim', `  ${lastOf(schedule)}`))
    }
  return EXIT.ok
}

function nextOf({ nextAt }: Shown): string {
  if (nextAt === null) return 'never'
  return `in ${formatDuration(Math.max(0, nextAt - systemClock.now()))} (${new Date(nextAt).toLocaleString()})`
}

function lastOf({ last }: Shown): string {
  if (!last) return 'not started yet'
  const at = new Date(last.at).toLocaleString()
  if (last.outcome === 'failed')
    return `last: ${at}, not started: ${visibleText(last.problem ?? '', { newlines: 'blank' })}`
  if (last.outcome === 'starting') return `last: ${at}, starting`
  return `last: ${at}, started ${last.run ?? last.session ?? 'it'}`
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
