import { resolve } from 'node:path'
import { createDemoDirectory, createSampleProject } from '../../agents/index.js'
import { delay, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { InMilliseconds, Sent, Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseAmount, parsePlacement, parseSandbox, parseSize } from '../parse-options.js'
import { askForSandbox } from '../sessions/first-sandbox.js'
import { printStarted, stringEntries, terminalSize } from '../sessions/session-info.js'
import { terminalAgents } from '../sessions/terminal-agents.js'
import type { InputOf } from '../specs/index.js'

/** The largest terminal that the daemon accepts. */
const SIZE_MAX = 500
/** How often a worker is searched for a session that waits for one. */
const RETRY_MS = 1_000

export async function run(context: CommandContext, { args, options, rest }: InputOf<'start'>): Promise<number> {
  const { agent = null } = args
  if (!agent && (!rest || rest.length === 0))
    throw new SignalboxError('E_INPUT', 'nothing to start', {
      next: `signalbox start ${(await startable(context)).join('|')}, or signalbox start -- <program> [args…]`,
    })
  if (options.acp && (options.wait || options.attach))
    throw new SignalboxError('E_INPUT', `--acp and ${options.wait ? '--wait' : '--attach'} exclude each other`, {
      next: 'a session over the protocol has no terminal: follow it with signalbox send --wait, or signalbox read',
    })
  if (options.raw && !options.wait) throw new SignalboxError('E_INPUT', '--raw needs --wait')
  if (options.worktree && options.wait)
    throw new SignalboxError('E_INPUT', '--worktree and --wait exclude each other', { next: 'leave out --wait' })
  const isScratch = agent === 'demo' && useScratchProject(context, { ...options, rest })
  const project = isScratch ? await createSampleProject(createDemoDirectory(), 'shop') : null
  const sandbox = parseSandbox(options) ?? (await chosenSandbox(context, agent, options))
  const request = {
    agent,
    args: rest ?? [],
    // The daemon has another working directory.
    cwd: project ?? resolve(context.cwd, options.cwd ?? '.'),
    env: stringEntries(context.env),
    size: parseSize(options.size, SIZE_MAX) ?? terminalSize(context),
    label: options.name ?? null,
    ...(sandbox && { sandbox }),
    ...(options.acp && { channel: 'acp' as const }),
  }
  const budget = options.budget === undefined ? null : { usd: parseAmount('--budget', options.budget), tokens: null }
  if (options.wait) {
    const { runInForeground } = await import('../sessions/foreground.js')
    return runInForeground(context, request, { isRaw: options.raw === true })
  }
  const client = await DaemonClient.connect(context)
  const placement = parsePlacement(options)
  if (placement && options.worktree)
    throw new SignalboxError('E_INPUT', '--worktree cannot be combined with --on, --pool or --needs', {
      next: 'name a directory of the worker with --cwd',
    })
  const session = placement
    ? await startOnWorker(
        context,
        client,
        { ...request, ...(budget && { budget }), env: null, placement },
        { mayWait: options.queue !== false },
      )
    : await client.post<Session>('/sessions', {
        ...request,
        ...(budget && { budget }),
        worktree: options.worktree === true,
      })
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
  else {
    printStarted(session, context)
    if (project !== null) context.out(context.style('dim', `the demo agent works in a scratch project: ${project}`))
  }
  return EXIT.ok
}

/** The agents that this machine has. */
async function startable(context: CommandContext): Promise<string[]> {
  return (await terminalAgents(context)).filter(({ isInstalled }) => isInstalled).map(({ name }) => name)
}

/** At the first use a person chooses; scripts and workers are not asked. */
async function chosenSandbox(
  context: CommandContext,
  agent: string | null,
  options: InputOf<'start'>['options'],
): Promise<{ use: string } | undefined> {
  if (options.json || options.acp || parsePlacement(options)) return undefined
  const use = await askForSandbox(context, agent)
  return use === null ? undefined : { use }
}

/** A session without a suitable worker waits for one, and the reason is printed. */
async function startOnWorker(
  context: CommandContext,
  client: DaemonClient,
  request: Record<string, unknown>,
  { mayWait }: { mayWait: boolean },
): Promise<InMilliseconds<Session>> {
  for (let shown = ''; ; ) {
    try {
      return await client.post<Session>('/sessions', request)
    } catch (error) {
      if (!mayWait || !(error instanceof SignalboxError) || error.code !== 'E_NO_WORKER') throw error
      if (error.message !== shown) context.note(`waiting: ${error.message}`)
      shown = error.message
      await delay(systemClock, RETRY_MS)
    }
  }
}

/**
 * The tour of the demo agent edits files and runs tests, so it gets a project of its own. A given
 * directory or scenario is used as it is.
 */
function useScratchProject(
  { env }: CommandContext,
  { cwd, worktree, rest }: { cwd?: string | undefined; worktree?: boolean | undefined; rest: readonly string[] | null },
): boolean {
  return cwd === undefined && !worktree && (rest ?? []).length === 0 && !env.SIGNALBOX_DEMO_SCENARIO
}
