import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Clock, Timer } from '../../clock/index.js'
import { toSignalboxError } from '../../errors/index.js'
import { newEvent } from '../../events/index.js'
import { AttributeReader, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES } from '../../graph/index.js'
import type { Performer, Recovery, StepCall, StepEnd } from '../workflow.js'
import { Artifacts, VALUE_MAX } from './artifacts.js'
import { ensureWorkspace } from './branch-workspace.js'
import { commitStep } from './commit-step.js'
import type { NodeOutcome } from './graph-run.js'
import { type GraphStep, graphStep } from './graph-step.js'
import { MAIN } from './graph-work.js'

export interface NodeStepsOptions {
  clock: Clock
  runDirectory(run: string): string
}

/** Longer than ending a process group takes, killing included. */
const STOP_GRACE_MS = 30_000

/**
 * What every node's step has in common, around the handler that does the work: its worktree is there before it begins, silence of the whole
 * run is noticed, files it must have written are looked for, what it changed is committed, and what it says fits into the journal.
 */
export class NodeSteps implements Performer {
  readonly #handler: Performer
  readonly #options: NodeStepsOptions
  readonly #signs: SignsOfLife

  constructor(handler: Performer, options: NodeStepsOptions, signs: SignsOfLife) {
    this.#handler = handler
    this.#options = options
    this.#signs = signs
  }

  async run(call: StepCall): Promise<StepEnd> {
    await this.#prepare(call, graphStep(call))
    return this.#watched(call, lively => this.#handler.run(lively))
  }

  /** After a take-over: a step that outlived its host is finished as if this one had begun it. */
  async adopt(call: StepCall): Promise<{ end: Promise<StepEnd> } | null> {
    if (!this.#handler.adopt) return null
    await this.#prepare(call, graphStep(call))
    const adopted = await this.#handler.adopt(call)
    return adopted && { end: this.#watched(call, () => adopted.end) }
  }

  async abandon(call: StepCall): Promise<void> {
    await this.#handler.abandon?.(call)
  }

  /** Until it ends, or nothing happens in the run for too long. */
  async #watched(call: StepCall, begin: (lively: StepCall) => Promise<StepEnd>): Promise<StepEnd> {
    const step = graphStep(call)
    const abort = new AbortController()
    const stop = () => abort.abort(call.signal.reason)
    call.signal.addEventListener('abort', stop, { once: true })
    let isStalled = false
    const stallMs = new AttributeReader(step.graph.attributes, GRAPH_ATTRIBUTES).durationMs('stall_timeout') ?? 0
    const deaf = this.#deaf(abort.signal)
    const watch = this.#signs.watch(call.run, stallMs, () => {
      isStalled = true
      abort.abort(new Error('nothing happens'))
    })
    // It may have been stopped while it was prepared.
    if (call.signal.aborted) stop()
    try {
      const work = begin(this.#lively(call, abort.signal)).catch(error => {
        if (call.signal.aborted) throw error
        return threw(error)
      })
      const end = await Promise.race([work, deaf.end])
      if (isStalled) return stalled(step, stallMs)
      return { ...end, result: await this.#finish(call, step, end) }
    } finally {
      watch.cancel()
      deaf.cancel()
      call.signal.removeEventListener('abort', stop)
    }
  }

  /** A handler that does not listen when it is told to stop is left behind after a while: what it still says is not heard. */
  #deaf(signal: AbortSignal): { end: Promise<StepEnd>; cancel(): void } {
    let timer: Timer | null = null
    let begin: () => void = () => undefined
    const end = new Promise<StepEnd>(resolve => {
      const giveUp = () => resolve(threw(new Error('the handler was told to stop, and did not')))
      begin = () => {
        timer = this.#options.clock.setTimer(STOP_GRACE_MS, giveUp)
      }
      signal.addEventListener('abort', begin, { once: true })
    })
    // A timer that is left behind would keep the program from ending.
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
    await ensureWorkspace(step.work, cursor)
    this.#rememberFiles(call, step)
  }

  async #finish(call: StepCall, step: GraphStep, end: StepEnd): Promise<NodeOutcome> {
    const outcome =
      (end.result as NodeOutcome | undefined) ??
      ({ status: 'fail', failure_reason: end.reason ?? 'the handler gave no outcome' } satisfies NodeOutcome)
    if (outcome.isDeath || outcome.question) return outcome
    return this.#complete(call, step, outcome)
  }

  async #complete(call: StepCall, step: GraphStep, outcome: NodeOutcome): Promise<NodeOutcome> {
    const checked = this.#checkFiles(call, step, outcome)
    const commit = checked.commit ?? (await commitStep(call, step, checked.status))
    return this.#fit(call, commit === null ? checked : { ...checked, commit })
  }

  // — must_write —

  /** Kept with the first attempt of a visit: what a later one finds written by it counts. */
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
      failure_reason: `it should have written ${missing.join(', ')}, and did not`,
      failure_class: 'unknown',
    }
  }

  // — what fits into the journal —

  #fit(call: StepCall, outcome: NodeOutcome): NodeOutcome {
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
      else call.notice('warning', `the value of ${key} is no JSON; it was dropped`)
    }
    const { response } = outcome
    const said = response === undefined ? undefined : keep(`response.${graphStep(call).node.id}`, response)
    const isBig = typeof said === 'object'
    return {
      ...outcome,
      ...(outcome.context_updates && { context_updates: updates }),
      ...(isBig && {
        response: response!.slice(0, 200),
        context_updates: { ...updates, [`response.${graphStep(call).node.id}`]: said },
      }),
    }
  }

  /** The call as the handler sees it: whatever it tells of is a sign of life. */
  #lively(call: StepCall, signal: AbortSignal): StepCall {
    const seen = () => this.#signs.seen(call.run)
    return {
      ...call,
      signal,
      spent: usage => {
        seen()
        call.spent(usage)
      },
      notice: (level, text) => {
        seen()
        call.notice(level, text)
      },
      record: event => {
        seen()
        call.record(event)
      },
    }
  }
}

/** When something last happened in each run that is driven here. */
export class SignsOfLife {
  readonly #clock: Clock
  readonly #last = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  seen(run: string): void {
    this.#last.set(run, this.#clock.monotonic())
  }

  /** Calls back once nothing has happened in the run for so long; 0 never does. */
  watch(run: string, ms: number, onSilence: () => void): Timer {
    this.seen(run)
    let timer: Timer | null = null
    const look = () => {
      const left = (this.#last.get(run) ?? 0) + ms - this.#clock.monotonic()
      if (left <= 0) onSilence()
      else timer = this.#clock.setTimer(left, look)
    }
    if (ms > 0) timer = this.#clock.setTimer(ms, look)
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
    failure_reason: `nothing happened for ${ms / 1000} s while "${node.id}" ran`,
    failure_class: 'timeout',
    isStalled: true,
  }
  return { status: 'silent', result, reason: 'stalled' }
}

function threw(error: unknown): StepEnd {
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
