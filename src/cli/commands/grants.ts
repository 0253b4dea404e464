import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Grant, GrantList, GrantSwitch, InMilliseconds } from '../../server/index.js'
import { formatDuration, plural, visibleText } from '../../text/index.js'
import { addStanding } from '../approvals/add-standing.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import type { InputOf } from '../specs/index.js'

type GrantInfo = InMilliseconds<Grant>

export async function run(context: CommandContext, { args, options }: InputOf<'grants'>): Promise<number> {
  const { action, id } = args
  const client = await DaemonClient.connect(context)
  const body = {
    actor: localPerson(),
    ...(context.env.SIGNALBOX_SESSION && { insideSession: context.env.SIGNALBOX_SESSION }),
  }
  if (action === 'revoke') {
    if (id === undefined)
      throw new SignalboxError('E_INPUT', 'grants revoke needs the id of a standing approval', {
        next: 'signalbox grants lists them',
      })
    const grant = await client.post<Grant>(`/grants/${encodeURIComponent(id)}/revoke`, body)
    if (options.json) context.json(grant)
    else context.out(`${grant.id}: ended (${grant.ended?.reason ?? 'revoked'})`)
    return EXIT.ok
  }
  if (action === 'add') return addStanding(context, client, { caller: body, pattern: id ?? '', options })
  if (action === 'pause' || action === 'resume') {
    const state = await client.post<GrantSwitch>(`/grants/${action}`, body)
    if (options.json) context.json(state)
    else
      context.out(
        state.isPaused
          ? 'all standing approvals are paused; signalbox grants resume ends the pause'
          : 'standing approvals are active again',
      )
    return EXIT.ok
  }
  if (action !== undefined)
    throw new SignalboxError('E_INPUT', `unknown action "${action}"`, {
      next: 'use add <command>, revoke <id>, pause, resume',
    })
  return list(context, await client.get<GrantList>(`/grants${options.all ? '?all=1' : ''}`), options.json === true)
}

function list(
  context: CommandContext,
  { items, isPaused, pausedBy, now }: InMilliseconds<GrantList>,
  isJson: boolean,
): number {
  if (isJson) {
    context.json({ items, isPaused })
    return EXIT.ok
  }
  if (isPaused)
    context.out(
      context.style(
        'yellow',
        `all standing approvals are paused${pausedBy ? ` by ${pausedBy}` : ''}; signalbox grants resume ends the pause`,
      ),
    )
  if (items.length === 0)
    context.out('no standing approvals; signalbox grants add "npm test" makes one, or signalbox approve <id> --for 30m')
  for (const grant of items) {
    const state = grant.ended
      ? `ended (${grant.ended.reason})`
      : grant.standing
        ? `standing, ${plural(grant.uses, 'use')} so far`
        : `${formatDuration(grant.expiresAt - now)} left, ${plural(grant.maxUses - grant.uses, 'use')} left of ${grant.maxUses}`
    context.out(`${context.style('bold', grant.id)}  ${state}`)
    context.out(
      `  ${describePattern(grant)} · ${describeScope(grant)} · by ${grant.by.name}${grant.approval === '' ? '' : `, with ${grant.approval}`}`,
    )
    if (grant.note !== undefined) context.out(`  ${visibleText(grant.note, { newlines: 'blank' })}`)
  }
  return EXIT.ok
}

function describePattern({ match, tools }: GrantInfo): string {
  const tool = visibleText(tools.map(name => (name === '*' ? 'any tool' : name)).join(', '))
  if (match.kind === 'prefix') return `${tool}: commands that begin with ${visibleText(match.words.join(' '))}`
  if (match.kind === 'path') return `${tool}: files below ${visibleText(match.directory)}`
  return `${tool}: the same request again`
}

function describeScope({ scope, agent, project }: GrantInfo): string {
  switch (scope.kind) {
    case 'session':
      return `session ${scope.session}`
    case 'run':
      return `run ${scope.run}`
    case 'node':
      return `node ${scope.node} of ${scope.run}`
    case 'project':
      return `${agent === '*' ? 'every agent' : agent} in ${visibleText(project)}`
  }
}
