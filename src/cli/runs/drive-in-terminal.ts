import { basename, resolve } from 'node:path'
import type { ApprovalRecord } from '../../approvals/index.js'
import { getRun, graphWorkflow, isEnded, type RunRecord, readRun, runStream } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { isPipelineRun } from '../../pipelines/index.js'
import {
  answererOf,
  answersFromFile,
  CheckpointWriter,
  type DecideInDaemon,
  describeRun,
  driveRun,
  type FollowOptions,
  followRun,
  loadUserModule,
  pauseRun,
  type RunListener,
  readPipeline,
  type StartContext,
  type StartedRun,
  type UserModule,
} from '../../runs/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { visibleText } from '../../text/index.js'
import { decideThroughDaemon } from '../approvals/daemon-decider.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { concludeRun } from './conclude-run.js'
import { gateAnswerer } from './gate-interviewer.js'
import { GraphProgress } from './graph-progress.js'
import { OneshotProgress } from './oneshot-progress.js'
import { PipelineProgress } from './pipeline-progress.js'
import { reportError } from './with-store.js'

export interface DriveFlags {
  json?: boolean | undefined
  /** If false, no gate is asked in this terminal. */
  ask?: boolean | undefined
  checkpointDir?: string | undefined
  /** A JSON file with the answers to the gates. */
  answers?: string | undefined
  /** Another command created the run: only the daemon can tell who may answer its gates. */
  isResumed?: boolean | undefined
}

/** Where a run is driven: the store, and its effective settings. */
type RunContext = Pick<StartContext, 'store' | 'home' | 'env' | 'clock'>

/** Drives a started run here, or follows the daemon's. @returns the exit code. */
export async function driveStarted(
  context: CommandContext,
  { store, env, clock }: StartContext,
  { id, home, driver, notices }: StartedRun,
  flags: DriveFlags,
): Promise<number> {
  if (!flags.json) for (const notice of notices) context.note(notice)
  const runContext = { store, home, env, clock }
  if (driver === 'daemon') {
    if (flags.answers !== undefined || flags.checkpointDir !== undefined)
      context.note('this run is in the daemon: --answers and --checkpoint-dir have no effect')
    return followStarted(context, runContext, id, flags)
  }
  for (let current = id; ; ) {
    const record = await getRun(store, current)
    const printer = printerOf(context, record, flags)
    if (!flags.json) context.out(`${context.style('bold', current)}  ${visibleText(record.title)}`)
    const writer = await checkpointWriter(context, store, current, flags)
    const listener = {
      ...printer,
      event: (event: StoredEvent) => {
        writer?.event(event)
        printer.event(event)
      },
    }
    let final: RunRecord
    try {
      final = await driveInProcess(context, runContext, record, listener, flags)
    } catch (error) {
      // The daemon took it over a moment before.
      if (!isHeldElsewhere(error) || (await getRun(store, current)).labels.host !== 'daemon') throw error
      return followStarted(context, runContext, current, flags)
    }
    const successor = await successorOf(store, final)
    if (successor === null) return concludeRun(context, runContext, final, flags)
    if (!flags.json) context.out(context.style('yellow', `  the run continues as ${successor}`))
    current = successor
  }
}

function isHeldElsewhere(error: unknown): boolean {
  return error instanceof SignalboxError && error.code === 'E_LEASE'
}

/** Writes the checkpoints of a run so far, and then each one as soon as it is saved. */
async function checkpointWriter(
  { cwd }: CommandContext,
  store: EventStore,
  run: string,
  { checkpointDir }: DriveFlags,
): Promise<CheckpointWriter | null> {
  if (checkpointDir === undefined) return null
  const writer = new CheckpointWriter(resolve(cwd, checkpointDir))
  for (const event of await store.readStream(runStream(run))) writer.event(event)
  return writer
}

/** Prints the id of a run that the daemon or `resume` will drive. */
export function printQueued(
  context: CommandContext,
  id: string,
  { json, ahead, isDetached }: { json?: boolean | undefined; ahead?: number; isDetached: boolean },
): number {
  if (json) context.json({ run: id, status: 'queued', ...(ahead !== undefined && { ahead }) })
  else {
    context.out(id)
    context.note(
      isDetached
        ? `the daemon runs it; signalbox logs -f ${id} follows it, signalbox cancel ${id} cancels it`
        : `queued behind ${ahead ?? 0}; start it: signalbox resume ${id}, or all: signalbox resume --queued`,
    )
  }
  return EXIT.ok
}

async function driveInProcess(
  context: CommandContext,
  runContext: RunContext,
  record: RunRecord,
  printer: Pick<RunListener, 'event' | 'activity'>,
  flags: DriveFlags,
): Promise<RunRecord> {
  const { id } = record
  const module = await userModuleOf(context, runContext, record)
  const answerer = await answererFor(context, runContext, record, flags, module)
  // The run may have ended when the signal arrives. Its child runs are paused after it.
  let pausing = Promise.resolve()
  const restore = onInterrupt(signal => {
    context.note(`interrupting; resume with: signalbox resume ${id}`)
    const reason = signal === 'SIGINT' ? 'sigint' : 'sigterm'
    pausing = pauseRun(runContext, id, { by: 'local', reason }).catch(() => undefined)
  })
  try {
    return await driveRun(
      runContext,
      id,
      { ...printer, ...answerer },
      {
        stays: record.kind === 'graph' ? answerer !== null : context.isInteractive,
        handlers: module?.handlers,
        functions: module?.functions,
        onError: error => reportError(context, error),
      },
    )
  } finally {
    await pausing
    restore()
  }
}

/**
 * Who answers gates here: a file, the user's module, or the person at the terminal; else no one.
 * The daemon decides what they answer, because anything may type into a terminal. Answers from a
 * file that came with the run are part of it, as `--auto-approve` is: they are decided here.
 */
async function answererFor(
  context: CommandContext,
  runContext: RunContext,
  record: RunRecord,
  flags: DriveFlags,
  module: UserModule | null,
): Promise<Pick<RunListener, 'answerGate' | 'decide'> | null> {
  if (record.kind !== 'graph') return null
  const { answers, isResumed } = flags
  const decide: DecideInDaemon = (gate, decision) => decideThroughDaemon(context, gate, decision)
  const scripted = answers === undefined ? module?.interviewer : answersFromFile(resolve(context.cwd, answers))
  if (scripted) {
    const { id, name } = localPerson()
    const source = basename(answers ?? module!.file)
    const answerGate = answererOf(scripted, { id, name: `${name} (${source})` }, text => context.note(text))
    return { answerGate, ...(isResumed && { decide }) }
  }
  return mayAskHere(context, flags) && !(await isPlanOnly(runContext, record))
    ? { answerGate: gateAnswerer(context), decide }
    : null
}

/** Whether a person at this terminal is asked. */
function mayAskHere({ isInteractive }: CommandContext, { ask, json }: DriveFlags): boolean {
  return isInteractive && ask !== false && !json
}

/** With `--plan-only` the command returns when the plan waits for approval. */
async function isPlanOnly({ store, home }: RunContext, record: RunRecord): Promise<boolean> {
  return isPipelineRun(record) && (await readPipeline(store, home.settings.dataDirectory, record)).args.planOnly
}

/** The module of the run, as long as it is the one that the person trusts. */
async function userModuleOf({ cwd }: CommandContext, { store, home }: RunContext, record: RunRecord) {
  if (record.kind !== 'graph') return null
  const { handlers } = (await readRun(store, record.id, graphWorkflow)).run.work.input
  return handlers ? loadUserModule({ store, home, cwd, person: 'local', asker: null }, handlers.file) : null
}

/** The run that replaces one that restarted itself. */
async function successorOf(store: EventStore, record: RunRecord): Promise<string | null> {
  if (record.status !== 'completed' || record.reason !== 'restarted') return null
  const last = (await store.readStream(runStream(record.id))).find(({ type }) => type === 'run.completed')
  return typeof last?.data.successor === 'string' ? last.data.successor : null
}

/** Follows a run until it ends or is paused, then prints how it ended. @returns the exit code. */
export async function followStarted(
  context: CommandContext,
  runContext: RunContext,
  id: string,
  flags: DriveFlags,
): Promise<number> {
  const record = await getRun(runContext.store, id)
  if (!flags.json) context.out(`${context.style('bold', id)}  ${visibleText(record.title)}`)
  const endsAtGates = flags.isResumed === true && !mayAskHere(context, flags)
  const final = await followInTerminal(context, runContext, record, {
    step: null,
    isFollowing: true,
    isResumed: flags.isResumed === true,
    endsAtGates,
    json: flags.json,
  })
  const { isUndriven } = await describeRun(runContext, final)
  const isAtGate = endsAtGates && final.status === 'waiting'
  if (!isEnded(final.status) && final.status !== 'paused' && !isUndriven && !isAtGate) return EXIT.ok
  return concludeRun(context, runContext, final, flags)
}

/** Prints what happened in a run, and follows it. Ctrl-C stops only the printing. */
export async function followInTerminal(
  context: CommandContext,
  runContext: Omit<RunContext, 'env'>,
  record: RunRecord,
  { json, ...options }: Omit<FollowOptions, 'signal'> & Pick<DriveFlags, 'json'>,
): Promise<RunRecord> {
  const stop = new AbortController()
  const restore = onInterrupt(async () => {
    stop.abort()
    context.note(`run ${record.id} continues; signalbox cancel ${record.id} cancels it`)
  })
  const printer = json ? jsonPrinter(context, { hasActivities: true }) : progressOf(context, record)
  try {
    const asks = (request: ApprovalRecord) => printRequest(context, request, json === true)
    return await followRun(runContext, record, { ...printer, asks }, { ...options, signal: stop.signal })
  } finally {
    restore()
  }
}

/** An agent of the run waits for a person. */
function printRequest(context: CommandContext, { id, display, subject }: ApprovalRecord, isJson: boolean): void {
  if (isJson)
    return context.json({ type: 'asks', approval: id, title: display.title, session: subject.session ?? null })
  const attach = subject.session === undefined ? '' : `, or signalbox attach ${subject.session}`
  context.out(context.style('yellow', `  ◆ waits for you: ${visibleText(display.title)}`))
  context.out(context.style('yellow', `    signalbox approve ${id}${attach}`))
}

function printerOf(context: CommandContext, record: RunRecord, { json }: DriveFlags) {
  return json ? jsonPrinter(context, { hasActivities: record.kind === 'oneshot' }) : progressOf(context, record)
}

function jsonPrinter(
  context: CommandContext,
  { hasActivities }: { hasActivities: boolean },
): Pick<RunListener, 'event' | 'activity'> {
  return {
    event: event => context.json(event),
    activity: activity => hasActivities && context.json({ type: 'activity', data: activity }),
  }
}

function progressOf(context: CommandContext, record: RunRecord): Pick<RunListener, 'event' | 'activity'> {
  const progress =
    record.kind === 'oneshot'
      ? new OneshotProgress(context)
      : isPipelineRun(record)
        ? new PipelineProgress(context)
        : new GraphProgress(context)
  return { event: event => progress.event(event), activity: activity => progress.activity(activity) }
}

/**
 * The first signal interrupts the run cleanly, the second exits at once: the journal is complete.
 */
function onInterrupt(first: (signal: NodeJS.Signals) => void): () => void {
  let count = 0
  const handle = (signal: NodeJS.Signals) => {
    count++
    if (count === 1) first(signal)
    else process.exit(EXIT.interrupted)
  }
  process.on('SIGINT', handle)
  process.on('SIGTERM', handle)
  return () => {
    process.off('SIGINT', handle)
    process.off('SIGTERM', handle)
  }
}
