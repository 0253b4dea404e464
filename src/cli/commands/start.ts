import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { stringEntries, terminalSize } from '../sessions/own-terminal.js'
import { printStarted } from '../sessions/session-info.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, { args, options, rest }: CommandInput): Promise<number> {
  const agent = (args.agent as string | undefined) ?? null
  if (!agent && (!rest || rest.length === 0)) {
    throw new SignalboxError('E_INPUT', 'say what to start', {
      next: 'signalbox start demo, or signalbox start -- <program> [args…]',
    })
  }
  if (options.raw && !options.wait) throw new SignalboxError('E_INPUT', '--raw goes with --wait')
  const size = parseSizeOption(options.size)
  const request = {
    agent,
    args: rest ?? [],
    // The daemon has a directory of its own: relative means relative to the person.
    cwd: resolve(context.cwd, (options.cwd as string | undefined) ?? '.'),
    env: stringEntries(context.env),
    size: size ?? terminalSize(context),
    label: (options.label as string | undefined) ?? null,
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

function parseSizeOption(size: unknown): { cols: number; rows: number } | null {
  if (size === undefined) return null
  const match = /^(\d{1,3})x(\d{1,3})$/.exec(String(size))
  const [cols, rows] = [Number(match?.[1]), Number(match?.[2])]
  if (!match || cols < 1 || rows < 1 || cols > 500 || rows > 500) {
    throw new SignalboxError('E_INPUT', `"${String(size)}" is no terminal size`, {
      next: 'columns x rows, such as 120x40; 500x500 at most',
    })
  }
  return { cols, rows }
}
