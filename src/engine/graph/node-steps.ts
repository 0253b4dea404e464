import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Clock, Timer } from '../../clock/index.js'
import { toSignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { AttributeReader, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../../graph/index.js'
import { isStoreLost } from '../../store/index.js'
import type { Performer, Recovery, StepCall, StepEnd } from '../workflow.js'
import { Artifacts, VALUE_MAX } from './artifacts.js'
import { ensureBranchWorkspace } from './branch-workspace.js'
import { commitStep } from './commit-step.js'
import type { NodeOutcome } from './graph-run.js'
import { type GraphStep, graphStep } from './graph-step.js'
import { MAIN } from './graph-work.js'

export interface NodeStepsOptions {
  clock: Clock
  runDirectory(run: string): string
}

/** Longer than it takes to end a process group, including the kill. */
const STOP_GRACE_MS = 30_000

/**
 * What the steps of all nodes have in common, around the handler that does the work: it creates the
 * worktree first, detects a stalled run, checks for files that must be written, commits the
 * changes, and keeps the outcome small enough for the journal.
 */
export class NodeSteps implements Performer {
  readonly #handler: Performer
  readonly #options: NodeStepsOptions
  readonly #stalls: StallDetector

  constructor(handler: Performer, options: NodeStepsOptions, stalls: StallDetector) {
    this.#handler = handler
    this.#options = options
    this.#stalls = stalls
  }

  async run(call: StepCall): Promise<StepEnd> {
    await this.#prepare(call, graphStep(call))
    return this.#runUntilStalled(call, tracked => this.#handler.run(tracked))
  }

  /** After a take-over: finishes a step that outlived its host as if this host had started it. */
  async takeOver(call: StepCall): Promise<{ end: Promise<StepEnd> } | null> {
    if (!this.#handler.takeOver) return null
    await this.#prepare(call, graphStep(call))
    const taken = await this.#handler.takeOver(call)
    return taken && { end: this.#runUntilStalled(call, () => taken.end) }
  }

  async abandon(call: StepCall): Promise<void> {
    await this.#handler.abandon?.(call)
  }

  /** Runs until the step ends, or until the whole run has made no progress for too long. */
  async #runUntilStalled(call: StepCall, begin: (tracked: StepCall) => Promise<StepEnd>): Promise<StepEnd> {
    const step = graphStep(call)
    const abort = new AbortController()
    const stop = () => abort.abort(call.signal.reason)
    call.signal.addEventListener('abort', stop, { once: true })
    let isStalled = false
    const stallMs = new AttributeReader(step.graph.attributes, GRAPH_ATTRIBUTES).durationMs('stall_timeout') ?? 0
    const unresponsive = this.#giveUpAfterAbort(abort.signal)
    const watch = this.#stalls.watch(call.run, stallMs, () => {
      isStalled = true
      abort.abort(new Error('no progress'))
    })
    // It may have been stopped during preparation.
    if (call.signal.aborted) stop()
    try {
      const work = begin(this.#withProgress(call, abort.signal)).catch(error => {
        if (call.signal.aborted || isStoreLost(error)) throw error
        return thrownEnd(error)
      })
      const end = await Promise.race([work, unresponsive.end])
      if (isStalled) return stalled(step, stallMs)
      return { ...end, result: await this.#finish(call, step, end) }
    } finally {
      watch.cancel()
      unresponsive.cancel()
      call.signal.removeEventListener('abort', stop)
    }
  }

  /** Gives up on a handler that does not react to the abort signal; its later result is ignored. */
  #giveUpAfterAbort(signal: AbortSignal): { end: Promise<StepEnd>; cancel(): void } {
    let timer: Timer | null = null
    let begin: () => void = () => undefined
    const end = new Promise<StepEnd>(resolve => {
      const giveUp = () => resolve(thrownEnd(new Error('the handler did not stop when asked to')))
      begin = () => {
        timer = this.#options.clock.setTimer(STOP_GRACE_MS, giveUp)
      }
      signal.addEventListener('abort', begin, { once: true })
    })
    // A leftover timer would keep the process from exiting.
    const cancel = () => {
      signal.removeEventListener('abort', begin)
      timer?.cancel()
    }
    return { end, cancel }
  }

  async recover(call: StepCall): Promise<Recovery> {
    const step = graphStep(call)
    if (!this.#handler.recover) return { verdict: 'nothing', evidence: [] }
    await this.#prepare(call, step)
    const recovery = await this.#handler.recover(call)
    if (recovery.verdict !== 'success') return recovery
    const found = (recovery.result as NodeOutcome | undefined) ?? { status: 'success', response: recovery.text ?? '' }
    return { ...recovery, result: found.question ? found : await this.#complete(call, step, found) }
  }

  async #prepare(call: StepCall, step: GraphStep): Promise<void> {
    const cursor = step.work.cursors.get(step.cursor.id) ?? step.work.cursors.get(MAIN)!
    await ensureBranchWorkspace(step.work, cursor)
    this.#rememberFiles(call, step)
  }

  async #finish(call: StepCall, step: GraphStep, end: StepEnd): Promise<NodeOutcome> {
    const outcome =
      (end.result as NodeOutcome | undefined) ??
      ({ status: 'fail', failure_reason: end.reason ?? 'the handler returned no outcome' } satisfies NodeOutcome)
    if (outcome.isDeath || outcome.question) return outcome
    return this.#complete(call, step, outcome)
  }

  async #complete(call: StepCall, step: GraphStep, outcome: NodeOutcome): Promise<NodeOutcome> {
    const checked = this.#checkFiles(call, step, outcome)
    const commit = checked.commit ?? (await commitStep(call, step, checked.status))
    return this.#limitSize(call, commit === null ? checked : { ...checked, commit })
  }

  // — must_write —

  /** Stored with a visit's first attempt: its files count for later attempts. */
  #filesRecord(call: StepCall, { cursor, visit }: GraphStep): string {
    const name = `${cursor.id}/${cursor.node}@${visit}`.replaceAll('/', '~')
    return join(this.#options.runDirectory(call.run), 'steps', `${name}.must-write.json`)
  }

  #rememberFiles(call: StepCall, step: GraphStep): void {
    const paths = mustWrite(step)
    if (paths.length === 0) return
    const file = this.#filesRecord(call, step)
    if (existsSync(file)) return
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(file, JSON.stringify(hashes(step.cwd, paths)), { mode: 0o600 })
  }

  #checkFiles(call: StepCall, step: GraphStep, outcome: NodeOutcome): NodeOutcome {
    const paths = mustWrite(step)
    if (paths.length === 0 || (outcome.status !== 'success' && outcome.status !== 'partial_success')) return outcome
    const before = JSON.parse(readFileSync(this.#filesRecord(call, step), 'utf8')) as Record<string, string | null>
    const now = hashes(step.cwd, paths)
    const missing = paths.filter(path => now[path] === null || now[path] === before[path])
    if (missing.length === 0) return outcome
    return {
      ...outcome,
      status: 'fail',
      failure_reason: `the step did not write ${missing.join(', ')} (must_write)`,
      failure_class: 'unknown',
    }
  }

  // — keeping the journal small —

  #limitSize(call: StepCall, outcome: NodeOutcome): NodeOutcome {
    const store = new Artifacts(join(this.#options.runDirectory(call.run), 'artifacts'))
    const keep = (name: string, value: unknown): unknown => {
      if (Buffer.byteLength(JSON.stringify(value) ?? '') <= VALUE_MAX) return value
      const reference = store.put(name, value, this.#options.clock.now())
      const { artifact, size } = reference
      call.record(newEvent('artifact.stored', { artifact, name, bytes: size, step: call.step }))
      return reference
    }
    const updates: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(outcome.context_updates ?? {})) {
      if (isJson(value)) updates[key] = keep(key, value)
      else call.notice('warning', `the value of ${key} is not JSON; it was dropped`)
    }
    const { response } = outcome
    const kept = response === undefined ? undefined : keep(`response.${graphStep(call).node.id}`, response)
    const isBig = typeof kept === 'object'
    return {
      ...outcome,
      ...(outcome.context_updates && { context_updates: updates }),
      ...(isBig && {
        response: response!.slice(0, 200),
        context_updates: { ...updates, [`response.${graphStep(call).node.id}`]: kept },
      }),
    }
  }

  /** The call as the handler sees it: everything it reports counts as progress. */
  #withProgress(call: StepCall, signal: AbortSignal): StepCall {
    const noteProgress = () => this.#stalls.noteProgress(call.run)
    return {
      ...call,
      signal,
      spent: usage => {
        noteProgress()
        call.spent(usage)
      },
      notice: (level, text) => {
        noteProgress()
        call.notice(level, text)
      },
      record: event => {
        noteProgress()
        call.record(event)
      },
    }
  }
}

/** When each run driven here last made progress. */
export class StallDetector {
  readonly #clock: Clock
  readonly #last = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  noteProgress(run: string): void {
    this.#last.set(run, this.#clock.monotonic())
  }

  /** Calls back once the run has made no progress for this long; 0 disables it. */
  watch(run: string, ms: number, onSilence: () => void): Timer {
    this.noteProgress(run)
    let timer: Timer | null = null
    const check = () => {
      const left = (this.#last.get(run) ?? 0) + ms - this.#clock.monotonic()
      if (left <= 0) onSilence()
      else timer = this.#clock.setTimer(left, check)
    }
    if (ms > 0) timer = this.#clock.setTimer(ms, check)
    return { cancel: () => timer?.cancel() }
  }
}

function mustWrite({ node }: GraphStep): string[] {
  return new AttributeReader(node.attributes, NODE_ATTRIBUTES).names('must_write')
}

function hashes(cwd: string, paths: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    paths.map(path => {
      try {
        return [
          path,
          createHash('sha256')
            .update(readFileSync(resolve(cwd, path)))
            .digest('hex'),
        ]
      } catch {
        return [path, null]
      }
    }),
  )
}

function stalled({ node }: GraphStep, ms: number): StepEnd {
  const result: NodeOutcome = {
    status: 'fail',
    failure_reason: `no progress for ${ms / 1000} s while "${node.id}" ran`,
    failure_class: 'timeout',
    isStalled: true,
  }
  return { status: 'silent', result, reason: 'stalled' }
}

function thrownEnd(error: unknown): StepEnd {
  const result: NodeOutcome = {
    status: 'fail',
    failure_reason: toSignalboxError(error).message,
    failure_class: 'unknown',
  }
  return { status: 'failed', result }
}

function isJson(value: unknown): boolean {
  if (value === null || ['string', 'boolean'].includes(typeof value)) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value !== 'object') return false
  const prototype = Object.getPrototypeOf(value) as unknown
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson)
}
