import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HeadlessEnd, PermissionLevel, TurnTuning } from '../../../agents/index.js'
import { loadAgent } from '../../../agents/index.js'
import {
  AttributeReader,
  agentOf,
  classesOf,
  GRAPH_ATTRIBUTES,
  type GraphNode,
  handlerOf,
  isStatus,
  NODE_ATTRIBUTES,
  outcomeWord,
  textOf,
} from '../../../graph/index.js'
import { soleJsonObject } from '../../../text/index.js'
import type { AgentSteps } from '../../agent-step.js'
import type { Performer, Recovery, StepCall, StepEnd } from '../../workflow.js'
import { FAILURE_CLASSES, type NodeOutcome } from '../graph-run.js'
import { type GraphStep, graphStep } from '../graph-step.js'
import { cursorPath, MAIN } from '../graph-work.js'
import { codergenPrompt, fidelityOf, type PromptExtra } from './codergen-prompt.js'

const THRESHOLDS = { inactivityMs: 300_000, toolInactivityMs: 1_800_000, exitGraceMs: 10_000, killGraceMs: 5_000 }

/** Runs one agent turn for a node. */
export class CodergenSteps implements Performer {
  readonly #agents: AgentSteps

  constructor(agents: AgentSteps) {
    this.#agents = agents
  }

  run(call: StepCall): Promise<StepEnd> {
    return this.runWith(call)
  }

  directory(call: StepCall): string {
    return this.#agents.directory(call)
  }

  async runWith(call: StepCall, extra?: PromptExtra): Promise<StepEnd> {
    const step = graphStep(call)
    const read = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES)
    const agent = agentOf(step.node, step.work.input.agent)
    if (agent === null)
      return ended({
        status: 'fail',
        failure_reason: 'no agent is configured for this node',
        failure_class: 'deterministic',
      })
    const fidelity = fidelityOf(step)
    const thread = fidelity === 'full' ? threadOf(step) : null
    const bound = thread === null ? undefined : step.work.threads.get(thread)
    const headless = (await loadAgent(agent)).headless
    const own = step.cursor.salvage?.session ?? (bound?.agent === agent ? bound.session : null)
    const outer = thread === null || own !== null ? null : outerThread(step)
    const isFork =
      outer?.agent === agent && headless?.canFork === true && isInRunDirectory(step) && !isLiveNode(step.node)
    const resume = isFork ? outer.session : own
    // A thread that began elsewhere, with another agent or before its branch, gets a summary of
    // what it would know.
    const isDegraded = fidelity === 'full' && resume === null && (bound !== undefined || outer !== null)
    if (isDegraded) call.notice('info', `thread "${thread}" starts a new session for ${step.node.id}, with a summary`)
    const built = codergenPrompt(step, isDegraded ? 'summary:high' : fidelity, extra)
    if (built.unknown.length > 0) call.notice('info', `no value for ${built.unknown.join(', ')}`)
    const model = read.text('llm_model') ?? step.work.input.model
    const end = await this.#agents.run(call, {
      agent,
      model: headless?.takesModel ? model : null,
      effort: read.text('reasoning_effort'),
      tuning: tuningOf(step),
      isLive: isLiveNode(step.node),
      permissions: permissionsOf(step, headless?.levels ?? []),
      cwd: step.cwd,
      prompt: built.text,
      resume,
      isFork,
      schema: null,
      maxCostUsd: null,
      ...(step.work.input.endpoint !== undefined && { endpoint: step.work.input.endpoint }),
      ...(step.work.input.apiKeyEnv !== undefined && { apiKeyEnv: step.work.input.apiKeyEnv }),
      env: { SIGNALBOX_STATUS_FILE: this.#statusFile(call) },
      ...sandboxOf(read),
      thresholds: thresholdsOf(step),
    })
    return this.#ended(call, step, end, agent, thread)
  }

  /** An agent in a terminal outlives its host. */
  async takeOver(call: StepCall): Promise<{ end: Promise<StepEnd> } | null> {
    const step = graphStep(call)
    const agent = agentOf(step.node, step.work.input.agent)
    if (agent === null || !isLiveNode(step.node)) return null
    const thread = fidelityOf(step) === 'full' ? threadOf(step) : null
    const taken = await this.#agents.takeOver(call, { agent, thresholds: thresholdsOf(step) })
    return taken && { end: taken.end.then(end => this.#ended(call, step, end, agent, thread)) }
  }

  abandon(call: StepCall): Promise<void> {
    return this.#agents.abandon(call)
  }

  async recover(call: StepCall): Promise<Recovery> {
    const step = graphStep(call)
    const recovery = await this.#agents.recover(call)
    if (recovery.verdict !== 'success') return recovery
    const outcome = reported(step, recovery.text ?? '', undefined, this.#statusFile(call))
    return { ...recovery, result: outcome }
  }

  #ended(call: StepCall, step: GraphStep, end: HeadlessEnd, agent: string, thread: string | null): StepEnd {
    return { ...ended(this.#finish(call, step, end, agent, thread)), ...(end.usage && { usage: end.usage }) }
  }

  #finish(call: StepCall, step: GraphStep, end: HeadlessEnd, agent: string, thread: string | null): NodeOutcome {
    if (end.status !== 'ok') return failedTurn(end)
    const outcome = reported(step, end.text, end.structured, this.#statusFile(call))
    const session = end.sessionId === null ? {} : { session: { agent, id: end.sessionId, thread } }
    writeFileSync(join(this.#agents.directory(call), 'status.json'), JSON.stringify(statusFileOf(outcome), null, 2), {
      mode: 0o600,
    })
    return { ...outcome, ...session }
  }

  #statusFile(call: StepCall): string {
    return join(this.#agents.directory(call), 'agent-status.json')
  }
}

function sandboxOf(read: AttributeReader): { sandbox?: { use: string } } {
  const use = read.text('sandbox')
  return use === null ? {} : { sandbox: { use } }
}

/** Whether the node asks for a terminal. A model call without tools has none. */
export function isLiveNode(node: GraphNode): boolean {
  return handlerOf(node) === 'codergen' && new AttributeReader(node.attributes, NODE_ATTRIBUTES).isTrue('live')
}

/** Settings of the node and of the graph that only some agents offer; the linter says which. */
function tuningOf({ node, graph }: GraphStep): TurnTuning {
  const read = new AttributeReader(node.attributes, NODE_ATTRIBUTES)
  const whole = new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES)
  const [maxTurns, temperature, maxTokens] = [
    read.number('max_turns'),
    read.number('temperature'),
    read.number('max_tokens'),
  ]
  // Tools are restricted by name: a pattern such as `Bash(git diff:*)` is for permissions.
  const tools = (read.text('allowed_tools') ?? '').replace(/\([^)]*\)/g, '')
  const allowedTools = tools.split(/[\s,]+/).filter(name => name !== '')
  const toolHooks = { pre: whole.text('tool_hooks.pre'), post: whole.text('tool_hooks.post') }
  return {
    ...(maxTurns !== null && { maxTurns }),
    ...(temperature !== null && { temperature }),
    ...(maxTokens !== null && { maxTokens }),
    ...(allowedTools.length > 0 && { allowedTools }),
    ...((toolHooks.pre !== null || toolHooks.post !== null) && { toolHooks }),
  }
}

function thresholdsOf({ node }: GraphStep) {
  return { ...THRESHOLDS, timeoutMs: new AttributeReader(node.attributes, NODE_ATTRIBUTES).durationMs('timeout') ?? 0 }
}

/**
 * The agent's report: a file it wrote, structured output, or the only JSON object in its last
 * message; without a report the step succeeded.
 */
function reported(step: GraphStep, text: string, structured: unknown, file: string): NodeOutcome {
  const isAuto = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES).isTrue('auto_status')
  const isWritten = existsSync(file)
  const found = isWritten
    ? parse(readFileSync(file, 'utf8'))
    : structured !== undefined && structured !== null
      ? structured
      : objectIn(text)
  if (found === undefined) return { status: 'success', response: text, ...(isAuto && { notes: 'auto-status' }) }
  const outcome = readOutcome(found)
  const isDouble = isWritten && objectIn(text) !== undefined
  return outcome
    ? {
        ...outcome,
        response: text,
        ...(isDouble && !outcome.notes && { notes: 'the status file overrides the object in the message' }),
      }
    : {
        status: 'retry',
        failure_reason: 'bad_status: the report does not have the requested form',
        response: text,
      }
}

function objectIn(text: string): unknown {
  const found = soleJsonObject(text)
  if (!('value' in found)) return undefined
  // An object without any of these keys is part of the answer, not a report.
  return ['outcome', 'status', 'preferred_label', 'context_updates'].some(key => key in found.value)
    ? found.value
    : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Null if it does not have the right form. The older names `status` and `preferred_next_label` are
 * accepted.
 */
export function readOutcome(value: unknown): NodeOutcome | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const given = value as Record<string, unknown>
  const reported = given.outcome ?? given.status
  if (reported !== undefined && typeof reported !== 'string') return null
  const word = reported === undefined ? undefined : outcomeWord(reported)
  const status = word !== undefined && isStatus(word) ? word : undefined
  const label = given.preferred_label ?? given.preferred_next_label
  const updates = given.context_updates
  if (updates !== undefined && (typeof updates !== 'object' || updates === null || Array.isArray(updates))) return null
  const next = Array.isArray(given.suggested_next_ids)
    ? given.suggested_next_ids.filter(id => typeof id === 'string')
    : []
  const failureClass = FAILURE_CLASSES.find(candidate => candidate === given.failure_class)
  return {
    status: status ?? 'success',
    ...(status === undefined && word !== undefined && { outcome: word }),
    ...(typeof label === 'string' && label !== '' && { preferred_label: label }),
    ...(next.length > 0 && { suggested_next_ids: next }),
    ...(updates !== undefined && { context_updates: updates as Record<string, unknown> }),
    ...(typeof given.notes === 'string' && { notes: given.notes }),
    ...(typeof given.failure_reason === 'string' && { failure_reason: given.failure_reason }),
    ...(failureClass && { failure_class: failureClass }),
    ...(typeof given.next_node === 'string' && { next_node: given.next_node }),
  }
}

/** The node outcome of an agent turn that did not succeed. */
export function failedTurn({ status, reason, class: kind, text }: HeadlessEnd): NodeOutcome {
  const failureClass =
    kind === 'spawn' || kind === 'auth' || kind === 'config' || kind === 'refused'
      ? 'deterministic'
      : kind === 'timeout' || status === 'silent'
        ? 'timeout'
        : kind === 'budget'
          ? 'budget_exhausted'
          : ['rate_limit', 'overloaded', 'network'].includes(kind ?? '')
            ? 'transient_infra'
            : 'unknown'
  return {
    status: 'fail',
    failure_reason: text ? `${reason}: ${text.slice(0, 500)}` : reason,
    failure_class: failureClass,
    // An agent that could not be started, or that reported an error, left nothing to recover.
    ...(failureClass !== 'deterministic' && failureClass !== 'budget_exhausted' && { isDeath: true }),
  }
}

function statusFileOf(outcome: NodeOutcome) {
  return {
    outcome: outcome.outcome ?? outcome.status,
    preferred_label: outcome.preferred_label ?? '',
    suggested_next_ids: outcome.suggested_next_ids ?? [],
    context_updates: outcome.context_updates ?? {},
    notes: outcome.notes ?? '',
  }
}

/**
 * The thread of a `full` node. Branches that run at the same time never share one: inside a branch
 * it is the branch's own.
 */
function threadOf(step: GraphStep): string {
  const { id } = step.cursor
  return id === MAIN ? threadName(step) : `${id}/${threadName(step)}`
}

/** From the node, its edge, the graph, its subgraph, else from the previous node. */
function threadName({ graph, node, cursor }: GraphStep): string {
  const edge = graph.edges.find(candidate => candidate.id === cursor.edge)
  return (
    textOf(node.attributes, 'thread_id') ??
    (edge && textOf(edge.attributes, 'thread_id')) ??
    new AttributeReader(graph.attributes, GRAPH_ATTRIBUTES).text('default_thread') ??
    classesOf(node)[0] ??
    cursor.previous ??
    node.id
  )
}

/** The session that the thread has outside this branch. */
function outerThread(step: GraphStep): { agent: string; session: string } | null {
  const name = threadName(step)
  for (let id = step.cursor.id; id !== MAIN; ) {
    id = id.includes('/') ? id.slice(0, id.lastIndexOf('/')) : MAIN
    const found = step.work.threads.get(id === MAIN ? name : `${id}/${name}`)
    if (found) return found
  }
  return null
}

/** Agents store sessions by directory: a branch in its own worktree cannot find earlier ones. */
function isInRunDirectory({ work, cwd }: GraphStep): boolean {
  return cwd === cursorPath(work, work.cursors.get(MAIN)!)
}

/**
 * A model call without tools may only read, and so may an agent that ranks branches: changes of its
 * own would be in the way of the branch that is merged afterwards.
 */
function permissionsOf({ node, work, cursor }: GraphStep, levels: readonly PermissionLevel[]): PermissionLevel {
  if (cursor.handler === 'prompt' || cursor.handler === 'parallel.fan_in') return 'read'
  const wanted = (textOf(node.attributes, 'permissions') ?? work.input.permissions ?? 'edits') as PermissionLevel
  return levels.includes(wanted) || levels.length === 0 ? wanted : levels.includes('edits') ? 'edits' : levels.at(-1)!
}

function ended(outcome: NodeOutcome): StepEnd {
  return { status: 'ok', result: outcome }
}
