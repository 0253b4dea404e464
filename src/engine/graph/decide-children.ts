import {
  AttributeReader,
  evaluate,
  GRAPH_ATTRIBUTES,
  NODE_ATTRIBUTES,
  parseCondition,
  textOf,
} from '../../graph/index.js'
import type { WorkflowCommand } from '../workflow.js'
import { nodeOf, scopeOf } from './decide-events.js'
import { filled } from './gate-request.js'
import { type Cursor, cursorPath, type GraphWork, isEngineKey, partName, stepName } from './graph-work.js'

/*
 * A node whose work is done by a child run: `pipeline` waits for it, a manager observes it
 * periodically. A step reads the graph of the child, so that its text is in the journal; the child
 * is a run like any other, linked to this one.
 */

export function followChild(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const { child } = cursor
  if (child === null) return [part(cursor, 'source', 'graph.child_source')]
  const running: readonly WorkflowCommand[] =
    child.attached === null && !cursor.isStopping ? [startChild(work, cursor)] : []
  return cursor.handler === 'pipeline' ? running : [...running, ...manage(work, cursor)]
}

/**
 * Observe; stop the child if the condition holds; steer it if configured and the cooldown has
 * passed; wait; observe again.
 */
function manage(work: GraphWork, cursor: Cursor): readonly WorkflowCommand[] {
  const read = new AttributeReader(nodeOf(work, cursor).attributes, NODE_ATTRIBUTES)
  // `child_look` observes a child run; the name is in the journals of runs.
  if (cursor.isLooking) return [part(cursor, `look${cursor.cycles + 1}`, 'graph.child_look')]
  const wanted = read.text('manager.stop_condition')
  const parsed = wanted === null ? null : parseCondition(wanted)
  if (parsed && !('problem' in parsed) && wanted?.trim() !== '') {
    if (cursor.cycles > 0 && evaluate(parsed.condition, scopeOf(cursor)).isTrue)
      return [part(cursor, 'stop', 'graph.child_stop')]
  }
  if (cursor.cycles >= (read.number('manager.max_cycles') ?? 1_000)) return [part(cursor, 'giveup', 'graph.child_stop')]
  const cooldown = read.durationMs('manager.steer_cooldown') ?? 300_000
  const maySteer = cursor.steeredAt === null || cursor.lookedAt - cursor.steeredAt >= cooldown
  if (cursor.cycles > 0 && read.names('manager.actions').includes('steer') && maySteer)
    return [part(cursor, `steer${cursor.cycles}`, 'graph.child_steer')]
  const ms = read.durationMs('manager.poll_interval') ?? 45_000
  return [{ do: 'timer', timer: `look ${stepName(cursor)} ${cursor.cycles}`, ms }]
}

function part(cursor: Cursor, name: string, effect: string): WorkflowCommand {
  const input = {
    node: cursor.node,
    visit: cursor.visit,
    attempt: cursor.attempt,
    branch: cursor.id,
    child: stepName(cursor),
  }
  const branch = cursor.id === '' ? {} : { branch: cursor.id }
  return {
    do: 'step',
    step: partName(cursor, name),
    effect,
    input,
    ...branch,
  }
}

function startChild(work: GraphWork, cursor: Cursor): WorkflowCommand {
  const { about, input } = work
  const node = nodeOf(work, cursor)
  const plan = cursor.child!
  const inputs = Object.fromEntries(
    Object.entries(cursor.context).flatMap(([key, value]) =>
      isEngineKey(key) || typeof value !== 'string' || !/^\w+$/.test(key) ? [] : [[key, value]],
    ),
  )
  for (const [key, { value }] of node.attributes)
    if (key.startsWith('var.')) inputs[key.slice('var.'.length)] = filled(value, work, cursor)
  const workdir = new AttributeReader(work.graph.attributes, GRAPH_ATTRIBUTES).text('stack.child_workdir')
  const workspace = {
    ...input.workspace,
    path: workdir === null ? cursorPath(work, cursor) : joined(input.workspace.path, workdir),
  }
  return {
    do: 'child',
    child: stepName(cursor),
    create: {
      kind: 'graph',
      title: textOf(node.attributes, 'label') ?? node.id,
      project: about.project,
      cwd: workspace.path,
      person: about.person,
      input: {
        dot: plan.dot,
        file: plan.file,
        hash: plan.hash,
        inputs,
        agent: input.agent,
        model: input.model,
        permissions: input.permissions,
        isAutoApproved: input.isAutoApproved,
        dryRun: input.dryRun,
        workspace,
        from: null,
        ...(input.endpoint !== undefined && { endpoint: input.endpoint }),
        ...(input.apiKeyEnv !== undefined && { apiKeyEnv: input.apiKeyEnv }),
        ...(input.handlers && { handlers: input.handlers }),
        ...(input.trusted && { trusted: input.trusted }),
      },
      ...(about.limits && { limits: about.limits }),
      ...(about.labels && { labels: about.labels }),
    },
  }
}

function joined(base: string, path: string): string {
  return path.startsWith('/') ? path : `${base}/${path}`
}
