import type { Graph, GraphNode } from '../../graph/index.js'
import type { StepCall } from '../workflow.js'
import { type Cursor, cursorPath, type GraphWork, MAIN, type Reply } from './graph-work.js'

/** What a handler sees: the node, and a copy of the context from the step's start. */
export interface GraphStep {
  work: GraphWork
  graph: Graph
  node: GraphNode
  cursor: Readonly<Cursor>
  context: Readonly<Record<string, unknown>>
  visit: number
  attempt: number
  cwd: string
  /** A person's answer to the question of the previous attempt. */
  answer: string | null
  /** The complete reply. */
  reply: Reply | null
}

/** Copies at once, because the work changes while the step runs. */
export function graphStep(call: StepCall): GraphStep {
  const work = call.work() as GraphWork
  const { node, visit, attempt, branch, answer, reply } = call.input as {
    node: string
    visit: number
    attempt: number
    branch: string
    answer?: string
    reply?: Reply
  }
  const cursor = work.cursors.get(branch) ?? work.cursors.get(MAIN)!
  return {
    work,
    graph: work.graph,
    node: work.graph.nodes.get(node)!,
    cursor: { ...cursor },
    context: structuredClone(cursor.context),
    visit,
    attempt,
    cwd: cursorPath(work, cursor),
    answer: answer ?? null,
    reply: reply ?? null,
  }
}
