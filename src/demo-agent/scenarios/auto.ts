import type { Scenario } from '../scenario/types.js'

/** For loops and pipelines: worker, auditor, planner or reviewer by what the prompt asks for. */
export const auto: Scenario = {
  name: 'auto',
  description: 'answers by role: a verdict, a review, a plan, or a small real edit',
  turns: [],
  headless: { auto: true },
}

/** An auditor that accepts the third attempt. */
export const retry: Scenario = {
  name: 'retry',
  description: 'as auto, but the auditor says RETRY twice before DONE',
  turns: [],
  headless: { auto: true, verdicts: ['RETRY', 'RETRY', 'DONE'] },
}
