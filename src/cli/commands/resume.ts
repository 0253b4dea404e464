import { resolve } from 'node:path'
import { EXIT, SignalboxError } from '../../errors/index.js'
import {
  type LoadedGraph,
  loadGraph,
  queuedPipelines,
  readGraphFile,
  resumeRun,
  type StartContext,
  soleRunOfDirectory,
  startFromCheckpointFile,
} from '../../runs/index.js'
import type { Session } from '../../server/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseCount } from '../parse-options.js'
import { driveStarted } from '../runs/drive-in-terminal.js'
import { printFindings } from '../runs/graph-errors.js'
import { findRunFor, withRuns } from '../runs/with-store.js'
import { lostSessions } from '../sessions/lost-sessions.js'
import { printStarted, type SessionInfo, stringEntries, terminalSize } from '../sessions/session-info.js'
import type { InputOf } from '../specs/index.js'

type Options = InputOf<'resume'>['options']

export async function run(context: CommandContext, { args: { id }, options }: InputOf<'resume'>): Promise<number> {
  if (options.lost) return resumeLost(context, options)
  const isRun = id === undefined || /^(run_|latest$)/.test(id) || id.endsWith('.json')
  if (!isRun && !options.queued) return resumeSession(context, id, options)
  const mayAsk = options.ask !== false && !options.json
  return withRuns(context, { mayAsk }, start => {
    if (options.queued) return startQueued(context, start, options)
    return id?.endsWith('.json') ? resumeFile(context, start, id, options) : resumeById(context, start, id, options)
  })
}

async function resumeSession(context: CommandContext, id: string, options: Options): Promise<number> {
  const client = await DaemonClient.connect(context)
  const session = await client.post<Session>(`/sessions/${encodeURIComponent(id)}/resume`, {
    env: stringEntries(context.env),
    size: terminalSize(context),
  })
  if (options.attach) {
    const { attachTo } = await import('../attach/attach.js')
    return attachTo(context, client, session.id, { isViewOnly: false })
  }
  if (options.json) context.json(session)
  else printStarted(session, context)
  return EXIT.ok
}

/** All that were lost, one after the other. One that cannot be resumed is reported; exit code 1. */
async function resumeLost(context: CommandContext, options: Options): Promise<number> {
  const client = await DaemonClient.connect(context)
  const lost = await lostSessions(context)
  if (lost.length === 0 && !options.json) context.out('no lost sessions')
  let exit: number = EXIT.ok
  const resumed: SessionInfo[] = []
  for (const { id, number } of lost) {
    const body = { env: stringEntries(context.env), size: terminalSize(context) }
    try {
      const session = await client.post<Session>(`/sessions/${id}/resume`, body)
      resumed.push(session)
      if (!options.json) printStarted(session, context)
    } catch (error) {
      context.note(`session ${number} (${id}) cannot be resumed: ${(error as Error).message}`)
      exit = EXIT.failed
    }
  }
  if (options.json) context.json(resumed)
  return exit
}

/** One after the other; the exit code is the first that is not 0. */
async function startQueued(context: CommandContext, start: StartContext, options: Options): Promise<number> {
  const queued = await queuedPipelines(start.store)
  if (queued.length === 0 && !options.json) context.out('no queued runs')
  let exit: number = EXIT.ok
  for (const record of queued) {
    const code = await driveStarted(context, start, await resumeRun(start, record), { ...options, isResumed: true })
    if (exit === EXIT.ok) exit = code
  }
  return exit
}

async function resumeById(
  context: CommandContext,
  start: StartContext,
  id: string | undefined,
  options: Options,
): Promise<number> {
  const record =
    id === undefined
      ? await soleRunOfDirectory(start.store, context.cwd, 'resume')
      : await findRunFor(context, start.store, id)
  const resumed = await resumeRun(start, record, {
    graph: options.graph === undefined ? undefined : await load(context, start, options.graph),
    trust: options.trust,
    maxIterations: parseCount('--max-iterations', options.maxIterations),
  })
  return driveStarted(context, start, resumed, { ...options, isResumed: true })
}

/** A checkpoint that another machine exported becomes a new run. */
async function resumeFile(
  context: CommandContext,
  start: StartContext,
  file: string,
  { graph, agent, trust, ...flags }: Options,
): Promise<number> {
  if (graph === undefined)
    throw new SignalboxError('E_INPUT', 'a checkpoint needs its graph', { next: '--graph flow.dot' })
  const loaded = await load(context, start, graph)
  const started = await startFromCheckpointFile(start, resolve(context.cwd, file), loaded, { agent, trust })
  return driveStarted(context, start, started, flags)
}

async function load(context: CommandContext, start: StartContext, file: string): Promise<LoadedGraph> {
  const loaded = await loadGraph(start, readGraphFile(context.cwd, file))
  printFindings(context, loaded)
  return loaded
}
