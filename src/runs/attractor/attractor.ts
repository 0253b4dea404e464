import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ApprovalDecision,
  type ApprovalRecord,
  approvalsProjection,
  isDenial,
  type Ledger,
} from '../../approvals/index.js'
import { type Clock, newId, newNonce } from '../../clock/index.js'
import {
  type Checkpoint,
  cancelRun,
  checkpointsOf,
  createRun,
  type GraphWork,
  getRun,
  graphWorkflow,
  isEngineKey,
  MAIN,
  type Question,
  questionOf,
  type RunRecord,
  readAnswer,
  readRun,
  runStream,
  type Usage,
} from '../../engine/index.js'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { type Diagnostic, lintParsed, type ParseLimits, parseDot, printDot, textOf } from '../../graph/index.js'
import type { EventStore, StoredEvent } from '../../store/index.js'
import { executableText, TrustStore } from '../../trust/index.js'
import { drawingOf, drawSvg } from '../draw-run.js'
import { newWorkspace } from '../new-workspace.js'
import { budgetOf, checkInputs, lookForPrompt, titleOf, withPromptFiles } from '../prepare-graph.js'
import { type AttractorEvent, AttractorTeller, isAfter, isLast } from './attractor-events.js'

export interface AttractorOptions {
  store: EventStore
  /** The one of the process that answers: a decision is made through it, and only once. */
  ledger: Ledger
  clock: Clock
  dataDirectory: string
  limits: ParseLimits
  /** Agent of nodes that name none. */
  agent: string | null
  drawTimeoutMs?: number
}

export interface NewPipeline {
  dot: string
  inputs?: Record<string, string>
  /** The directory it works in; without one it gets an empty one of its own. */
  project?: string
  agent?: string
  model?: string
  labels?: Record<string, string>
  /** The hash of what the person has seen, where the project does not trust it yet. */
  trust?: string
  person: string
}

export interface PipelineStatus {
  id: string
  status: 'running' | 'completed' | 'failed' | 'cancelled'
  /** It stands still until somebody answers, a time comes, or it is resumed. */
  waiting?: true
  current_node: string | null
  completed_nodes: string[]
  outcome: 'success' | 'fail' | null
  reason: string | null
  usage: Usage
  /** The run that it goes on as, after a `loop_restart`. */
  successor?: string
}

export type PipelineQuestion = Pick<Question, 'id' | 'text' | 'type' | 'options' | 'stage' | 'fingerprint'>

/** Who answers, and from where. */
export interface AttractorAnswerer {
  actor: ApprovalDecision['actor']
  surface: ApprovalDecision['surface']
  /** Told what the answer comes to before it is taken; what it throws keeps it from being taken. */
  onChosen?(isDenial: boolean): void
}

/**
 * Runs of graphs as attractor's server offers them: there they are called pipelines. Each method is one route; what a route answers to a
 * mistake follows from the code of the error (`E_GRAPH` 422, `E_UNTRUSTED` 403, `E_UNKNOWN` 404, `E_STATE` and `E_APPROVAL_DECIDED` 409,
 * `E_APPROVAL_OPTION` 422).
 */
export class AttractorPipelines {
  readonly #options: AttractorOptions

  constructor(options: AttractorOptions) {
    this.#options = options
  }

  /**
   * Makes a run that the daemon picks up.
   * @throws SignalboxError `E_GRAPH` with every diagnostic, `E_UNTRUSTED` with the hash to name, `E_INPUT` for missing inputs.
   */
  async create(wish: NewPipeline): Promise<{ id: string; status: 'running'; diagnostics: Diagnostic[] }> {
    const { store, clock, dataDirectory, limits, agent } = this.#options
    const id = newId('run')
    const cwd = wish.project ?? this.#scratch(id)
    const root = (await new Git(cwd).root()) ?? cwd
    const parsed = parseDot(wish.dot, { limits })
    const diagnostics = lintParsed(parsed, { promptFile: prompt => lookForPrompt(prompt, cwd, root) })
    refuseErrors(diagnostics)
    const graph = withPromptFiles(parsed.graph, cwd)
    const inputs = checkInputs(graph, wish.inputs ?? {})
    const found = await executableText(wish.dot, cwd)
    const trust = wish.trust === undefined ? {} : { trust: wish.trust }
    await new TrustStore(store, dataDirectory).require(found, { by: wish.person, ...trust })
    const isWanted = textOf(graph.attributes, 'worktree') !== 'none'
    const workspace = await newWorkspace(dataDirectory, { cwd, id, isWanted })
    const create = {
      kind: 'graph',
      title: titleOf(graph, 'pipeline'),
      project: root,
      cwd: workspace.path,
      person: wish.person,
      input: {
        dot: printDot(graph),
        file: null,
        hash: createHash('sha256').update(wish.dot).digest('hex'),
        inputs,
        agent: wish.agent ?? agent,
        model: wish.model ?? null,
        permissions: null,
        isAutoApproved: false,
        dryRun: null,
        workspace,
        from: null,
        trusted: Object.values(found.files),
      },
      limits: budgetOf(graph),
      labels: { ...wish.labels, host: 'daemon', surface: 'attractor' },
    }
    await createRun(store, create, clock.now(), id)
    return { id, status: 'running', diagnostics: diagnostics.filter(({ severity }) => severity === 'warning') }
  }

  async status(id: string): Promise<PipelineStatus> {
    const { record, work } = await this.#look(id)
    const status = STATUS[record.status] ?? 'running'
    const successor = record.reason === 'restarted' ? await this.#successor(record.id) : null
    return {
      id: record.id,
      status,
      ...(['waiting', 'paused'].includes(record.status) && { waiting: true as const }),
      current_node: work.cursors.get(MAIN)?.node ?? null,
      completed_nodes: [...new Set(work.finished.map(({ node }) => node))],
      outcome: status === 'running' ? null : status === 'completed' ? 'success' : 'fail',
      reason: record.reason,
      usage: record.usage,
      ...(successor !== null && { successor }),
    }
  }

  /** Every event after `since`, those that come later, too; ends after the last one of the run, or when it is told to. */
  async *events(
    id: string,
    { since = null, signal }: { since?: string | null; signal?: AbortSignal } = {},
  ): AsyncGenerator<AttractorEvent> {
    const { store } = this.#options
    const { record } = await this.#look(id)
    const stream = runStream(record.id)
    const teller = new AttractorTeller()
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
          for (const told of teller.tell(event)) {
            if (signal?.aborted) return
            if (isAfter(told.id, since)) yield told
            if (isLast(told.event)) return
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
    const { record } = await this.#look(id)
    await cancelRun(this.#options.store, record.id, { by, reason })
  }

  /** As SVG, with what happened. */
  async graph(id: string): Promise<string> {
    const { store, drawTimeoutMs } = this.#options
    const { record, work } = await this.#look(id)
    const drawing = drawingOf(await store.readStream(runStream(record.id)))
    return (await drawSvg(work.graph, drawing, drawTimeoutMs === undefined ? {} : { timeoutMs: drawTimeoutMs })).svg
  }

  async questions(id: string): Promise<PipelineQuestion[]> {
    const { record, work } = await this.#look(id)
    const asked = await Promise.all(Object.values(record.gates).map(approval => this.#approval(approval)))
    return asked
      .filter(approval => approval?.state === 'pending')
      .map(approval => {
        const { takesText: _, ...question } = questionFor(approval!, work)
        return question
      })
  }

  /** @throws SignalboxError `E_APPROVAL_OPTION`, `E_APPROVAL_DECIDED` (late, second, or after the run's end), `E_APPROVAL_CHANGED`. */
  async answer(
    id: string,
    question: string,
    { value, text, fingerprint }: { value?: string; text?: string; fingerprint?: string },
    { actor, surface, onChosen }: AttractorAnswerer,
  ): Promise<void> {
    const { record, work } = await this.#look(id)
    const approval = await this.#approval(question)
    if (!approval || approval.subject.run !== record.id || approval.source.channel !== 'run')
      throw new SignalboxError('E_UNKNOWN', `run ${record.id} asks no question "${question}"`, {
        next: `GET /pipelines/${record.id}/questions lists them`,
      })
    if (['cancelled', 'expired'].includes(approval.state))
      throw new SignalboxError('E_STATE', `the question is ${approval.state}: nobody waits for an answer any more`)
    const asked = questionFor(approval, work)
    const said = value ?? text ?? ''
    const answer = value === undefined && text !== undefined && asked.takesText ? { text } : readAnswer(asked, said)
    if (!answer || 'skipped' in answer)
      throw new SignalboxError('E_APPROVAL_OPTION', `"${said.slice(0, 100)}" is none of the answers`, {
        next: `one of ${asked.options.map(({ key, label }) => `${key} (${label})`).join(', ') || 'any text'}`,
      })
    onChosen?.(isDenial(approval, 'option' in answer ? answer.option : undefined))
    await this.#options.ledger.decide(approval.id, {
      fingerprint: fingerprint ?? approval.fingerprint,
      ...answer,
      seen: { displayHash: approval.display.hash, whole: true },
      actor,
      surface,
      idempotencyKey: newNonce(),
    })
  }

  /** The newest checkpoint. @throws SignalboxError `E_UNKNOWN` before the first one. */
  async checkpoint(id: string): Promise<Checkpoint> {
    const { record } = await this.#look(id)
    const newest = checkpointsOf(await this.#options.store.readStream(runStream(record.id))).at(-1)
    if (newest) return newest.checkpoint
    throw new SignalboxError('E_UNKNOWN', `run ${record.id} has no checkpoint yet`)
  }

  /** What the nodes of the main way know; keys of the engine only where they are asked for. */
  async context(id: string, { isWhole = false }: { isWhole?: boolean } = {}): Promise<Record<string, unknown>> {
    const { work } = await this.#look(id)
    const all = work.cursors.get(MAIN)?.context ?? {}
    return isWhole ? { ...all } : Object.fromEntries(Object.entries(all).filter(([key]) => !isEngineKey(key)))
  }

  async #look(id: string): Promise<{ record: RunRecord; work: GraphWork }> {
    const { store } = this.#options
    const record = await getRun(store, id)
    if (record.kind !== 'graph') throw new SignalboxError('E_UNKNOWN', `run ${record.id} is no run of a graph`)
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

  #scratch(id: string): string {
    const path = join(this.#options.dataDirectory, 'runs', id, 'work')
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }
}

const STATUS: Readonly<Record<string, PipelineStatus['status']>> = {
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
  cancelled: 'cancelled',
}

function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  const [first, ...more] = diagnostics.filter(({ severity }) => severity === 'error')
  if (!first) return
  const place = first.line === null ? '' : `${first.line}:${first.column ?? 1}: `
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  throw new SignalboxError('E_GRAPH', `the graph is not valid: ${place}${first.message}${others}`, {
    next: first.fix ?? 'mend it and send it again',
    details: { diagnostics },
  })
}

/** A question has the type that its node gives it. */
function questionFor(approval: ApprovalRecord, { graph }: GraphWork): Question {
  const node = graph.nodes.get(approval.request.tool ?? '')
  return questionOf(approval, (node && textOf(node.attributes, 'human.type')) ?? undefined)
}
