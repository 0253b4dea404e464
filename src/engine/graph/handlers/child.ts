import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { SignalboxError } from '../../../errors/index.js'
import { newEvent } from '../../../events/index.js'
import { Git } from '../../../git/index.js'
import { AttributeReader, lintParsed, NODE_ATTRIBUTES, parseDot, textOf } from '../../../graph/index.js'
import type { EventStore } from '../../../store/index.js'
import { childrenOf, getRun, recordCancel } from '../../control.js'
import { runStream } from '../../run-journal.js'
import { isEnded } from '../../run-status-table.js'
import type { Performer, StepCall, StepEnd } from '../../workflow.js'
import { handlersOf, type NodeOutcome } from '../graph-run.js'
import { type GraphStep, graphStep } from '../graph-step.js'
import { fillIn } from './codergen-prompt.js'

/** The graph text passes through the journal of the parent run. */
const CHILD_MAX = 100_000

/** The pipelines that a node may name instead of a file. */
export interface ChildSources {
  /** Null if no pipeline of that name is registered. */
  find(name: string, project: string): Promise<{ text: string; isShipped: boolean } | null>
  /** The functions of a pipeline's `code` nodes. */
  functions(pipeline: string | null): string[]
}

/** Reads the graph of a child run, once: afterwards its text is in the journal. */
export const childSourceSteps = (sources: ChildSources): Performer => ({
  async run(call: StepCall): Promise<StepEnd> {
    const step = graphStep(call)
    const read = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES)
    const attached = step.context['stack.child.run']
    if (textOf(step.node.attributes, 'stack.child_autostart') === 'false') {
      if (typeof attached !== 'string') return ended(structural('no child run to attach to'))
      return ended({ status: 'success', child: { dot: '', file: null, hash: '', attached } })
    }
    const source = read.text('stack.child_dot_source')
    const named =
      read.text('pipeline') ??
      read.text('stack.child_dotfile') ??
      textOf(step.graph.attributes, 'stack.child_dotfile', 'stack.child_workflow')
    if (source === null && named === null) return ended(structural('the node names no graph for its child run'))
    const { text, file, isShipped } =
      source !== null ? { text: source, file: null, isShipped: false } : await readChild(step, named!, sources)
    const hash = createHash('sha256').update(text).digest('hex')
    if (text.length > CHILD_MAX)
      return ended(
        structural(`the graph of the child run is ${text.length} characters long; the limit is ${CHILD_MAX}`),
      )
    const { trusted } = step.work.input
    if (file !== null && !isShipped && trusted && !trusted.includes(hash))
      return ended(structural(`${file} has changed since it was trusted`))
    const parsed = parseDot(text, file === null ? {} : { file })
    const { handlers } = step.work.input
    const functions = [
      ...sources.functions(textOf(parsed.graph.attributes, 'pipeline_type')),
      ...(handlers?.functions ?? []),
    ]
    const problem = lintParsed(parsed, { handlers: handlersOf(step.work.input), functions }).find(
      ({ severity }) => severity === 'error',
    )
    if (problem)
      return ended(structural(`the graph of the child run is not valid: line ${problem.line ?? 0}: ${problem.message}`))
    return ended({ status: 'success', child: { dot: text, file, hash, attached: null } })
  },
})

interface ChildText {
  text: string
  file: string
  /** It ships with the program, and so is trusted. */
  isShipped: boolean
}

/**
 * A registered pipeline; else a file next to the graph that names it, then one in the worktree;
 * never one outside the repository.
 */
async function readChild(step: GraphStep, named: string, sources: ChildSources): Promise<ChildText> {
  const registered = await sources.find(named, step.work.about.project)
  if (registered) return { ...registered, file: named }
  const beside =
    step.work.input.file === null ? [] : [resolve(step.work.about.project, dirname(step.work.input.file), named)]
  for (const path of [...beside, resolve(step.cwd, named)]) {
    try {
      const root = (await new Git(dirname(path)).root()) ?? dirname(path)
      const inside = relative(realpathSync(root), realpathSync(path))
      if (inside.startsWith('..')) continue
      return { text: readFileSync(path, 'utf8'), file: named, isShipped: false }
    } catch {
      // Does not exist: try the next place.
    }
  }
  throw new SignalboxError('E_GRAPH', `the graph ${named} of "${step.node.id}" does not exist`)
}

/** Reads the state of a manager's child. */
export class ChildObserveSteps implements Performer {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  async run(call: StepCall): Promise<StepEnd> {
    const id = await childOf(this.#store, call)
    const record = await getRun(this.#store, id)
    const events = await this.#store.readStream(runStream(id))
    const finished = events.filter(({ type }) => type === 'node.finished').at(-1)?.data
    const started = events.filter(({ type }) => type === 'node.started').at(-1)?.data
    const updates = {
      'stack.child.run': id,
      'stack.child.status': record.status,
      'stack.child.node': String(started?.node ?? ''),
      'stack.child.outcome': String(finished?.outcome ?? finished?.status ?? ''),
      'stack.child.retries': events.filter(({ type }) => type === 'node.retrying').length,
      'stack.child.cost': record.usage.costUsd ?? 0,
    }
    if (!isEnded(record.status)) return ended({ status: 'retry', context_updates: updates })
    const isGood = record.status === 'completed'
    return ended({
      status: isGood ? 'success' : 'fail',
      context_updates: updates,
      ...(!isGood && { failure_reason: `the child run is ${record.status}: ${record.reason ?? ''}` }),
    })
  }
}

/** Sends the child a message, which its next agent prompt includes. */
export class ChildSteerSteps implements Performer {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  async run(call: StepCall): Promise<StepEnd> {
    const step = graphStep(call)
    const id = await childOf(this.#store, call)
    const prompt = textOf(step.node.attributes, 'prompt', 'llm_prompt')
    if (prompt !== null && !isEnded((await getRun(this.#store, id)).status)) {
      const { text } = fillIn(prompt, step)
      await this.#store.append(runStream(id), 'any', [newEvent('run.steered', { text, by: call.name })])
    }
    return ended({ status: 'success' })
  }
}

/** Stops the child. */
export class ChildStopSteps implements Performer {
  readonly #store: EventStore

  constructor(store: EventStore) {
    this.#store = store
  }

  async run(call: StepCall): Promise<StepEnd> {
    const id = await childOf(this.#store, call)
    if (!isEnded((await getRun(this.#store, id)).status))
      await recordCancel(this.#store, id, { by: call.run, reason: 'stopped by its manager' }).catch(error => {
        if (!(error instanceof SignalboxError && error.code === 'E_STATE')) throw error
      })
    return ended({ status: 'success' })
  }
}

/** The run that this node started, or the newest one if it restarted; or the attached run. */
async function childOf(store: EventStore, call: StepCall): Promise<string> {
  const { child } = call.input as { child: string }
  const { cursor } = graphStep(call)
  if (cursor.child?.attached) return cursor.child.attached
  for (const run of await childrenOf(store, call.run)) {
    const [created] = await store.readStream(runStream(run.id), { limit: 1 })
    if ((created?.data.parent as { child?: string } | undefined)?.child === child) return run.id
  }
  throw new SignalboxError('E_UNKNOWN', `unknown child run of ${call.step}`)
}

function structural(reason: string): NodeOutcome {
  return { status: 'fail', failure_reason: reason, failure_class: 'structural' }
}

function ended(outcome: NodeOutcome): StepEnd {
  return { status: 'ok', result: outcome }
}
