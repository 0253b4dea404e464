import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ApprovalRecord, approvalsProjection, type Ledger, type ProposedDecision } from '../../approvals/index.js'
import { type Clock, newId, newNonce } from '../../clock/index.js'
import {
  type Checkpoint,
  checkpointsOf,
  type GraphWork,
  getRun,
  graphWorkflow,
  type InterviewQuestion,
  isEngineKey,
  MAIN,
  parseInterviewAnswer,
  questionOf,
  type RunRecord,
  readRun,
  runStream,
  type Usage,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { type Diagnostic, textOf } from '../../graph/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { cancelRun } from '../cancel-run.js'
import { describeRun } from '../describe-run.js'
import { drawingOf, drawSvg } from '../graphs/draw-run.js'
import { loadGraph } from '../graphs/load-graph.js'
import { type GraphOptions, startGraph } from '../graphs/start-graph.js'
import { daemonContext } from '../start-context.js'
import { type AttractorEvent, AttractorEventMapper, isAfter, isLast } from './attractor-events.js'

export interface AttractorOptions {
  store: EventStore
  clock: Clock
  /** The ledger of this process: a decision is made through it, and only once. */
  ledger: Ledger
  drawTimeoutMs?: number
}

export interface NewPipeline extends Pick<GraphOptions, 'inputs' | 'agent' | 'model' | 'labels' | 'trust'> {
  dot: string
  /** The directory it works in; an empty one of its own by default. */
  project?: string | undefined
}

export interface PipelineStatus {
  id: string
  status: 'running' | 'completed' | 'failed' | 'cancelled'
  /** The run does nothing until a person answers, a time comes, or it is resumed. */
  waiting?: true
  current_node: string | null
  completed_nodes: string[]
  outcome: 'success' | 'fail' | null
  reason: string | null
  usage: Usage
  /** The run that continues this one after a `loop_restart`. */
  successor?: string
}

export type PipelineQuestion = Pick<InterviewQuestion, 'id' | 'text' | 'type' | 'options' | 'stage' | 'fingerprint'>

/** The person who answers, the surface, and when they last confirmed their identity. */
export type AttractorAnswerer = Pick<ProposedDecision, 'actor' | 'surface' | 'confirmedAt'>

/**
 * The HTTP API of attractor over graph runs, which attractor calls pipelines. Each method is one
 * route; the code of an error decides the HTTP status (`E_GRAPH` 422, `E_UNTRUSTED` 403,
 * `E_UNKNOWN` 404, `E_STATE` and `E_APPROVAL_DECIDED` 409, `E_APPROVAL_OPTION` 422).
 */
export class AttractorApi {
  readonly #options: AttractorOptions

  constructor(options: AttractorOptions) {
    this.#options = options
  }

  /**
   * Creates a run that the daemon drives.
   * @throws SignalboxError `E_GRAPH` with every diagnostic, `E_UNTRUSTED` with the hash to name,
   * `E_INPUT` for missing inputs.
   */
  async create(
    base: Parameters<typeof daemonContext>[0],
    { dot, project, ...options }: NewPipeline,
  ): Promise<{ id: string; status: 'running'; diagnostics: Diagnostic[] }> {
    const id = newId('run')
    const { dataDirectory } = base.home.settings
    const own = join(dataDirectory, 'runs', id)
    const context = daemonContext(base, project ?? createDirectory(join(own, 'work')))
    try {
      const loaded = await loadGraph(context, { text: dot, path: null, name: 'the graph' })
      const labels = { ...options.labels, surface: 'attractor' }
      // Every run without a project works in a directory of its own, but a text that was trusted
      // once stays trusted.
      const trustDirectory = project ?? createDirectory(join(dataDirectory, 'graphs'))
      await startGraph(context, loaded, { ...options, id, labels, isDetached: true, trustDirectory })
      const diagnostics = loaded.diagnostics.filter(({ severity }) => severity === 'warning')
      return { id, status: 'running', diagnostics }
    } catch (error) {
      // A refused request leaves nothing behind.
      rmSync(own, { recursive: true, force: true })
      throw error
    }
  }

  async status(id: string): Promise<PipelineStatus> {
    const { record, work } = await this.#read(id)
    const status = STATUS[record.status] ?? 'running'
    const { isUndriven, why } = await describeRun(this.#options, record)
    const successor = record.reason === 'restarted' ? await this.#successor(record.id) : null
    return {
      id: record.id,
      status,
      ...((isUndriven || ['waiting', 'paused'].includes(record.status)) && { waiting: true as const }),
      current_node: work.cursors.get(MAIN)?.node ?? null,
      completed_nodes: [...new Set(work.finished.map(({ node }) => node))],
      outcome: status === 'running' ? null : status === 'completed' ? 'success' : 'fail',
      reason: why ?? record.reason,
      usage: record.usage,
      ...(successor !== null && { successor }),
    }
  }

  /**
   * Every event after `since`, including later ones; ends with the run's last event or with the
   * signal.
   */
  async *events(
    id: string,
    { since = null, signal }: { since?: string | null; signal?: AbortSignal } = {},
  ): AsyncGenerator<AttractorEvent> {
    const { store } = this.#options
    const { record } = await this.#read(id)
    const stream = runStream(record.id)
    const mapper = new AttractorEventMapper()
    let version = 0
    let wake: () => void = () => undefined
    const subscription = store.subscribe({ after: await store.head() }, events => {
      if (events.some(event => event.stream === stream)) wake()
    })
    const stop = () => wake()
    signal?.addEventListener('abort', stop)
    try {
      for (;;) {
        const woken = new Promise<void>(resolve => {
          wake = resolve
        })
        const events: StoredEvent[] = await store.readStream(stream, { fromVersion: version + 1 })
        for (const event of events) {
          version = event.version
          for (const mapped of mapper.map(event)) {
            if (signal?.aborted) return
            if (isAfter(mapped.id, since)) yield mapped
            if (isLast(mapped.event)) return
          }
        }
        if (signal?.aborted) return
        if (events.length === 0) await woken
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      subscription.close()
    }
  }

  /** @throws SignalboxError `E_STATE` when it has ended. */
  async cancel(id: string, { by, reason = 'cancelled' }: { by: string; reason?: string }): Promise<void> {
    const { record } = await this.#read(id)
    await cancelRun(this.#options, record.id, { by, reason })
  }

  /** The graph of the run as SVG, coloured by what happened. */
  async graph(id: string): Promise<string> {
    const { store, drawTimeoutMs } = this.#options
    const { record, work } = await this.#read(id)
    const drawing = drawingOf(await store.readStream(runStream(record.id)), await describeRun(this.#options, record))
    return (await drawSvg(work.graph, drawing, drawTimeoutMs === undefined ? {} : { timeoutMs: drawTimeoutMs })).svg
  }

  async questions(id: string): Promise<PipelineQuestion[]> {
    const { record, work } = await this.#read(id)
    const asked = await Promise.all(Object.values(record.gates).map(approval => this.#approval(approval)))
    return asked
      .filter(approval => approval?.state === 'pending')
      .map(approval => {
        const { takesText: _, ...question } = questionFor(approval!, work)
        return question
      })
  }

  /**
   * @throws SignalboxError `E_APPROVAL_OPTION`, `E_APPROVAL_DECIDED` (late, second, or after the
   * run's end), `E_APPROVAL_CHANGED`.
   */
  async answer(
    id: string,
    question: string,
    { value, text, fingerprint }: { value?: string; text?: string; fingerprint?: string },
    answerer: AttractorAnswerer,
  ): Promise<void> {
    const { record, work } = await this.#read(id)
    const approval = await this.#approval(question)
    if (!approval || approval.subject.run !== record.id || approval.source.channel !== 'run')
      throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no question "${question}"`, {
        next: `GET /pipelines/${record.id}/questions lists them`,
      })
    if (['cancelled', 'expired'].includes(approval.state))
      throw new SignalboxError('E_STATE', `the question is ${approval.state} and takes no answer`)
    const asked = questionFor(approval, work)
    const given = value ?? text ?? ''
    const answer =
      value === undefined && text !== undefined && asked.takesText ? { text } : parseInterviewAnswer(asked, given)
    if (!answer || 'skipped' in answer)
      throw new SignalboxError('E_APPROVAL_OPTION', `"${given.slice(0, 100)}" is not one of the answers`, {
        next: `use one of ${asked.options.map(({ key, label }) => `${key} (${label})`).join(', ') || 'any text'}`,
      })
    await this.#options.ledger.decide(approval.id, {
      fingerprint: fingerprint ?? approval.fingerprint,
      ...answer,
      seen: { displayHash: approval.display.hash, whole: true },
      ...answerer,
      idempotencyKey: newNonce(),
    })
  }

  /** The newest checkpoint. @throws SignalboxError `E_UNKNOWN` before the first one. */
  async checkpoint(id: string): Promise<Checkpoint> {
    const { record } = await this.#read(id)
    const newest = checkpointsOf(await this.#options.store.readStream(runStream(record.id))).at(-1)
    if (newest) return newest.checkpoint
    throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no checkpoint yet`)
  }

  /** The context of the main path; keys of the engine only with `isWhole`. */
  async context(id: string, { isWhole = false }: { isWhole?: boolean } = {}): Promise<Record<string, unknown>> {
    const { work } = await this.#read(id)
    const all = work.cursors.get(MAIN)?.context ?? {}
    return isWhole ? { ...all } : Object.fromEntries(Object.entries(all).filter(([key]) => !isEngineKey(key)))
  }

  async #read(id: string): Promise<{ record: RunRecord; work: GraphWork }> {
    const { store } = this.#options
    const record = await getRun(store, id)
    if (record.kind !== 'graph') throw new SignalboxError('E_UNKNOWN', `run ${record.id} is not a graph run`)
    return { record, work: (await readRun(store, record.id, graphWorkflow)).run.work }
  }

  async #approval(id: string): Promise<ApprovalRecord | null> {
    return (await this.#options.store.document<ApprovalRecord>(approvalsProjection.name, id))?.state ?? null
  }

  async #successor(id: string): Promise<string | null> {
    const events = await this.#options.store.readStream(runStream(id))
    const ending = events.find(({ type }) => type === 'run.completed')
    return typeof ending?.data.successor === 'string' ? ending.data.successor : null
  }
}

const STATUS: Readonly<Record<string, PipelineStatus['status']>> = {
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
  cancelled: 'cancelled',
}

function createDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

/** The node of a question may set its type. */
function questionFor(approval: ApprovalRecord, { graph }: GraphWork): InterviewQuestion {
  const node = graph.nodes.get(approval.request.tool ?? '')
  return questionOf(approval, (node && textOf(node.attributes, 'human.type')) ?? undefined)
}
