import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseSize } from '../parse-options.js'
import { printStarted, stringEntries, terminalSize } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

/** The largest terminal that the daemon accepts. */
const SIZE_MAX = 500

export async function run(context: CommandContext, { args, options, rest }: InputOf<'start'>): Promise<number> {
  const { agent = null } = args
  if (!agent && (!rest || rest.length === 0))
    throw new SignalboxError('E_INPUT', 'nothing to start', {
      next: 'signalbox start demo, or signalbox start -- <program> [args…]',
    })
  if (options.raw && !options.wait) throw new SignalboxError('E_INPUT', '--raw needs --wait')
  const request = {
    agent,
    args: rest ?? [],
    // The daemon has another working directory.
    cwd: resolve(context.cwd, options.cwd ?? '.'),
    env: stringEntries(context.env),
    size: parseSize(options.size, SIZE_MAX) ?? terminalSize(context),
    label: options.label ?? null,
  }
  if (options.wait) {
    const { runInForeground } = await import('../sessions/foreground.js')
    return runInForeground(context, request, { isRaw: options.raw === true })
  }
  const client = await DaemonClient.connect(context)
  const session = await client.post<Session>('/sessions', request)
  if (options.prompt) {
    const sent = await client.post<Sent>(`/sessions/${session.id}/messages`, {
      text: options.prompt,
    })
    if (!['delivered', 'queued', 'held'].includes(sent.result))
      context.note(`the prompt was not delivered: ${sent.detail ?? sent.result}`)
  }
  if (options.attach) {
    const { attachTo } = await import('../attach/attach.js')
    return attachTo(context, client, session.id, { isViewOnly: false })
  }
  if (options.json) context.json(session)
  else printStarted(session, context)
  return EXIT.ok
}
