import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  checkpointsOf,
  getRun,
  graphWorkflow,
  isEnded,
  type RunRecord,
  readRun,
  runStream,
} from '../../engine/index.js'
import { EXIT } from '../../errors/index.js'
import type { RunGates } from '../../runs/index.js'
import type { EventStore } from '../../store/index.js'
import { formatDuration, plural } from '../../text/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import type { Home } from '../home.js'
import { driveHere, tellAs } from '../runs/drive-here.js'
import { followRun } from '../runs/follow-run.js'
import { GraphProgress } from '../runs/graph-progress.js'
import { runExit } from '../runs/run-exit.js'
import { ConsoleInterviewer, GateGone } from './console-interviewer.js'
import { loadUserModule } from './user-module.js'

/** Drives a run of a graph in this process, and the runs it goes on as, and tells the person. @returns the exit code. */
export async function driveGraph(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  options: Record<string, unknown>,
): Promise<number> {
  for (let current = id; ; ) {
    const record = await getRun(store, current)
    const progress = options.json ? null : new GraphProgress(context)
    if (progress) context.out(`${context.style('bold', current)}  ${record.title}`)
    const { work } = (await readRun(store, current, graphWorkflow)).run
    const file = work.input.handlers?.file
    const module = file === undefined ? null : await loadUserModule(context.cwd, file)
    const mayAsk = context.isInteractive && options.ask !== false && !options.json
    const final = await driveHere(
      context,
      store,
      home,
      current,
      { ...tellAs(context, progress), ...(mayAsk && { answerGate: askHere(context) }) },
      { ...(module && { handlers: module.handlers, functions: module.functions }), stays: mayAsk },
    )
    if (options.checkpointDir !== undefined)
      await writeCheckpoints(store, current, resolve(context.cwd, String(options.checkpointDir)))
    const successor = await successorOf(store, final)
    if (successor === null) {
      conclude(context, final, options)
      return runExit(final)
    }
    if (progress) context.out(context.style('yellow', `  the run goes on as ${successor}`))
    current = successor
  }
}

/** Watches a run that the daemon drives, because agents of it work in the daemon's terminals. @returns the exit code. */
export async function followGraph(
  context: CommandContext,
  store: EventStore,
  home: Home,
  id: string,
  options: Record<string, unknown>,
): Promise<number> {
  const record = await getRun(store, id)
  const isJson = options.json === true
  if (!isJson) context.out(`${context.style('bold', id)}  ${record.title}`)
  const final = await followRun(context, store, home, record, { step: null, isFollowing: true, isJson })
  if (!isEnded(final.status) && final.status !== 'paused') return EXIT.ok
  conclude(context, final, options)
  return runExit(final)
}

function askHere(context: CommandContext) {
  return async (gates: RunGates, approval: string, signal: AbortSignal): Promise<void> => {
    try {
      await gates.interview(approval, new ConsoleInterviewer(context, signal), localPerson())
    } catch (error) {
      if (!(error instanceof GateGone)) throw error
    }
  }
}

/** The run that takes the place of one that began anew. */
async function successorOf(store: EventStore, record: RunRecord): Promise<string | null> {
  if (record.status !== 'completed' || record.reason !== 'restarted') return null
  const last = (await store.readStream(runStream(record.id))).find(({ type }) => type === 'run.completed')
  return typeof last?.data.successor === 'string' ? last.data.successor : null
}

/** `checkpoint_<ms>.json` for each, and the newest as `checkpoint.json`. */
export async function writeCheckpoints(store: EventStore, id: string, directory: string): Promise<number> {
  const found = checkpointsOf(await store.readStream(runStream(id)))
  mkdirSync(directory, { recursive: true })
  let before = 0
  for (const { checkpoint } of found) {
    // Several in one millisecond keep their order in their names.
    before = Math.max(before + 1, Math.round(checkpoint.timestamp))
    writeFileSync(join(directory, `checkpoint_${before}.json`), `${JSON.stringify(checkpoint, null, 2)}\n`)
  }
  const newest = found.at(-1)
  if (newest) writeFileSync(join(directory, 'checkpoint.json'), `${JSON.stringify(newest.checkpoint, null, 2)}\n`)
  return found.length
}

function conclude(context: CommandContext, record: RunRecord, options: Record<string, unknown>): void {
  if (options.json) {
    context.json({ type: 'outcome', run: record.id, status: record.status, reason: record.reason, usage: record.usage })
    return
  }
  const colour = record.status === 'completed' ? 'green' : record.status === 'failed' ? 'red' : 'yellow'
  const why = record.reason && record.status !== 'completed' ? ` (${record.reason})` : ''
  const took = formatDuration((record.endedAt ?? record.updatedAt) - record.createdAt)
  const cost = record.usage.costUsd === undefined ? '' : ` · $${record.usage.costUsd.toFixed(4)}`
  context.out('')
  context.out(
    `${context.style(colour, context.style('bold', record.status))}${why} · ${plural(record.steps, 'step')} · ${took}${cost}`,
  )
  if (record.status === 'waiting') {
    for (const approval of Object.values(record.gates)) context.note(`answer with: signalbox answer ${approval} …`)
    context.note(`then go on with: signalbox resume ${record.id}`)
  }
  if (record.status === 'paused' || record.status === 'failed')
    context.note(`go on with: signalbox resume ${record.id}`)
}
