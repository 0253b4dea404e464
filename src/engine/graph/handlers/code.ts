import { AttributeReader, NODE_ATTRIBUTES } from '../../../graph/index.js'
import type { Performer, StepCall } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { graphStep } from '../graph-step.js'
import { type CustomHandler, customSteps } from './custom.js'

/** Calls the function that a node names, out of those registered in this process. */
export function codeSteps(
  functions: Readonly<Record<string, CustomHandler>>,
  stepDirectory: (call: StepCall) => string,
): Performer {
  return {
    async run(call) {
      const { node } = graphStep(call)
      const name = new AttributeReader(node.attributes, NODE_ATTRIBUTES).text('fn')
      const called = name !== null && Object.hasOwn(functions, name) ? functions[name] : undefined
      if (called) return customSteps(called, stepDirectory).run(call)
      const result: NodeOutcome = {
        status: 'fail',
        failure_reason: `unknown function "${name ?? ''}"`,
        failure_class: 'structural',
      }
      return { status: 'ok', result }
    },
  }
}
