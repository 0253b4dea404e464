import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { brainstormPrompt, designPath } from '../../pipelines/index.js'
import type { Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { printStarted, stringEntries, terminalSize } from '../sessions/session-info.js'
import { terminalAgents } from '../sessions/terminal-agents.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options, rest }: InputOf<'brainstorm'>): Promise<number> {
  const topic = args.topic ?? null
  const cwd = resolve(context.cwd, options.cwd ?? '.')
  const agent = options.agent ?? (await terminalAgents(context)).find(({ isInstalled }) => isInstalled)?.name
  if (agent === undefined)
    throw new SignalboxError('E_AGENT_MISSING', 'no agent was found', { next: 'signalbox doctor' })
  const path = designPath(topic, systemClock.now(), candidate => existsSync(resolve(cwd, candidate)))
  const client = await DaemonClient.connect(context)
  const session = await client.post<Session>('/sessions', {
    agent,
    args: rest ?? [],
    cwd,
    env: stringEntries(context.env),
    size: terminalSize(context),
    label: `Design: ${topic ?? 'an idea'}`.slice(0, 200),
    ...(options.acp && { channel: 'acp' }),
  })
  const text = brainstormPrompt(topic, path)
  const sent = await client.post<Sent>(`/sessions/${session.id}/messages`, { text, whenBusy: 'hold' })
  if (!['delivered', 'queued', 'held'].includes(sent.result))
    context.note(`the prompt was not delivered: ${sent.detail ?? sent.result}`)
  if (options.attach && !options.acp) {
    const { attachTo } = await import('../attach/attach.js')
    return attachTo(context, client, session.id, { isViewOnly: false })
  }
  if (options.json) context.json({ ...session, design: path })
  else {
    printStarted(session, context)
    context.out(`the design will be in ${path}; then: signalbox implement --design ${path}`)
  }
  return EXIT.ok
}
