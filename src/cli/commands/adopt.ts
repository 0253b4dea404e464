import { type StoredConversation, storedConversations } from '../../agents/index.js'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Session } from '../../server/index.js'
import { formatAge, truncate, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { printPaged } from '../pager.js'
import { printStarted, stringEntries, terminalSize } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** Resumes, as a session, a conversation that an agent has on disk; without an id it lists them. */
export async function run(context: CommandContext, { args, options }: InputOf<'adopt'>): Promise<number> {
  const isHere = ({ cwd }: StoredConversation) => cwd === context.cwd || cwd.startsWith(`${context.cwd}/`)
  const all = storedConversations(context.env).filter(({ agent }) => [agent, undefined].includes(options.agent))
  if (args.id === undefined) return list(context, options.all ? all : all.filter(isHere), options)
  const found = all.filter(({ id }) => id.startsWith(args.id!))
  const [conversation] = found
  if (!conversation)
    throw new SignalboxError('E_UNKNOWN', `no agent has a conversation "${args.id}" on disk`, {
      next: 'signalbox adopt --all lists them',
    })
  if (found.length > 1)
    throw new SignalboxError('E_ID_AMBIGUOUS', `"${args.id}" matches ${found.map(({ id }) => id).join(', ')}`)
  const client = await DaemonClient.connect(context)
  const { agent, id, cwd, prompt } = conversation
  const session = await client.post<Session>('/sessions', {
    agent,
    cwd,
    env: stringEntries(context.env),
    size: terminalSize(context),
    label: options.name ?? nameFrom(prompt),
    resume: id,
  })
  if (options.attach) {
    const { attachTo } = await import('../attach/attach.js')
    return attachTo(context, client, session.id, { isViewOnly: false })
  }
  if (options.json) context.json(session)
  else printStarted(session, context)
  return EXIT.ok
}

const NAME_MAX = 60

function nameFrom(prompt: string): string {
  return truncate(visibleText(prompt.split('\n')[0] ?? '', { newlines: 'blank' }), NAME_MAX)
}

async function list(
  context: CommandContext,
  found: readonly StoredConversation[],
  { all, json }: { all?: boolean | undefined; json?: boolean | undefined },
): Promise<number> {
  if (json) for (const conversation of found) context.json(conversation)
  else if (found.length === 0)
    context.out(
      all
        ? 'Claude Code and Codex have no conversations on disk'
        : 'no conversations of Claude Code or Codex in this directory; --all lists those of others',
    )
  else
    await printPaged(
      context,
      found.map(({ agent, id, cwd, prompt, at }) => {
        const age = formatAge(systemClock.now() - at)
        const where = all ? `  ${visibleText(cwd)}` : ''
        return `${id.slice(0, 13)}  ${agent.padEnd(6)} ${age.padStart(9)}${where}  ${nameFrom(prompt)}`
      }),
    )
  return EXIT.ok
}
