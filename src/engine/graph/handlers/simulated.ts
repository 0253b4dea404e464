import type { Performer, StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { graphStep } from '../graph-step.js'

/** For `--dry-run`: what the script says for `node@visit` or `node`, else success. */
export const simulatedSteps: Performer = {
  async run(call: StepCall): Promise<StepEnd> {
    const { work, node, visit } = graphStep(call)
    const script = work.input.dryRun ?? {}
    const scripted = (script[`${node.id}@${visit}`] ?? script[node.id] ?? {}) as Partial<NodeOutcome>
    const outcome: NodeOutcome = {
      status: 'success',
      notes: `[Simulated] ${node.id}`,
      response: `[Simulated] response of ${node.id}`,
      ...scripted,
    }
    return { status: 'ok', result: outcome }
  },
}
