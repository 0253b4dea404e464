import type { Graph, GraphNode } from '../../../graph/index.js'
import type { Performer, StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { graphStep } from '../graph-step.js'
import { readOutcome } from './codergen.js'

/** Services passed to a custom handler, besides its node. */
interface HandlerServices {
  readonly cwd: string
  /** A directory for this step alone. */
  readonly directory: string
  readonly signal: AbortSignal
  notice(text: string): void
}

interface HandlerStep {
  readonly run: string
  /** `run/node@visit#attempt`: use it to name everything that must not be created twice. */
  readonly name: string
  readonly visit: number
  readonly attempt: number
}

/** A custom handler. It keeps no state between calls; throwing is a failure. */
export type CustomHandler = (
  node: GraphNode,
  context: Readonly<Record<string, unknown>>,
  graph: Graph,
  step: HandlerStep,
  services: HandlerServices,
) => Promise<Partial<NodeOutcome> | undefined> | Partial<NodeOutcome> | undefined

/** Runs nodes with a custom handler; validates its result as strictly as an agent's report. */
export function customSteps(handler: CustomHandler, stepDirectory: (call: StepCall) => string): Performer {
  return {
    async run(call: StepCall): Promise<StepEnd> {
      const { node, context, graph, visit, attempt, cwd } = graphStep(call)
      const step = { run: call.run, name: call.name, visit, attempt }
      const services = {
        cwd,
        directory: stepDirectory(call),
        signal: call.signal,
        notice: (text: string) => call.notice('info', text),
      }
      const returned = await handler(node, Object.freeze(context), graph, step, services)
      const outcome = returned === undefined ? { status: 'success' as const } : readOutcome(returned)
      if (!outcome) throw new TypeError(`the handler of "${node.id}" returned no outcome`)
      return {
        status: 'ok',
        result: { ...outcome, ...(typeof returned?.response === 'string' && { response: returned.response }) },
      }
    },
  }
}
