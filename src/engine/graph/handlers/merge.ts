import type { Performer, StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { graphStep } from '../graph-step.js'
import { branchRef } from '../graph-work.js'
import { conflictQuestion, mergeBranch } from '../merge-branch.js'

/**
 * Merges the work of every successful branch before an ordinary join, in the order of their edges.
 */
export const mergeSteps: Performer = {
  async run(call: StepCall): Promise<StepEnd> {
    const step = graphStep(call)
    const { branches } = call.input as { branches: string[] }
    let { answer } = step.work.cursors.get(step.cursor.id)!
    let commit: string | null = null
    for (const branch of branches) {
      const ref = branchRef(call.run, branch)
      const options = { run: call.run, step: call.name, ref, name: branch, answer }
      const merged = await mergeBranch(step.cwd, options)
      if ('conflict' in merged)
        return ended({ status: 'retry', question: conflictQuestion(branch, merged.conflict, step.cwd) })
      // An answer concerns the first branch that is not merged yet.
      if (merged.isNew) answer = null
      commit = merged.commit ?? commit
    }
    return ended({ status: 'success', ...(commit !== null && { commit }) })
  },
}

function ended(outcome: NodeOutcome): StepEnd {
  return { status: 'ok', result: outcome }
}
