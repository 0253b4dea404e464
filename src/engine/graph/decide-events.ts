import { newEvent } from '../../events/index.js'
import type { GraphNode } from '../../graph/index.js'
import type { NewEvent } from '../../store/index.js'
import type { WorkflowCommand } from '../workflow.js'
import type { NodeOutcome } from './graph-run.js'
import { type Cursor, type GraphWork, MAIN } from './graph-work.js'

/** Helpers shared by all parts of the decision. */

export function emit(...events: NewEvent[]): WorkflowCommand {
  return { do: 'emit', events }
}

export function fail(reason: string, text: string): WorkflowCommand {
  return { do: 'end', status: 'failed', reason, text }
}

export function branchOf(cursor: Cursor): { branch?: string } {
  return cursor.id === MAIN ? {} : { branch: cursor.id }
}

export function nodeOf(work: GraphWork, cursor: Cursor): GraphNode {
  return work.graph.nodes.get(cursor.node)!
}

/** The values that conditions can refer to at this cursor. */
export function scopeOf(cursor: Cursor) {
  return {
    outcome: cursor.last?.outcome ?? cursor.last?.status ?? '',
    preferredLabel: String(cursor.context.preferred_label ?? ''),
    context: cursor.context,
  }
}

export function finished(cursor: Cursor, outcome: NodeOutcome): NewEvent {
  return newEvent('node.finished', {
    node: cursor.node,
    visit: cursor.visit,
    status: outcome.status,
    ...(outcome.outcome !== undefined && { outcome: outcome.outcome }),
    ...(outcome.preferred_label !== undefined && { preferredLabel: outcome.preferred_label }),
    ...(outcome.notes !== undefined && { notes: outcome.notes }),
    ...(outcome.failure_reason !== undefined && { failureReason: outcome.failure_reason }),
    ...(outcome.failure_class !== undefined && { failureClass: outcome.failure_class }),
    ...(outcome.commit !== undefined && { commit: outcome.commit }),
    ...branchOf(cursor),
  })
}
